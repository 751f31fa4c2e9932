// SPDX-License-Identifier: BSD-3-Clause
#include "pyramid/pyramid.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>
#include <utility>

#include "base/radix_sort.hpp"

namespace pathline::pyramid {
namespace {

constexpr int kBinsPerNodeShift = 9;
/// The whole run takes 256 to 512 bins of the first node that has all of it; those above are for
/// small pictures and for views that have too many cells at full resolution.
constexpr int kNodesAboveRoot = 3;
constexpr uint64_t kBinsPerNode = uint64_t{1} << kBinsPerNodeShift;
/// Cells are kept if they are at most so many per record that would be read in their place.
constexpr double kWorthwhileRatio = 0.6;
/// A few bins tell whether cells are worthwhile, if they have enough records. The margin is for
/// those that these bins do not represent well.
constexpr uint64_t kSampleStride = 32;
constexpr uint64_t kMinSampleSize = 1024;
constexpr double kSampleMargin = 0.05;
/// Blocks larger than single rows are kept only if there are so many.
constexpr uint32_t kMinBlockCount = 64;
constexpr size_t kMaxSmallerBlockSizes = 3;

struct SendOrder {
  uint64_t send_ticks;
  uint64_t message;
};

template <class T>
void gather(std::span<const T> from, std::span<const SendOrder> order, base::Column<T>& to) {
  to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) to[i] = from[order[i].message];
}

}  // namespace

MessagePyramid MessagePyramid::build(const MessageColumns& columns, const PyramidLimits& limits,
                                     base::ThreadPool& pool) {
  assert(columns.recv_ticks.size() == columns.send_ticks.size());
  assert(columns.sender_row.size() == columns.send_ticks.size());
  assert(columns.receiver_row.size() == columns.send_ticks.size());
  assert(columns.weight.empty() || columns.weight.size() == columns.send_ticks.size());
  MessagePyramid pyramid;
  pyramid.columns_ = columns;
  const size_t message_count = columns.send_ticks.size();
  if (!std::is_sorted(columns.send_ticks.begin(), columns.send_ticks.end())) {
    pyramid.own_sorted(columns, pool);
  }
  pyramid.index_times(pool);
  pyramid.choose_row_shifts(limits);
  if (message_count == 0) return pyramid;
  pyramid.split(0, message_count, limits);
  pyramid.raise_root();
  std::map<uint32_t, std::vector<uint32_t>> by_rank;
  for (uint32_t i = 0; i < pyramid.nodes_.size(); ++i) {
    by_rank[pyramid.nodes_[i].rank].push_back(i);
  }
  for (const auto& entry : by_rank) {
    const std::vector<uint32_t>& nodes = entry.second;
    pool.for_each(nodes.size(), [&](size_t i) { pyramid.aggregate(nodes[i], limits); });
  }
  return pyramid;
}

