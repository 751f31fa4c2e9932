// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/column.hpp"
#include "base/thread_pool.hpp"
#include "pyramid/cell_aggregator.hpp"
#include "pyramid/cells.hpp"

namespace pathline::pyramid {

struct PyramidLimits {
  /// Times in which fewer messages were sent keep no cells: the messages are read themselves.
  size_t tile_message_count = size_t{1} << 18;
  /// Cells that would need more are not kept, and finer ones are read in their place.
  double bytes_per_message = 11.9;
  /// Height of the plot on which all rows are expected to be seen; decides which blocks of rows
  /// are kept besides single rows.
  int height_px = 1080;
};

/// The part of the picture that is seen. A message touches it if the box around its line does: it
/// is sent, under way or received from from_ticks to until_ticks, both included, and has an end or
/// passes in the rows from row_from to before row_until.
struct MessageView {
  uint64_t from_ticks = 0;
  uint64_t until_ticks = 0;
  uint32_t row_from = 0;
  uint32_t row_until = UINT32_MAX;
  double width_px = 1920;
  double height_px = 1080;
  /// Cells may be as wide and high as this, or one tick or row where that is larger.
  double max_cell_px = 4;
  /// Up to so many messages that touch the time are given one by one.
  size_t max_message_count = size_t{1} << 19;
  /// Rather than more records (estimated) cells grow beyond max_cell_px. 0: never.
  size_t max_record_count = size_t{1} << 21;
};

/// What a view has to draw, one row per record: a message, or all messages of one cell. Order: by
/// time of sending, bin by bin; the same for any order of the input. Reuse one object for many
/// queries: its memory is kept.
struct MessageRecords {
  base::Column<double> send_ticks;  ///< Since from_ticks; of a cell the exact mean, rounded once.
  base::Column<double> recv_ticks;
  base::Column<float> sender;  ///< In rows: 0.5 is the middle of row 0; of a cell its middle.
  base::Column<float> receiver;
  base::Column<uint64_t> count;
  base::Column<double> weight;  ///< The exact sum, rounded once.
  /// Every record is a message, and they are exactly those that touch the view.
  bool is_exact = false;
  /// Messages in cells that may or may not touch the view, because the view's border cuts them.
  /// They are included whole, so the messages that touch the view are at least the sum of count
  /// minus this, and at most the sum of count.
  uint64_t cut_count = 0;
  /// The largest cells that were allowed. All that were used are as large or smaller.
  CellSize cell_size;

  [[nodiscard]] size_t size() const { return count.size(); }
};

/// What is kept for one size of cells, for reports and tests.
struct PyramidLevel {
  CellSize size;
  uint64_t cell_count = 0;
  uint64_t message_count = 0;  ///< In these cells.
  size_t size_bytes = 0;
};

/// An index over the messages of a run from which a view gets what it has to draw in time
/// proportional to its pixels: a pyramid of resolutions.
///
/// A binary tree over time. A node has the time of 512 bins, and cells (from bin and block of rows
/// to bin and block of rows) with the exact sums of their messages, for single rows and for a few
/// sizes of blocks. A leaf has no cells; its messages are read, with the earliest and latest time
/// of every 1024 of them to skip those that are over before a view, or begin after it. Cells that
/// save little compared to what is below are not kept: the node then answers with finer cells or
/// messages, which is as exact and costs about the same. So a bin of any width is answered from as
/// many records as it has occupied cells, times a small factor.
///
/// columns  sorted by send time, as trace::Messages are, they are not copied and must live as long
///          as the pyramid; else they are copied.
/// memory   at most bytes_per_message, plus a few kB and that copy.
/// threads  immutable once built; any number of threads may ask.
class MessagePyramid {
 public:
  /// columns  as long as each other.
  /// cost     O(messages), parallel over parts of the time; a few passes if sorted by send time.
  ///          Independent of the thread count.
  static MessagePyramid build(const MessageColumns& columns, const PyramidLimits& limits,
                              base::ThreadPool& pool);

