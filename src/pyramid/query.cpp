// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <tuple>

#include "pyramid/pyramid.hpp"

namespace pathline::pyramid {
namespace {

/// a - b, which may be negative.
double difference(uint64_t a, uint64_t b) {
  return a >= b ? static_cast<double>(a - b) : -static_cast<double>(b - a);
}

uint32_t visible_row_count(const MessageView& view, uint32_t row_count) {
  const uint32_t until = std::min(view.row_until, row_count);
  return until > view.row_from ? until - view.row_from : 0;
}

double ticks_of(const MessageView& view) {
  return difference(view.until_ticks, view.from_ticks) + 1;
}

}  // namespace

/// Writes the records of one view.
class MessagePyramid::Reader {
 public:
  Reader(const MessagePyramid& pyramid, const MessageView& view, MessageRecords& records)
      : columns_(pyramid.columns_), times_(pyramid.times_), view_(view), records_(records) {
    row_until_ = std::min(view.row_until, columns_.row_count);
    sees_all_rows_ = view.row_from == 0 && row_until_ == columns_.row_count;
    records_.cut_count = 0;
  }

  void read_messages(size_t begin, size_t end) {
    const size_t first = used_;
    for (size_t i = begin; i < end;) {
      const size_t next = std::min(end, (i / kTimesStride + 1) * kTimesStride);
      const TimeRange& time = times_[i / kTimesStride];
      if (time.last >= view_.from_ticks && time.first <= view_.until_ticks) {
        read_stride(i, next);
      }
      i = next;
    }
    sort_simultaneous(first);
  }

  void read_cells(const MessageCells& cells, CellSize size) {
    for (const MessageCells::Block& block : cells.blocks()) {
      const uint64_t first = block.first_bin << size.bin_shift;
      const uint64_t last = last_tick(block.last_bin, size.bin_shift);
      if (last < view_.from_ticks || first > view_.until_ticks) continue;
      cells.unpack(block, rows_);
      if (!sees_all_rows_ || first < view_.from_ticks || last > view_.until_ticks) choose(size);
      reserve(rows_.size);
      constexpr uint64_t kFar = uint64_t{1} << 62;
      const bool is_near = (first >= view_.from_ticks || view_.from_ticks - first < kFar) &&
                           (last <= view_.from_ticks || last - view_.from_ticks < kFar);
      if (rows_.is_narrow && is_near) {
        place_near(size.bin_shift);
      } else {
        place_any(size.bin_shift);
      }
      place_rows(size.row_shift);
      used_ += rows_.size;
    }
  }

  /// Makes room once for what is known to come.
  void expect(uint64_t count) {
    constexpr uint64_t kMost = uint64_t{1} << 24;
    if (count > records_.size()) resize(std::min(count, kMost));
  }

  void finish() { resize(used_); }

 private:
  void resize(size_t size) {
    records_.send_ticks.resize(size);
    records_.recv_ticks.resize(size);
    records_.sender.resize(size);
    records_.receiver.resize(size);
    records_.count.resize(size);
    records_.weight.resize(size);
  }

  /// Makes room for more records than are used.
  void reserve(size_t more) {
    if (used_ + more <= records_.size()) return;
    resize(std::max(used_ + more, records_.count.capacity()));
    if (used_ + more == records_.size()) resize(records_.size() + records_.size() / 2);
  }

  void read_stride(size_t begin, size_t end) {
    reserve(end - begin);
    for (size_t i = begin; i < end; ++i) {
      const uint64_t send = columns_.send_ticks[i];
      const uint64_t recv = columns_.recv_ticks[i];
      const uint32_t sender = columns_.sender_row[i];
      const uint32_t receiver = columns_.receiver_row[i];
      records_.send_ticks[used_] = difference(send, view_.from_ticks);
      records_.recv_ticks[used_] = difference(recv, view_.from_ticks);
      records_.sender[used_] = static_cast<float>(sender) + 0.5F;
      records_.receiver[used_] = static_cast<float>(receiver) + 0.5F;
      records_.count[used_] = 1;
      records_.weight[used_] =
          columns_.weight.empty() ? 1 : static_cast<double>(columns_.weight[i]);
      const uint32_t low = std::min(sender, receiver);
      const uint32_t high = std::max(sender, receiver);
      used_ += std::max(send, recv) >= view_.from_ticks &&
                       std::min(send, recv) <= view_.until_ticks && high >= view_.row_from &&
                       low < row_until_ && high < columns_.row_count
                   ? 1
                   : 0;
    }
  }

