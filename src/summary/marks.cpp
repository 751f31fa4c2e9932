// SPDX-License-Identifier: BSD-3-Clause
#include "summary/marks.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace pathline::summary {
namespace {

constexpr size_t kMostMessages = 65536;
constexpr size_t kPlaceColumns = 6;        // Of "marks.places".
constexpr size_t kTimeColumns = 5;         // Of "marks.times".
constexpr size_t kOperationColumns = 3;    // Of "marks.operations".
constexpr uint64_t kUnknown = UINT64_MAX;  // Of "marks.operations.rows".

auto order_of(const MarkedMessage& one) {
  return std::tuple(one.send_ticks, one.sender, one.receiver, one.recv_post_ticks, one.recv_ticks,
                    one.comm, one.tag, one.bytes);
}

/// Those of a communicator that had ended everywhere are not counted any more.
void number_from_first(std::vector<trace::BegunOperation>& operations) {
  std::sort(operations.begin(), operations.end(), [](const auto& a, const auto& b) {
    return std::tie(a.comm, a.number, a.location, a.end_ticks) <
           std::tie(b.comm, b.number, b.location, b.end_ticks);
  });
  uint32_t first = 0;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (i == 0 || operations[i].comm != operations[i - 1].comm) first = operations[i].number;
    operations[i].number -= first;
  }
}

}  // namespace

uint64_t MarkedMessage::first_ticks() const {
  return std::min({send_ticks, recv_post_ticks, recv_ticks});
}
uint64_t MarkedMessage::last_ticks() const {
  return std::max({send_ticks, recv_post_ticks, recv_ticks});
}

GrowingMarks::GrowingMarks(const trace::Definitions& definitions)
    : begin_(definitions.clock.global_offset),
      most_operations_(std::max(kMostMessages, 2 * definitions.locations.size())) {
  constexpr uint64_t kEventsPerMark = 1 << 20;
  constexpr uint64_t kMostMarks = 256;
  constexpr uint64_t kMostEvents = uint64_t{1} << 40U;
  uint64_t events = 0;
  for (const trace::LocationDefinition& location : definitions.locations) {
    events = std::min(kMostEvents, events + std::min(location.event_count, kMostEvents));
  }
  const uint64_t parts = std::min(events / kEventsPerMark, kMostMarks);
  if (parts < 2) return;
  distance_ = definitions.clock.trace_length / parts;
  count_ = distance_ > 0 ? parts - 1 : 0;
  lay_out();
}

GrowingMarks::GrowingMarks(uint64_t begin, uint64_t distance, uint64_t count)
    : begin_(begin), distance_(distance), count_(count), most_operations_(kMostMessages) {
  lay_out();
}

void GrowingMarks::lay_out() {
  messages_.resize(count_);
  is_left_out_.resize(count_);
  operations_.resize(count_);
  are_operations_left_out_.resize(count_);
}

/// How many are at or before it.
uint64_t GrowingMarks::instants_until(uint64_t ticks) const {
  return ticks < begin_ ? 0 : std::min((ticks - begin_) / distance_, count_);
}

void GrowingMarks::add(const trace::Messages& messages) {
  if (count_ == 0) return;
  for (size_t i = 0; i < messages.size(); ++i) {
    // That a send went on behind its message is known or not, as windows happen to end.
    const uint64_t send_end = messages.send_end_ticks[i];
    const bool is_known = send_end <= messages.recv_ticks[i];
    const MarkedMessage one{messages.sender[i],
                            messages.receiver[i],
                            messages.send_location[i],
                            messages.recv_location[i],
                            messages.send_ticks[i],
                            is_known ? send_end : messages.send_ticks[i],
                            messages.recv_post_ticks[i],
                            messages.recv_ticks[i],
                            messages.bytes[i],
                            messages.tag[i],
                            messages.comm[i]};
    // An instant is after the first event, and not after the last.
    const uint64_t end = instants_until(one.last_ticks());
    for (uint64_t k = instants_until(one.first_ticks()); k < end; ++k) {
      if (is_left_out_[k]) continue;
      messages_[k].push_back(one);
      if (messages_[k].size() > kMostMessages) leave_out(k);
    }
  }
}

