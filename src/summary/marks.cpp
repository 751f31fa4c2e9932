// SPDX-License-Identifier: BSD-3-Clause
#include "summary/marks.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/varint.hpp"

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

namespace {

/// Numbers of one row after the other, most of which are small.
class RowWriter {
 public:
  void put(uint64_t value) { end_ = base::put_varint(end_, value); }
  /// The difference to `from`, which is small.
  void put(uint64_t value, uint64_t from) { put(base::zigzag(static_cast<int64_t>(value - from))); }
  void append_to(base::ByteList& list) {
    list.append({row_.data(), static_cast<size_t>(end_ - row_.data())});
  }

 private:
  static constexpr size_t kMostNumbers = 11;
  std::array<uint8_t, kMostNumbers * base::kMaxVarintBytes> row_;
  uint8_t* end_ = row_.data();
};

class RowReader {
 public:
  explicit RowReader(const base::ByteList& list) { list.copy_to(bytes_); }
  uint64_t get() {
    uint64_t value = 0;
    const uint8_t* const behind =
        base::get_varint(bytes_.data() + next_, bytes_.data() + bytes_.size(), value);
    assert(behind != nullptr);
    next_ = static_cast<size_t>(behind - bytes_.data());
    return value;
  }
  uint64_t get(uint64_t from) { return from + static_cast<uint64_t>(base::unzigzag(get())); }
  uint32_t get32() { return static_cast<uint32_t>(get()); }
  uint32_t get32(uint64_t from) { return static_cast<uint32_t>(get(from)); }

 private:
  std::vector<uint8_t> bytes_;
  size_t next_ = 0;
};

void put(const MarkedMessage& one, uint64_t mark_ticks, base::ByteList& list) {
  RowWriter row;
  row.put(one.sender);
  row.put(one.receiver, one.sender);
  row.put(one.send_location, one.sender);
  row.put(one.recv_location, one.receiver);
  row.put(one.send_ticks, mark_ticks);
  row.put(one.send_end_ticks, one.send_ticks);
  row.put(one.recv_post_ticks, one.send_ticks);
  row.put(one.recv_ticks, one.send_ticks);
  row.put(one.bytes);
  row.put(one.tag);
  row.put(one.comm);
  row.append_to(list);
}
MarkedMessage get_message(uint64_t mark_ticks, RowReader& row) {
  MarkedMessage one;
  one.sender = row.get32();
  one.receiver = row.get32(one.sender);
  one.send_location = row.get32(one.sender);
  one.recv_location = row.get32(one.receiver);
  one.send_ticks = row.get(mark_ticks);
  one.send_end_ticks = row.get(one.send_ticks);
  one.recv_post_ticks = row.get(one.send_ticks);
  one.recv_ticks = row.get(one.send_ticks);
  one.bytes = row.get();
  one.tag = row.get32();
  one.comm = row.get32();
  return one;
}

/// As differences to the operation before.
void put(const trace::BegunOperation& one, const trace::BegunOperation& last, uint64_t mark_ticks,
         base::ByteList& list) {
  RowWriter row;
  row.put(one.comm, last.comm);
  row.put(one.number, last.number);
  row.put(one.location, last.location);
  row.put(one.end_ticks == 0 ? 0 : one.end_ticks - mark_ticks + 1);
  row.append_to(list);
}
trace::BegunOperation get_operation(const trace::BegunOperation& last, uint64_t mark_ticks,
                                    RowReader& row) {
  trace::BegunOperation one{};
  one.comm = row.get32(last.comm);
  one.number = row.get32(last.number);
  one.location = row.get32(last.location);
  const uint64_t end = row.get();
  one.end_ticks = end == 0 ? 0 : mark_ticks + end - 1;
  return one;
}

}  // namespace

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
  lay_out(distance_ > 0 ? parts - 1 : 0);
}

GrowingMarks::GrowingMarks(uint64_t begin, uint64_t distance, uint64_t count)
    : begin_(begin), distance_(distance), most_operations_(kMostMessages) {
  lay_out(count);
}

void GrowingMarks::lay_out(uint64_t count) {
  instants_.resize(count);
  for (uint64_t k = 0; k < count; ++k) instants_[k].ticks = begin_ + (k + 1) * distance_;
}