  /// records  replaced. Empty for a view without time, rows or pixels.
  /// cost     O(records read), at most a few times those returned unless the view shows few of the
  ///          rows; about 10 ns each.
  void query(const MessageView& view, MessageRecords& records) const;

  [[nodiscard]] size_t size_bytes() const;
  /// By bin_shift, then row_shift.
  [[nodiscard]] std::vector<PyramidLevel> levels() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kTimesStride = 1024;  ///< Messages per entry of times_.

  struct TimeRange {
    uint64_t first = UINT64_MAX;  ///< The earliest send or receive.
    uint64_t last = 0;            ///< The latest.
  };
  /// Where the answer for one size of blocks comes from, and how many records it has.
  struct Route {
    enum Kind : uint8_t { kMessages, kCells, kChildren };
    Kind kind = kMessages;
    uint8_t cells_level = 0;  ///< kCells: index in row_shifts_ of the cells to take.
    uint64_t record_count = 0;
  };
  struct Node {
    size_t begin = 0;  ///< Messages, by send time.
    size_t end = 0;
    TimeRange time;
    int bin_shift = 0;
    uint32_t left = kNone;   ///< Earlier half; kNone for a leaf and where bins are single ticks.
    uint32_t right = kNone;  ///< Also kNone where a node has all messages of the one below.
    uint32_t rank = 0;       ///< 0 for a leaf, else above its children.
    size_t size_bytes = 0;   ///< Of its cells and those of all nodes below.
    std::vector<MessageCells> cells;  ///< By index in row_shifts_; empty for a leaf.
    std::vector<Route> routes;
  };
  /// Part of an answer: the cells of a node, or its messages.
  struct Piece {
    uint32_t node;
    const MessageCells* cells;  ///< Null: the messages.
    CellSize size;
  };
  class Reader;

  void own_sorted(const MessageColumns& columns, base::ThreadPool& pool);
  void index_times(base::ThreadPool& pool);
  [[nodiscard]] TimeRange time_of(size_t begin, size_t end) const;
  uint32_t split(size_t begin, size_t end, const PyramidLimits& limits);
  void raise_root();
  void choose_row_shifts(const PyramidLimits& limits);
  void aggregate(uint32_t index, const PyramidLimits& limits);
  void aggregate_level(uint32_t index, size_t level, const PyramidLimits& limits);
  [[nodiscard]] Route best_route(const Node& node, size_t level) const;
  void collect(uint32_t index, size_t level, std::vector<Piece>& pieces) const;
  void feed(CellAggregator& aggregator, int bin_shift, std::span<const Piece> pieces,
            uint64_t first_bin, uint64_t last_bin) const;
  void plan(uint32_t index, int bin_shift, size_t level, const MessageView& view,
            std::vector<Piece>& pieces) const;
  void plan_cells(const MessageView& view, MessageRecords& records,
                  std::vector<Piece>& pieces) const;
  [[nodiscard]] uint64_t record_count(std::span<const Piece> pieces, const MessageView& view) const;
  [[nodiscard]] bool has_few_messages(const MessageView& view) const;
  [[nodiscard]] uint64_t count_sent_outside(uint32_t index, const MessageView& view) const;

  MessageColumns columns_;
  base::Column<uint64_t> own_send_ticks_;  ///< What columns_ refers to if the input is unsorted.
  base::Column<uint64_t> own_recv_ticks_;
  base::Column<uint32_t> own_sender_row_;
  base::Column<uint32_t> own_receiver_row_;
  base::Column<uint64_t> own_weight_;
  base::Column<TimeRange> times_;  ///< Of every kTimesStride messages.
  std::vector<int> row_shifts_;    ///< Ascending, first 0.
  size_t full_height_level_ = 0;   ///< Index in row_shifts_ for a view of all rows.
  std::vector<Node> nodes_;        ///< Children before their parents, the root last.
};

}  // namespace pathline::pyramid