  /// Messages sent at the same tick have no order of their own.
  void sort_simultaneous(size_t first) {
    const auto& send = records_.send_ticks;
    for (size_t i = first; i < used_;) {
      size_t end = i + 1;
      while (end < used_ && send[end] == send[i]) ++end;
      if (end - i > 1) sort_rows(i, end);
      i = end;
    }
  }

  void sort_rows(size_t begin, size_t end) {
    struct Row {
      double recv;
      float sender;
      float receiver;
      double weight;
    };
    const auto key = [](const Row& r) {
      return std::tuple(r.recv, r.sender, r.receiver, r.weight);
    };
    base::Column<Row> rows(end - begin);
    for (size_t i = begin; i < end; ++i) {
      rows[i - begin] = {records_.recv_ticks[i], records_.sender[i], records_.receiver[i],
                         records_.weight[i]};
    }
    std::sort(rows.begin(), rows.end(),
              [&](const Row& a, const Row& b) { return key(a) < key(b); });
    for (size_t i = begin; i < end; ++i) {
      const Row& row = rows[i - begin];
      records_.recv_ticks[i] = row.recv;
      records_.sender[i] = row.sender;
      records_.receiver[i] = row.receiver;
      records_.weight[i] = row.weight;
    }
  }

  /// Keeps the cells of rows_ that touch the view, or may.
  void choose(CellSize size) {
    size_t kept = 0;
    for (size_t i = 0; i < rows_.size; ++i) {
      const uint64_t send_last = last_tick(rows_.send_bin[i], size.bin_shift);
      const uint64_t recv_last = last_tick(rows_.recv_bin[i], size.bin_shift);
      const uint64_t send_first = rows_.send_bin[i] << size.bin_shift;
      const uint64_t recv_first = rows_.recv_bin[i] << size.bin_shift;
      const uint64_t upper = std::min(rows_.sender[i], rows_.receiver[i]) << size.row_shift;
      const uint64_t lower = std::max(rows_.sender[i], rows_.receiver[i]) << size.row_shift;
      const uint64_t block_rows = uint64_t{1} << size.row_shift;
      const uint64_t row_count = columns_.row_count;
      const bool may_touch = std::max(send_last, recv_last) >= view_.from_ticks &&
                             std::min(send_first, recv_first) <= view_.until_ticks &&
                             std::min(lower + block_rows, row_count) > view_.row_from &&
                             upper < row_until_;
      if (!may_touch) continue;
      const bool touches = std::max(send_first, recv_first) >= view_.from_ticks &&
                           std::min(send_last, recv_last) <= view_.until_ticks &&
                           lower >= view_.row_from &&
                           std::min(upper + block_rows, row_count) <= row_until_;
      if (!touches) records_.cut_count += rows_.count[i];
      rows_.keep(i, kept++);
    }
    rows_.size = kept;
  }

  /// Times and sums that fit 64 bits.
  void place_near(int bin_shift) {
    double* send = records_.send_ticks.data() + used_;
    double* recv = records_.recv_ticks.data() + used_;
    double* weight = records_.weight.data() + used_;
    uint64_t* count = records_.count.data() + used_;
    for (size_t i = 0; i < rows_.size; ++i) {
      const auto begin = static_cast<double>(
          static_cast<int64_t>((rows_.send_bin[i] << bin_shift) - view_.from_ticks));
      const auto members = static_cast<double>(static_cast<int64_t>(rows_.count[i]));
      const auto sent = static_cast<int64_t>(rows_.send_ticks[i]);
      const uint64_t zigzag = rows_.latency_zigzag[i];
      const auto latency = static_cast<int64_t>((zigzag >> 1) ^ (0 - (zigzag & 1)));
      send[i] = begin + static_cast<double>(sent) / members;
      recv[i] = begin + static_cast<double>(sent + latency) / members;
      weight[i] = static_cast<double>(rows_.weight[i]);
      count[i] = rows_.count[i];
    }
  }

