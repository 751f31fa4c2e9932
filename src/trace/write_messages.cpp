// SPDX-License-Identifier: BSD-3-Clause
#include "trace/write_messages.hpp"

#include <algorithm>
#include <functional>
#include <mutex>

#include "base/radix_sort.hpp"

namespace pathline::trace {
namespace {

constexpr uint32_t kNone = base::IdMap::kNone;
constexpr size_t kBlockRows = base::PackedColumn<uint64_t>::kBlock;
constexpr size_t kSliceMessages = 32768;

/// Times that cut the matched sends into slices of about the same number, for sorting in parallel.
std::vector<uint64_t> cut_times(const std::vector<RankEnds>& ranks, size_t message_count) {
  constexpr size_t kMaxSlices = 4096;
  constexpr size_t kSamplesPerSlice = 16;
  // Each looks for its borders in the sends of every rank.
  constexpr size_t kMessagesARank = 4;
  const size_t slices =
      std::min({kMaxSlices, message_count / kSliceMessages + 1,
                message_count / (kMessagesARank * std::max<size_t>(1, ranks.size())) + 1});
  const size_t stride = std::max<size_t>(1, message_count / (slices * kSamplesPerSlice));
  std::vector<uint64_t> samples;
  size_t next = stride / 2;
  for (const RankEnds& rank : ranks) {
    for (; next < rank.ends.sends.size(); next += stride) {
      samples.push_back(rank.ends.sends[next].ticks);
    }
    next -= rank.ends.sends.size();
  }
  std::sort(samples.begin(), samples.end());
  std::vector<uint64_t> cuts = {0};
  for (size_t i = 1; i < slices && !samples.empty(); ++i) {
    const uint64_t cut = samples[i * samples.size() / slices];
    if (cut > cuts.back()) cuts.push_back(cut);
  }
  return cuts;
}

/// Which sends of which rank belong to which slice.
class Borders {
 public:
  Borders(const std::vector<RankEnds>& ranks, const std::vector<uint64_t>& cuts,
          base::ThreadPool& pool)
      : slices_(cuts.size()), first_(ranks.size() * (cuts.size() + 1)), matched_(cuts.size(), 0) {
    std::mutex adding;
    const size_t pieces = (ranks.size() + kPiece - 1) / kPiece;
    pool.for_each(pieces, [&](size_t piece) {
      std::vector<size_t> matched(slices_, 0);
      const size_t end = std::min(ranks.size(), (piece + 1) * kPiece);
      for (size_t i = piece * kPiece; i < end; ++i) find(ranks[i], cuts, of_rank(i), matched);
      const std::lock_guard lock(adding);
      for (size_t slice = 0; slice < slices_; ++slice) matched_[slice] += matched[slice];
    });
  }
  /// The first send of a rank in a slice; of the slice behind the last one their number.
  [[nodiscard]] uint32_t first(size_t rank, size_t slice) const {
    return first_[rank * (slices_ + 1) + slice];
  }
  /// Sends of a slice that found a receive.
  [[nodiscard]] size_t matched(size_t slice) const { return matched_[slice]; }

 private:
  static constexpr size_t kPiece = 64;

  uint32_t* of_rank(size_t rank) { return first_.data() + rank * (slices_ + 1); }
  void find(const RankEnds& rank, const std::vector<uint64_t>& cuts, uint32_t* first,
            std::vector<size_t>& matched) const {
    const auto& sends = rank.ends.sends;
    size_t slice = 0;
    first[0] = 0;
    for (uint32_t i = 0; i < sends.size(); ++i) {
      while (slice + 1 < slices_ && sends[i].ticks >= cuts[slice + 1]) first[++slice] = i;
      if (rank.receive_of[i] != kNone) ++matched[slice];
    }
    while (slice < slices_) first[++slice] = static_cast<uint32_t>(sends.size());
  }