/// Of a run on many ranks all may be under way: what they hold would be gigabytes.
void GrowingMarks::Rows::leave_out() {
  are_too_many = true;
  bytes.clear();
}

/// How many are at or before it.
uint64_t GrowingMarks::instants_until(uint64_t ticks) const {
  return ticks < begin_ ? 0 : std::min<uint64_t>((ticks - begin_) / distance_, instants_.size());
}

void GrowingMarks::add(const trace::Messages& messages) {
  if (instants_.empty()) return;
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
      Rows& rows = instants_[k].messages;
      if (rows.are_too_many) continue;
      put(one, instants_[k].ticks, rows.bytes);
      if (++rows.count > kMostMessages) rows.leave_out();
    }
  }
}

void GrowingMarks::add(const std::vector<trace::CollectivePart>& members, bool is_whole) {
  if (instants_.empty()) return;
  uint64_t first_ticks = UINT64_MAX;
  uint64_t last_ticks = is_whole ? 0 : UINT64_MAX;
  for (const trace::CollectivePart& one : members) {
    first_ticks = std::min(first_ticks, one.begin_ticks);
    last_ticks = std::max(last_ticks, one.end_ticks);
  }
  const uint64_t end = instants_until(last_ticks);
  for (uint64_t k = instants_until(first_ticks); k < end; ++k) {
    Instant& at = instants_[k];
    if (at.operations.are_too_many) continue;
    for (const trace::CollectivePart& member : members) {
      if (member.begin_ticks >= at.ticks) continue;
      const trace::BegunOperation one{member.comm, member.sequence, member.location,
                                      member.end_ticks < at.ticks ? 0 : member.end_ticks};
      put(one, at.last, at.ticks, at.operations.bytes);
      at.last = one;
      ++at.operations.count;
    }
    if (at.operations.count > most_operations_) at.operations.leave_out();
  }
}

void GrowingMarks::spill(base::SpillFile& file, uint64_t most_bytes) {
  uint64_t bytes = 0;
  for (const Instant& at : instants_) {
    bytes += at.messages.bytes.bytes_in_memory() + at.operations.bytes.bytes_in_memory();
  }
  if (bytes <= most_bytes) return;
  for (Instant& at : instants_) {
    at.messages.bytes.spill(file);
    at.operations.bytes.spill(file);
  }
}

void GrowingMarks::pack(base::Packer& out) const {
  for (const Instant& at : instants_) {
    out.put(uint8_t{at.messages.are_too_many});
    out.put(at.messages.count);
    std::vector<uint8_t> bytes;
    at.messages.bytes.copy_to(bytes);
    out.put_list(bytes);
  }
}

void GrowingMarks::take(base::Unpacker& in) {
  for (Instant& at : instants_) {
    Rows& rows = at.messages;
    const bool are_too_many = in.get<uint8_t>() != 0;
    rows.count += in.get<uint32_t>();
    const auto more = in.list<uint8_t>();
    if (are_too_many || rows.are_too_many || rows.count > kMostMessages) {
      rows.leave_out();
    } else {
      rows.bytes.append(more);
    }
  }
}

Marks GrowingMarks::finish() {
  Marks marks;
  for (Instant& at : instants_) {
    if (at.messages.are_too_many) continue;
    Mark& mark = marks.emplace_back(Mark{at.ticks, {}, {}, !at.operations.are_too_many});
    RowReader messages(at.messages.bytes);
    mark.messages.reserve(at.messages.count);
    for (uint32_t i = 0; i < at.messages.count; ++i) {
      mark.messages.push_back(get_message(at.ticks, messages));
    }
    std::sort(
        mark.messages.begin(), mark.messages.end(),
        [](const MarkedMessage& a, const MarkedMessage& b) { return order_of(a) < order_of(b); });
    if (mark.knows_operations) {
      RowReader operations(at.operations.bytes);
      mark.operations.reserve(at.operations.count);
      trace::BegunOperation last{};
      for (uint32_t i = 0; i < at.operations.count; ++i) {
        last = get_operation(last, at.ticks, operations);
        mark.operations.push_back(last);
      }
      number_from_first(mark.operations);
    }
    at.messages.bytes.clear();
    at.operations.bytes.clear();
  }
  instants_.clear();
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