void GrowingMarks::add(const std::vector<trace::CollectivePart>& members, bool is_whole) {
  if (count_ == 0) return;
  uint64_t first_ticks = UINT64_MAX;
  uint64_t last_ticks = is_whole ? 0 : UINT64_MAX;
  for (const trace::CollectivePart& one : members) {
    first_ticks = std::min(first_ticks, one.begin_ticks);
    last_ticks = std::max(last_ticks, one.end_ticks);
  }
  const uint64_t end = instants_until(last_ticks);
  for (uint64_t k = instants_until(first_ticks); k < end; ++k) {
    if (are_operations_left_out_[k]) continue;
    const uint64_t ticks = begin_ + (k + 1) * distance_;
    for (const trace::CollectivePart& one : members) {
      if (one.begin_ticks >= ticks) continue;
      operations_[k].push_back(
          {one.comm, one.sequence, one.location, one.end_ticks < ticks ? 0 : one.end_ticks});
    }
    if (operations_[k].size() <= most_operations_) continue;
    are_operations_left_out_[k] = true;
    std::vector<trace::BegunOperation>().swap(operations_[k]);
  }
}

/// Of a run on many ranks all may be: what they hold would be gigabytes.
void GrowingMarks::leave_out(uint64_t instant) {
  is_left_out_[instant] = true;
  std::vector<MarkedMessage>().swap(messages_[instant]);
}

void GrowingMarks::pack(base::Packer& out) const {
  for (uint64_t k = 0; k < count_; ++k) {
    out.put(uint8_t{is_left_out_[k]});
    out.put_list(messages_[k]);
  }
}

void GrowingMarks::take(base::Unpacker& in) {
  for (uint64_t k = 0; k < count_; ++k) {
    const bool is_left_out = in.get<uint8_t>() != 0;
    const auto more = in.list<MarkedMessage>();
    messages_[k].insert(messages_[k].end(), more.begin(), more.end());
    if (is_left_out || is_left_out_[k] || messages_[k].size() > kMostMessages) leave_out(k);
  }
}

Marks GrowingMarks::finish() {
  Marks marks;
  for (uint64_t k = 0; k < count_; ++k) {
    auto& messages = messages_[k];
    if (is_left_out_[k]) continue;
    std::sort(messages.begin(), messages.end(), [](const MarkedMessage& a, const MarkedMessage& b) {
      return order_of(a) < order_of(b);
    });
    auto& operations = operations_[k];
    number_from_first(operations);
    marks.push_back({begin_ + (k + 1) * distance_, std::move(messages), std::move(operations),
                     !are_operations_left_out_[k]});
  }
  messages_.clear();
  return marks;
}

void write_marks(const Marks& marks, ColumnWriter& out) {
  std::vector<uint64_t> ticks, rows, times, operation_rows, ends;
  std::vector<uint32_t> places, operations;
  for (const Mark& mark : marks) {
    ticks.push_back(mark.ticks);
    rows.push_back(mark.messages.size());
    // Near the mark, so that most bytes are 0 or 255.
    for (const MarkedMessage& one : mark.messages) {
      for (const uint32_t number :
           {one.sender, one.receiver, one.send_location, one.recv_location, one.tag, one.comm}) {
        places.push_back(number);
      }
      for (const uint64_t time :
           {one.send_ticks, one.send_end_ticks, one.recv_post_ticks, one.recv_ticks}) {
        times.push_back(time - mark.ticks);
      }
      times.push_back(one.bytes);
    }
    operation_rows.push_back(mark.knows_operations ? mark.operations.size() : kUnknown);
    for (const trace::BegunOperation& one : mark.operations) {
      for (const uint32_t number : {one.comm, one.number, one.location}) {
        operations.push_back(number);
      }
      ends.push_back(one.end_ticks == 0 ? 0 : one.end_ticks - mark.ticks + 1);
    }
  }
  out.add("marks.ticks", ticks);
  out.add("marks.rows", rows);
  out.add("marks.places", places);
  out.add("marks.times", times);
  out.add("marks.operations.rows", operation_rows);
  out.add("marks.operations", operations);
  out.add("marks.operations.ends", ends);
}