void MessagePyramid::own_sorted(const MessageColumns& columns, base::ThreadPool& pool) {
  base::Column<SendOrder> order(columns.send_ticks.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = {columns.send_ticks[i], i};
  base::radix_sort(order, [](const SendOrder& row) { return row.send_ticks; });
  pool.for_each(5, [&](size_t column) {
    if (column == 0) gather(columns.send_ticks, order, own_send_ticks_);
    if (column == 1) gather(columns.recv_ticks, order, own_recv_ticks_);
    if (column == 2) gather(columns.sender_row, order, own_sender_row_);
    if (column == 3) gather(columns.receiver_row, order, own_receiver_row_);
    if (column == 4) gather(columns.weight, order, own_weight_);
  });
  columns_ = {own_send_ticks_.span(),   own_recv_ticks_.span(), own_sender_row_.span(),
              own_receiver_row_.span(), own_weight_.span(),     columns.row_count};
}

void MessagePyramid::index_times(base::ThreadPool& pool) {
  constexpr size_t kEntriesPerTask = 256;
  const size_t message_count = columns_.send_ticks.size();
  times_.resize((message_count + kTimesStride - 1) / kTimesStride);
  pool.for_each((times_.size() + kEntriesPerTask - 1) / kEntriesPerTask, [&](size_t task) {
    const size_t end = std::min(times_.size(), (task + 1) * kEntriesPerTask);
    for (size_t entry = task * kEntriesPerTask; entry < end; ++entry) {
      TimeRange range;
      const size_t last = std::min(message_count, (entry + 1) * kTimesStride);
      for (size_t i = entry * kTimesStride; i < last; ++i) {
        range.first = std::min({range.first, columns_.send_ticks[i], columns_.recv_ticks[i]});
        range.last = std::max({range.last, columns_.send_ticks[i], columns_.recv_ticks[i]});
      }
      times_[entry] = range;
    }
  });
}

MessagePyramid::TimeRange MessagePyramid::time_of(size_t begin, size_t end) const {
  TimeRange range;
  const auto extend = [&](uint64_t first, uint64_t last) {
    range.first = std::min(range.first, first);
    range.last = std::max(range.last, last);
  };
  for (size_t i = begin; i < end;) {
    if (i % kTimesStride == 0 && i + kTimesStride <= end) {
      extend(times_[i / kTimesStride].first, times_[i / kTimesStride].last);
      i += kTimesStride;
    } else {
      extend(std::min(columns_.send_ticks[i], columns_.recv_ticks[i]),
             std::max(columns_.send_ticks[i], columns_.recv_ticks[i]));
      ++i;
    }
  }
  return range;
}

uint32_t MessagePyramid::split(size_t begin, size_t end, const PyramidLimits& limits) {
  Node node{.begin = begin, .end = end, .time = {}, .cells = {}, .routes = {}};
  const uint64_t first = columns_.send_ticks[begin];
  const uint64_t last = columns_.send_ticks[end - 1];
  // The smallest aligned time that holds them all; so both its halves have messages.
  const int time_shift =
      std::max(static_cast<int>(std::bit_width(first ^ last)), kBinsPerNodeShift);
  node.bin_shift = time_shift - kBinsPerNodeShift;
  if (end - begin > limits.tile_message_count) {
    node.rank = 1;
    if (node.bin_shift > 0) {
      const uint64_t middle = (last >> (time_shift - 1)) << (time_shift - 1);
      const auto at =
          std::lower_bound(columns_.send_ticks.begin() + static_cast<ptrdiff_t>(begin),
                           columns_.send_ticks.begin() + static_cast<ptrdiff_t>(end), middle);
      const auto half = static_cast<size_t>(at - columns_.send_ticks.begin());
      node.left = split(begin, half, limits);
      node.right = split(half, end, limits);
      node.rank += std::max(nodes_[node.left].rank, nodes_[node.right].rank);
    }
  }
  if (node.left == kNone) {
    node.time = time_of(begin, end);
  } else {
    const TimeRange& left = nodes_[node.left].time;
    const TimeRange& right = nodes_[node.right].time;
    node.time = {std::min(left.first, right.first), std::max(left.last, right.last)};
  }
  nodes_.push_back(std::move(node));
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void MessagePyramid::raise_root() {
  for (int i = 0; i < kNodesAboveRoot; ++i) {
    const auto below = static_cast<uint32_t>(nodes_.size() - 1);
    Node node{.begin = nodes_[below].begin,
              .end = nodes_[below].end,
              .time = nodes_[below].time,
              .bin_shift = nodes_[below].bin_shift + 1,
              .left = below,
              .rank = nodes_[below].rank + 1,
              .cells = {},
              .routes = {}};
    if (nodes_[below].rank == 0 || node.bin_shift + kBinsPerNodeShift > 64) return;
    nodes_.push_back(std::move(node));
  }
}

void MessagePyramid::choose_row_shifts(const PyramidLimits& limits) {
  const MessageView all;
  const int full =
      floor_shift(all.max_cell_px * columns_.row_count / std::max(limits.height_px, 1));
  row_shifts_ = {0};
  for (int shift = full % 2; shift <= full + 2; shift += 2) {
    const bool is_near = full - shift <= 2 * static_cast<int>(kMaxSmallerBlockSizes);
    if (shift > 0 && shift < 32 && is_near && columns_.row_count >> shift >= kMinBlockCount) {
      row_shifts_.push_back(shift);
    }
  }
  const auto at = std::upper_bound(row_shifts_.begin(), row_shifts_.end(), full);
  full_height_level_ = static_cast<size_t>(at - row_shifts_.begin()) - 1;
}

void MessagePyramid::aggregate(uint32_t index, const PyramidLimits& limits) {
  Node& node = nodes_[index];
  node.routes.resize(row_shifts_.size());
  if (node.rank > 0) {
    node.cells.resize(row_shifts_.size());
    if (node.left != kNone) node.size_bytes += nodes_[node.left].size_bytes;
    if (node.right != kNone) node.size_bytes += nodes_[node.right].size_bytes;
  }
  for (size_t level = 0; level < row_shifts_.size(); ++level) {
    node.routes[level] = best_route(node, level);
  }
  if (node.rank == 0) return;
  // The first ones have the best chance to find room.
  aggregate_level(index, full_height_level_, limits);
  for (size_t level = 0; level < row_shifts_.size(); ++level) {
    if (level != full_height_level_) aggregate_level(index, level, limits);
  }
  for (size_t level = 0; level < row_shifts_.size(); ++level) {
    node.routes[level] = best_route(node, level);
  }
}

MessagePyramid::Route MessagePyramid::best_route(const Node& node, size_t level) const {
  Route best{.kind = Route::kMessages, .record_count = node.end - node.begin};
  if (node.left != kNone) {
    uint64_t count = nodes_[node.left].routes[level].record_count;
    if (node.right != kNone) count += nodes_[node.right].routes[level].record_count;
    best = {.kind = Route::kChildren, .record_count = count};
  }
  for (size_t cells = 0; cells <= level && cells < node.cells.size(); ++cells) {
    const MessageCells& candidate = node.cells[cells];
    if (candidate.is_finished() && candidate.size() <= best.record_count) {
      best = {Route::kCells, static_cast<uint8_t>(cells), candidate.size()};
    }
  }
  return best;
}

void MessagePyramid::collect(uint32_t index, size_t level, std::vector<Piece>& pieces) const {
  const Node& node = nodes_[index];
  const Route& route = node.routes[level];
  if (route.kind == Route::kChildren) {
    collect(node.left, level, pieces);
    if (node.right != kNone) collect(node.right, level, pieces);
  } else if (route.kind == Route::kCells) {
    pieces.push_back(
        {index, &node.cells[route.cells_level], {node.bin_shift, row_shifts_[route.cells_level]}});
  } else {
    pieces.push_back({index, nullptr, {}});
  }
}

void MessagePyramid::feed(CellAggregator& aggregator, int bin_shift, std::span<const Piece> pieces,
                          uint64_t first_bin, uint64_t last_bin) const {
  const auto ticks = columns_.send_ticks;
  for (const Piece& piece : pieces) {
    if (piece.cells != nullptr) {
      aggregator.add(*piece.cells, piece.size, first_bin, last_bin);
      continue;
    }
    const Node& node = nodes_[piece.node];
    const auto begin = ticks.begin() + static_cast<ptrdiff_t>(node.begin);
    const auto end = ticks.begin() + static_cast<ptrdiff_t>(node.end);
    const auto from = std::lower_bound(begin, end, first_bin << bin_shift);
    const auto until = std::upper_bound(begin, end, last_tick(last_bin, bin_shift));
    aggregator.add(columns_, static_cast<size_t>(from - ticks.begin()),
                   static_cast<size_t>(until - ticks.begin()));
  }
}

void MessagePyramid::aggregate_level(uint32_t index, size_t level, const PyramidLimits& limits) {
  Node& node = nodes_[index];
  const Route source = best_route(node, level);
  node.routes[level] = source;
  std::vector<Piece> pieces;
  collect(index, level, pieces);
  const CellSize size{node.bin_shift, row_shifts_[level]};
  const uint64_t first_bin =
      (columns_.send_ticks[node.begin] >> node.bin_shift) / kBinsPerNode * kBinsPerNode;
  // Half of what is left at most: so there is always room for larger cells, which take less.
  const double budget = limits.bytes_per_message * static_cast<double>(node.end - node.begin);
  const double room = (budget - static_cast<double>(node.size_bytes)) / 2;
  const auto sources = static_cast<double>(source.record_count);
  const auto is_worthwhile = [&](double cell_count, double bytes, double margin) {
    return cell_count <= (kWorthwhileRatio + margin) * sources && bytes <= room * (1 + margin);
  };
  uint64_t sampled = 0;
  double some_count = 0;
  double some_bytes = 0;
  // Bins 16, 48 ...; then 8, 40 ...; 24, 56 ...; 4, 36 ... until there are enough records.
  uint64_t step = kSampleStride;
  uint64_t first = step / 2;
  while (sampled < kMinSampleSize && step > 2) {
    MessageCells some;
    CellAggregator sample(size, columns_.row_count, some);
    for (uint64_t bin = first; bin < kBinsPerNode; bin += kSampleStride) {
      feed(sample, node.bin_shift, pieces, first_bin + bin, first_bin + bin);
    }
    sample.finish();
    sampled += sample.added_count();
    some_count += static_cast<double>(some.size());
    some_bytes += static_cast<double>(some.size_bytes());
    first += step;
    if (first >= kSampleStride) {
      step /= 2;
      first = step / 2;
    }
  }
  const double scale = sources / std::max(static_cast<double>(sampled), 1.0);
  if (sampled >= kMinSampleSize &&
      !is_worthwhile(scale * some_count, scale * some_bytes, kSampleMargin)) {
    return;
  }
  MessageCells cells;
  CellAggregator aggregator(size, columns_.row_count, cells);
  feed(aggregator, node.bin_shift, pieces, first_bin, first_bin + kBinsPerNode - 1);
  aggregator.finish();
  if (!is_worthwhile(static_cast<double>(cells.size()), static_cast<double>(cells.size_bytes()),
                     0)) {
    return;
  }
  node.size_bytes += cells.size_bytes();
  node.cells[level] = std::move(cells);
}

size_t MessagePyramid::size_bytes() const {
  size_t bytes =
      sizeof *this + times_.capacity() * sizeof(TimeRange) + nodes_.capacity() * sizeof(Node) +
      row_shifts_.capacity() * sizeof(int) + own_send_ticks_.capacity() * sizeof(uint64_t) +
      own_recv_ticks_.capacity() * sizeof(uint64_t) +
      own_sender_row_.capacity() * sizeof(uint32_t) +
      own_receiver_row_.capacity() * sizeof(uint32_t) + own_weight_.capacity() * sizeof(uint64_t);
  for (const Node& node : nodes_) {
    bytes += node.routes.capacity() * sizeof(Route) + node.cells.capacity() * sizeof(MessageCells);
    for (const MessageCells& cells : node.cells) bytes += cells.size_bytes();
  }
  return bytes;
}

std::vector<PyramidLevel> MessagePyramid::levels() const {
  std::map<std::pair<int, int>, PyramidLevel> levels;
  MessageCells::Rows rows;
  for (const Node& node : nodes_) {
    for (size_t i = 0; i < node.cells.size(); ++i) {
      const MessageCells& cells = node.cells[i];
      if (!cells.is_finished()) continue;
      PyramidLevel& level = levels[{node.bin_shift, row_shifts_[i]}];
      level.size = {node.bin_shift, row_shifts_[i]};
      level.cell_count += cells.size();
      level.size_bytes += cells.size_bytes();
      for (const MessageCells::Block& block : cells.blocks()) {
        cells.unpack(block, rows);
        for (size_t row = 0; row < rows.size; ++row) level.message_count += rows.count[row];
      }
    }
  }
  std::vector<PyramidLevel> list;
  for (const auto& [size, level] : levels) list.push_back(level);
  return list;
}

}  // namespace pathline::pyramid