  void place_any(int bin_shift) {
    for (size_t i = 0; i < rows_.size; ++i) {
      const MessageCell cell = rows_.cell(i);
      const Int128 begin = Int128{cell.send_bin << bin_shift} - Int128{view_.from_ticks};
      const Int128 sent = static_cast<Int128>(cell.send_ticks) + begin * Int128{cell.count};
      const auto members = static_cast<double>(cell.count);
      records_.send_ticks[used_ + i] = static_cast<double>(sent) / members;
      records_.recv_ticks[used_ + i] = static_cast<double>(sent + cell.latency_ticks) / members;
      records_.weight[used_ + i] = static_cast<double>(cell.weight);
      records_.count[used_ + i] = cell.count;
    }
  }

  void place_rows(int row_shift) {
    const auto middle = [&](uint64_t block) {
      const auto begin = static_cast<int64_t>(block << row_shift);
      const int64_t end = std::min<int64_t>(begin + (int64_t{1} << row_shift), columns_.row_count);
      return static_cast<float>(begin + end) * 0.5F;
    };
    float* sender = records_.sender.data() + used_;
    float* receiver = records_.receiver.data() + used_;
    for (size_t i = 0; i < rows_.size; ++i) {
      sender[i] = middle(rows_.sender[i]);
      receiver[i] = middle(rows_.receiver[i]);
    }
  }