namespace {

/// Adds what a file has of operations; those that were made before have nothing.
base::Status read_operations(const ColumnReader& file, const trace::Trace& run, Marks& marks) {
  if (!file.has("marks.operations.rows")) return {};
  const auto rows = file.column<uint64_t>("marks.operations.rows");
  if (!rows) return rows.error();
  const auto operations = file.column<uint32_t>("marks.operations");
  if (!operations) return operations.error();
  const auto ends = file.column<uint64_t>("marks.operations.ends");
  if (!ends) return ends.error();
  const size_t count = ends.value().size();
  if (operations.value().size() != count * kOperationColumns ||
      rows.value().size() != marks.size()) {
    return file.damaged("table marks: its columns do not fit together");
  }
  size_t row = 0;
  for (size_t m = 0; m < marks.size(); ++m) {
    Mark& mark = marks[m];
    mark.knows_operations = rows.value()[m] != kUnknown;
    if (!mark.knows_operations) continue;
    if (rows.value()[m] > count - row) return file.damaged("table marks: it ends early");
    for (const size_t end = row + rows.value()[m]; row < end; ++row) {
      const uint32_t* const at = &operations.value()[row * kOperationColumns];
      const uint64_t ticks = ends.value()[row];
      if (at[0] >= run.definitions.communicators.size() || at[2] >= run.locations.size()) {
        return file.damaged(fmt::format("table marks: row {} names what does not exist", row));
      }
      mark.operations.push_back({at[0], at[1], at[2], ticks == 0 ? 0 : mark.ticks + ticks - 1});
    }
  }
  return {};
}

}  // namespace

base::Result<Marks> read_marks(const ColumnReader& file, const trace::Trace& run) {
  Marks marks;
  if (!file.has("marks.ticks")) return marks;
  const auto ticks = file.column<uint64_t>("marks.ticks");
  if (!ticks) return ticks.error();
  const auto rows = file.column<uint64_t>("marks.rows");
  if (!rows) return rows.error();
  const auto places = file.column<uint32_t>("marks.places");
  if (!places) return places.error();
  const auto times = file.column<uint64_t>("marks.times");
  if (!times) return times.error();
  const size_t count = places.value().size() / kPlaceColumns;
  if (places.value().size() != count * kPlaceColumns ||
      times.value().size() != count * kTimeColumns || rows.value().size() != ticks.value().size() ||
      !std::is_sorted(ticks.value().begin(), ticks.value().end())) {
    return file.damaged("table marks: its columns do not fit together");
  }
  size_t row = 0;
  for (size_t m = 0; m < ticks.value().size(); ++m) {
    if (rows.value()[m] > count - row) return file.damaged("table marks: it ends early");
    Mark& mark = marks.emplace_back(Mark{ticks.value()[m], {}, {}, false});
    for (const size_t end = row + rows.value()[m]; row < end; ++row) {
      const uint32_t* const at = &places.value()[row * kPlaceColumns];
      const uint64_t* const time = &times.value()[row * kTimeColumns];
      if (std::max(at[0], at[1]) >= run.rank_count ||
          std::max(at[2], at[3]) >= run.locations.size() ||
          at[5] >= run.definitions.communicators.size()) {
        return file.damaged(fmt::format("table marks: row {} names what does not exist", row));
      }
      mark.messages.push_back({at[0], at[1], at[2], at[3], time[0] + mark.ticks,
                               time[1] + mark.ticks, time[2] + mark.ticks, time[3] + mark.ticks,
                               time[4], at[4], at[5]});
    }
  }
  if (auto status = read_operations(file, run, marks); !status) return status.error();
  return marks;
}

}  // namespace pathline::summary
