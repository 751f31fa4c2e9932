// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_list.hpp"
#include "base/packing.hpp"
#include "base/result.hpp"
#include "base/spill_file.hpp"
#include "summary/column_file.hpp"
#include "trace/collective_stream.hpp"
#include "trace/match.hpp"
#include "trace/trace.hpp"

// What is under way at some instants of a run, so that messages can be told apart from there on.
namespace pathline::summary {

/// A row of trace::Messages.
struct MarkedMessage {
  uint32_t sender;
  uint32_t receiver;
  uint32_t send_location;
  uint32_t recv_location;
  uint64_t send_ticks;
  uint64_t send_end_ticks;  ///< send_ticks where the message arrived before.
  uint64_t recv_post_ticks;
  uint64_t recv_ticks;
  uint64_t bytes;
  uint32_t tag;
  uint32_t comm;

  /// When the first of its events was, and the last.
  [[nodiscard]] uint64_t first_ticks() const;
  [[nodiscard]] uint64_t last_ticks() const;
};

/// An instant, and what has events before it and from it on.
struct Mark {
  uint64_t ticks = 0;
  std::vector<MarkedMessage> messages;  ///< By time of sending, then ranks.
  /// Who had begun which collective operation, by communicator, number and location.
  std::vector<trace::BegunOperation> operations;
  bool knows_operations = false;  ///< Else they were too many, or nobody looked.
};

using Marks = std::vector<Mark>;  ///< By time.

/// Collects the marks of a run whose messages and operations come one window of time after the
/// other. The instants follow from what the archive says of itself, one for every 2^20 events and
/// at most 256: they do not depend on the windows. A mark with more than 65,536 messages is left
/// out; of as many parts in operations, or two for each location if those are more, nothing is
/// kept.
class GrowingMarks {
 public:
  explicit GrowingMarks(const trace::Definitions& definitions);
  /// Instants at begin + distance, begin + 2 * distance ...
  GrowingMarks(uint64_t begin, uint64_t distance, uint64_t count);
  /// Messages that were not added before, in any order.
  void add(const trace::Messages& messages);
  /// An operation. To be called by one process only, which hears of all.
  ///
  /// is_whole  false if some member never took part in it.
  void add(const std::vector<trace::CollectivePart>& members, bool is_whole);
  /// Puts what was added into the file if it takes more memory than that. The file must outlive
  /// this, be the same each time and have been flushed before pack() and finish(), which throw
  /// std::runtime_error where it cannot be read. finish() has all rows in memory.
  void spill(base::SpillFile& file, uint64_t most_bytes);
  /// What was added, for another process, and what another one added.
  void pack(base::Packer& out) const;
  void take(base::Unpacker& in);
  /// To be called once, at the end.
  [[nodiscard]] Marks finish();

 private:
  /// Kept as numbers of a byte or a few: with ten thousands of ranks as many rows are under way at
  /// each instant.
  struct Rows {
    base::ByteList bytes;
    uint32_t count = 0;
    bool are_too_many = false;  ///< Then no bytes are kept.

    void leave_out();
  };
  struct Instant {
    uint64_t ticks;
    Rows messages;
    Rows operations;
    trace::BegunOperation last{};  ///< The operation that was added last.
  };

  [[nodiscard]] uint64_t instants_until(uint64_t ticks) const;
  void lay_out(uint64_t count);

  uint64_t begin_ = 0;
  uint64_t distance_ = 0;  ///< Of instants, ticks; 0 without any.
  std::vector<Instant> instants_;
  size_t most_operations_;
};

void write_marks(const Marks& marks, ColumnWriter& out);
/// errors  kCorrupt for damage and for rows that do not fit the run.
base::Result<Marks> read_marks(const ColumnReader& file, const trace::Trace& run);

}  // namespace pathline::summary