  const MessageColumns& columns_;
  const base::Column<TimeRange>& times_;
  const MessageView& view_;
  MessageRecords& records_;
  uint32_t row_until_ = 0;
  bool sees_all_rows_ = false;
  size_t used_ = 0;
  MessageCells::Rows rows_;
};

void MessagePyramid::plan(uint32_t index, int bin_shift, size_t level, const MessageView& view,
                          std::vector<Piece>& pieces) const {
  const Node& node = nodes_[index];
  if (node.time.last < view.from_ticks || node.time.first > view.until_ticks) return;
  const Route& route = node.routes[level];
  const bool is_fine = node.bin_shift <= bin_shift;
  if (node.rank > 0 && is_fine && route.kind == Route::kCells) {
    pieces.push_back(
        {index, &node.cells[route.cells_level], {node.bin_shift, row_shifts_[route.cells_level]}});
  } else if (node.left == kNone || (is_fine && route.kind == Route::kMessages)) {
    pieces.push_back({index, nullptr, {}});
  } else {
    plan(node.left, bin_shift, level, view, pieces);
    if (node.right != kNone) plan(node.right, bin_shift, level, view, pieces);
  }
}

uint64_t MessagePyramid::record_count(std::span<const Piece> pieces,
                                      const MessageView& view) const {
  uint64_t count = 0;
  const auto ticks = columns_.send_ticks;
  for (const Piece& piece : pieces) {
    const Node& node = nodes_[piece.node];
    if (piece.cells == nullptr) {
      const auto begin = ticks.begin() + static_cast<ptrdiff_t>(node.begin);
      const auto end = ticks.begin() + static_cast<ptrdiff_t>(node.end);
      count += static_cast<uint64_t>(std::upper_bound(begin, end, view.until_ticks) -
                                     std::lower_bound(begin, end, view.from_ticks));
    } else if (node.time.first >= view.from_ticks && node.time.last <= view.until_ticks) {
      count += piece.cells->size();
    } else {
      for (const MessageCells::Block& block : piece.cells->blocks()) {
        if (last_tick(block.last_bin, node.bin_shift) >= view.from_ticks &&
            block.first_bin << node.bin_shift <= view.until_ticks) {
          count += block.size;
        }
      }
    }
  }
  return count;
}

uint64_t MessagePyramid::count_sent_outside(uint32_t index, const MessageView& view) const {
  const Node& node = nodes_[index];
  if (node.time.last < view.from_ticks || node.time.first > view.until_ticks) return 0;
  const auto send = columns_.send_ticks;
  if (send[node.begin] >= view.from_ticks && send[node.end - 1] <= view.until_ticks) return 0;
  if (node.left != kNone) {
    return count_sent_outside(node.left, view) +
           (node.right == kNone ? 0 : count_sent_outside(node.right, view));
  }
  uint64_t count = 0;
  for (size_t i = node.begin; i < node.end;) {
    const size_t next = std::min(node.end, (i / kTimesStride + 1) * kTimesStride);
    const TimeRange& time = times_[i / kTimesStride];
    const bool touches = time.last >= view.from_ticks && time.first <= view.until_ticks;
    for (; touches && i < next; ++i) {
      const uint64_t recv = columns_.recv_ticks[i];
      count += (send[i] < view.from_ticks && recv >= view.from_ticks) ||
                       (send[i] > view.until_ticks && recv <= view.until_ticks)
                   ? 1
                   : 0;
    }
    i = next;
  }
  return count;
}

bool MessagePyramid::has_few_messages(const MessageView& view) const {
  const auto ticks = columns_.send_ticks;
  const auto inside =
      static_cast<uint64_t>(std::upper_bound(ticks.begin(), ticks.end(), view.until_ticks) -
                            std::lower_bound(ticks.begin(), ticks.end(), view.from_ticks));
  const auto root = static_cast<uint32_t>(nodes_.size() - 1);
  return inside <= view.max_message_count &&
         inside + count_sent_outside(root, view) <= view.max_message_count;
}

void MessagePyramid::plan_cells(const MessageView& view, MessageRecords& records,
                                std::vector<Piece>& pieces) const {
  const auto root = static_cast<uint32_t>(nodes_.size() - 1);
  const auto row_count = static_cast<double>(visible_row_count(view, columns_.row_count));
  const double px_per_tick = view.width_px / ticks_of(view);
  const double px_per_row = view.height_px / row_count;
  int bin_shift = floor_shift(view.max_cell_px / px_per_tick);
  const int row_shift = floor_shift(view.max_cell_px / px_per_row);
  const auto above = std::upper_bound(row_shifts_.begin(), row_shifts_.end(), row_shift);
  size_t level = static_cast<size_t>(above - row_shifts_.begin()) - 1;
  // Of a view of few rows most cells read are not in it; reading them costs less than having them.
  constexpr double kReadsPerRecord = 2;
  const double share = std::max(row_count / columns_.row_count, 1 / kReadsPerRecord);
  while (true) {
    pieces.clear();
    plan(root, bin_shift, level, view, pieces);
    records.cell_size = {bin_shift, row_shifts_[level]};
    if (view.max_record_count == 0) return;
    const double estimate = static_cast<double>(record_count(pieces, view)) * share;
    if (estimate <= static_cast<double>(view.max_record_count)) return;
    // The smaller side of the cells grows.
    const bool rows_can_grow = level + 1 < row_shifts_.size();
    const bool time_can_grow = bin_shift < nodes_[root].bin_shift;
    if (!rows_can_grow && !time_can_grow) return;
    const double width = px_per_tick * std::ldexp(1.0, bin_shift);
    const double height = px_per_row * std::ldexp(1.0, row_shifts_[level]);
    if (time_can_grow && (width <= height || !rows_can_grow)) {
      ++bin_shift;
    } else {
      ++level;
    }
  }
}

void MessagePyramid::query(const MessageView& view, MessageRecords& records) const {
  Reader reader(*this, view, records);
  records.is_exact = true;
  records.cell_size = {};
  const bool is_empty = view.from_ticks > view.until_ticks || !(view.width_px > 0) ||
                        !(view.height_px > 0) || visible_row_count(view, columns_.row_count) == 0;
  if (!is_empty && !nodes_.empty()) {
    std::vector<Piece> pieces;
    records.is_exact = has_few_messages(view);
    if (records.is_exact) {
      plan(static_cast<uint32_t>(nodes_.size() - 1), -1, 0, view, pieces);
    } else {
      plan_cells(view, records, pieces);
    }
    reader.expect(record_count(pieces, view) + kTimesStride);
    for (const Piece& piece : pieces) {
      const Node& node = nodes_[piece.node];
      if (piece.cells == nullptr) {
        reader.read_messages(node.begin, node.end);
      } else {
        reader.read_cells(*piece.cells, piece.size);
      }
    }
  }
  reader.finish();
}

}  // namespace pathline::pyramid