  size_t slices_;
  base::Column<uint32_t> first_;
  std::vector<size_t> matched_;
};

/// A row of Messages and the end that completes it.
struct Row {
  uint32_t sender;
  uint32_t receiver;
  uint64_t send_ticks;
  uint64_t send_end_ticks;
  uint64_t recv_post_ticks;
  uint64_t recv_ticks;
  uint64_t bytes;
  uint32_t tag;
  uint32_t comm;
  uint32_t send_location;
  uint32_t recv_location;
  uint32_t receive;  // Of the receiver.
  uint32_t sending;  // The send, if it goes on; or kNone.
};

/// Asks for what the next sends of a rank will take: first their list, then what it leads to.
void prefetch_ends(const RankEnds& rank, uint32_t first) {
  if (first >= rank.ends.sends.size()) return;
  __builtin_prefetch(&rank.receive_of[first]);
  __builtin_prefetch(&rank.ends.sends[first]);
}
void prefetch_ticks(const Trace& trace, const RankEnds& rank, uint32_t first) {
  if (first >= rank.ends.sends.size()) return;
  const Send& send = rank.ends.sends[first];
  const auto& ticks = trace.locations[send.location].events.ticks;
  const uint32_t event = send.end_event == kNone ? send.event : send.end_event;
  ticks.prefetch_block(event);
  ticks.prefetch(event);
  if (send.channel != kNone) __builtin_prefetch(&rank.ends.send_channels[send.channel]);
}

/// Appends the rows of one rank's sends from `first` to `end`, without what the receives tell.
void add_sends(const Trace& trace, const std::vector<RankEnds>& ranks, uint32_t sender,
               uint32_t first, uint32_t end, base::Column<Row>& rows) {
  const RankEnds& rank = ranks[sender];
  for (uint32_t i = first; i < end; ++i) {
    const uint32_t receive = rank.receive_of[i];
    if (receive == kNone) continue;
    const Send& send = rank.ends.sends[i];
    const Channel& channel = rank.ends.send_channels[send.channel];
    __builtin_prefetch(&ranks[channel.peer].ends.receives[receive]);
    const bool goes_on = send.end_event == kNone;
    const auto& ticks = trace.locations[send.location].events.ticks;
    rows.push_back({.sender = sender,
                    .receiver = channel.peer,
                    .send_ticks = send.ticks,
                    .send_end_ticks = goes_on ? send.ticks : ticks[send.end_event],
                    .recv_post_ticks = 0,
                    .recv_ticks = 0,
                    .bytes = send.bytes,
                    .tag = channel.tag,
                    .comm = channel.comm,
                    .send_location = send.location,
                    .recv_location = 0,
                    .receive = receive,
                    .sending = goes_on ? send.event : kNone});
  }
}

void add_receives(const Trace& trace, const std::vector<RankEnds>& ranks, base::Column<Row>& rows) {
  for (Row& row : rows) {
    const Receive& receive = ranks[row.receiver].ends.receives[row.receive];
    // Until the ticks are read, below.
    row.recv_post_ticks = receive.post_event == kNone ? receive.event : receive.post_event;
    row.recv_ticks = receive.event;
    row.recv_location = receive.location;
  }
  // Neighbours are of different receivers: ask early for what each will take.
  constexpr size_t kAhead = 12;
  const auto ticks_of = [&](const Row& row) -> const base::PackedColumn<uint64_t>& {
    return trace.locations[row.recv_location].events.ticks;
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i + 2 * kAhead < rows.size()) {
      const Row& far = rows[i + 2 * kAhead];
      ticks_of(far).prefetch_block(far.recv_post_ticks);
      ticks_of(far).prefetch_block(far.recv_ticks);
      const Row& near = rows[i + kAhead];
      ticks_of(near).prefetch(near.recv_post_ticks);
      ticks_of(near).prefetch(near.recv_ticks);
    }
    Row& row = rows[i];
    const Ends& ends = ranks[row.receiver].ends;
    row.recv_post_ticks = ends.post_ticks.empty() ? ticks_of(row)[row.recv_post_ticks]
                                                  : ends.posted(trace, ends.receives[row.receive]);
    row.recv_ticks = ticks_of(row)[row.recv_ticks];
  }
}

/// Completes the rows of one slice and writes them, from `first_row` on: time, then sender, then
/// the sender's own order.
void write_rows(const Trace& trace, const std::vector<RankEnds>& ranks, base::Column<Row>& rows,
                size_t first_row, Messages& messages, std::vector<OpenEnds::Sending>* sending) {
  add_receives(trace, ranks, rows);
  struct Order {
    uint64_t ticks;
    size_t row;
  };
  base::Column<Order> order(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) order[i] = {rows[i].send_ticks, i};
  base::radix_sort(order, [](const Order& one) { return one.ticks; });
  for (size_t i = 0; i < order.size(); ++i) {
    const Row& row = rows[order[i].row];
    const size_t to = first_row + i;
    messages.sender.set(to, row.sender);
    messages.receiver.set(to, row.receiver);
    messages.send_ticks.set(to, row.send_ticks);
    messages.send_end_ticks.set(to, row.send_end_ticks);
    messages.recv_post_ticks.set(to, row.recv_post_ticks);
    messages.recv_ticks.set(to, row.recv_ticks);
    messages.bytes.set(to, row.bytes);
    messages.tag.set(to, row.tag);
    messages.comm.set(to, row.comm);
    messages.send_location.set(to, row.send_location);
    messages.recv_location.set(to, row.recv_location);
    if (row.sending == kNone || sending == nullptr) continue;
    const Events& events = trace.locations[row.send_location].events;
    sending->push_back({static_cast<uint32_t>(i), events.point_to_point(row.sending).request});
  }
}

/// Appends the first `count` rows, a multiple of kBlockRows or all, and moves the others to the
/// front.
void pack_rows(Messages& rows, size_t count, base::ThreadPool& pool, Messages& messages) {
  std::vector<std::function<void()>> columns;
  for_each_column(messages, rows, [&](auto& to, auto& from) {
    columns.emplace_back([&to, plain = from.plain(), count] {
      to.append(plain.first(count));
      std::copy(plain.begin() + static_cast<ptrdiff_t>(count), plain.end(), plain.begin());
    });
  });
  pool.for_each(columns.size(), [&](size_t i) { columns[i](); });
}

/// All of a run, in the order of time, packed. A slice is a stretch of time.
void write_by_time(const std::vector<RankEnds>& ranks, base::ThreadPool& pool, Trace& trace) {
  size_t send_count = 0;
  for (const RankEnds& rank : ranks) send_count += rank.ends.sends.size();
  const std::vector<uint64_t> cuts = cut_times(ranks, send_count);
  const Borders borders(ranks, cuts, pool);
  // Rank by rank, as what is looked up stands together there; all of a slice stays in the cache.
  const auto rows_of = [&](size_t slice) {
    base::Column<Row> rows;
    rows.reserve(borders.matched(slice));
    constexpr size_t kAhead = 2;
    for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
      if (rank + 2 * kAhead < ranks.size()) {
        prefetch_ends(ranks[rank + 2 * kAhead], borders.first(rank + 2 * kAhead, slice));
        prefetch_ticks(trace, ranks[rank + kAhead], borders.first(rank + kAhead, slice));
      }
      add_sends(trace, ranks, rank, borders.first(rank, slice), borders.first(rank, slice + 1),
                rows);
    }
    return rows;
  };
  std::vector<size_t> first_row(cuts.size() + 1, 0);
  for (size_t slice = 0; slice < cuts.size(); ++slice) {
    first_row[slice + 1] = first_row[slice] + borders.matched(slice);
  }
  // A few slices at a time are written row by row and then packed.
  const size_t at_once = std::max<size_t>(4, 2 * size_t{pool.thread_count()});
  Messages rows;
  size_t kept = 0;  // Rows of the last time, which did not fill a block.
  for (size_t first = 0; first < cuts.size(); first += at_once) {
    const size_t last = std::min(first + at_once, cuts.size());
    rows.resize(kept + first_row[last] - first_row[first]);
    pool.for_each(last - first, [&](size_t i) {
      const size_t slice = first + i;
      base::Column<Row> of_slice = rows_of(slice);
      write_rows(trace, ranks, of_slice, kept + first_row[slice] - first_row[first], rows, nullptr);
    });
    kept = last < cuts.size() ? rows.size() % kBlockRows : 0;
    pack_rows(rows, rows.size() - kept, pool, trace.messages);
    if (first == 0) {
      for_each_column(trace.messages, rows,
                      [&](auto& column, auto&) { column.reserve(first_row.back()); });
    }
  }
  for_each_column(trace.messages, rows, [](auto& column, auto&) { column.shrink_to_fit(); });
}

/// A part of a run. A slice is of neighbouring ranks, in the order of time: these mostly talk to
/// their neighbours, so that whoever goes through the messages finds what he asks of both in the
/// cache, where in the order of time of ten thousands of ranks each would be a miss.
void write_by_ranks(const std::vector<RankEnds>& ranks, base::ThreadPool& pool, Trace& trace,
                    std::vector<OpenEnds::Sending>& sending) {
  struct Slice {
    uint32_t first_rank = 0;
    uint32_t first_send = 0;  // Of that.
    size_t first_row = 0;
  };
  std::vector<Slice> slices = {{}};
  size_t row = 0;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const auto& receive_of = ranks[rank].receive_of;
    for (uint32_t i = 0; i < receive_of.size(); ++i) {
      if (receive_of[i] == kNone) continue;
      if (row - slices.back().first_row == kSliceMessages) slices.push_back({rank, i, row});
      ++row;
    }
  }
  slices.push_back({static_cast<uint32_t>(ranks.size()), 0, row});

  trace.messages.resize(row);
  std::vector<std::vector<OpenEnds::Sending>> of_slice(slices.size() - 1);
  pool.for_each(of_slice.size(), [&](size_t k) {
    const Slice& slice = slices[k];
    const Slice& next = slices[k + 1];
    base::Column<Row> rows;
    rows.reserve(next.first_row - slice.first_row);
    for (uint32_t rank = slice.first_rank; rank < ranks.size() && rank <= next.first_rank; ++rank) {
      const auto count = static_cast<uint32_t>(ranks[rank].receive_of.size());
      add_sends(trace, ranks, rank, rank == slice.first_rank ? slice.first_send : 0,
                rank == next.first_rank ? next.first_send : count, rows);
    }
    write_rows(trace, ranks, rows, slice.first_row, trace.messages, &of_slice[k]);
  });
  for (size_t k = 0; k < of_slice.size(); ++k) {
    for (const OpenEnds::Sending& one : of_slice[k]) {
      sending.push_back({static_cast<uint32_t>(slices[k].first_row) + one.message, one.request});
    }
  }
}

}  // namespace

void write_messages(const std::vector<RankEnds>& ranks, base::ThreadPool& pool, Trace& trace,
                    std::vector<OpenEnds::Sending>* sending) {
  if (sending == nullptr) {
    write_by_time(ranks, pool, trace);
  } else {
    write_by_ranks(ranks, pool, trace, *sending);
  }
}

}  // namespace pathline::trace
