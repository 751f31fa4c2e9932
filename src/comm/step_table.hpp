// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/packing.hpp"
#include "base/thread_pool.hpp"
#include "steps/packed_table.hpp"
#include "steps/table.hpp"
#include "trace/calls.hpp"
#include "trace/outer_calls.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// Per rank the windows of its steps, in the order of time, as trace::marked_steps() gives them.
using StepWindows = std::vector<std::vector<trace::StepWindow>>;

/// The table of the steps that `windows` cut out of a run. A step inside another one belongs to
/// that. A message is sent in the step of its send and received in the step of the end of its
/// receive; bytes of I/O belong to the step in which their operation was complete. At an instant
/// that two steps share it is the later one. Only messages whose partner is known count.
///
/// selection  rows of these ranks whose step begins in this time; whole steps, nothing is cut.
/// cost       O(events + messages), parallel over ranks; independent of the thread count.
steps::Table step_table(const trace::Trace& trace, const StepWindows& windows,
                        const trace::Selection& selection, base::ThreadPool& pool);

/// What step_table() gives for a selection, of the table of the whole run.
///
/// own      room for them, where not all are chosen.
/// returns  the table itself where all are: it may have many millions of rows.
const steps::Table& chosen(const steps::Table& table, const trace::Selection& selection,
                           steps::Table& own);

/// step_table() for the steps that a program marked (trace::marked_steps()), of a run that comes in
/// parts of its time.
class GrowingStepTable {
 public:
  GrowingStepTable();
  ~GrowingStepTable();
  GrowingStepTable(const GrowingStepTable&) = delete;
  GrowingStepTable& operator=(const GrowingStepTable&) = delete;

  /// A message, as far as its sender counts it.
  struct Sent {
    uint32_t sender;
    uint64_t ticks;
    uint64_t bytes;
  };
  /// Where in the run a part is, by location.
  struct Progress {
    std::vector<size_t> earlier;       ///< Events of the part that were in one before.
    bool ended = false;                ///< It is the last one.
    std::vector<uint64_t> last_ticks;  ///< Of all events so far.
    std::vector<bool> others = {};     ///< By rank: another process counts it; empty for none.
    std::vector<Sent> sent = {};       ///< What that found of ranks that are counted here.
  };
  /// part  begins with the Enters of open calls and the begins of I/O that goes on; its messages
  ///       are those of which both ends are known now.
  ///
  /// returns  false where steps lie inside of others: only the whole shows which of them count.
  bool add(const trace::Trace& part, const Progress& progress, base::ThreadPool& pool);
  /// Puts rows into the file, which must outlive them, if old ones take more memory than that.
  void spill(base::SpillFile& file, uint64_t most_bytes);
  /// The steps, which are forgotten.
  [[nodiscard]] steps::PackedTable finish();
  /// For the process that adds up what others saw of ranks of their own.
  void pack(base::Packer& out) const;
  void take(base::Unpacker& in);
  /// Steps of the rank that has most.
  [[nodiscard]] size_t most() const;
  /// Whether the program marks any, as far as its definitions say.
  [[nodiscard]] bool is_marked() const { return is_marked_; }

 private:
  struct OfRank;
  friend steps::Table step_table(const trace::Trace&, const StepWindows&, const trace::Selection&,
                                 base::ThreadPool&);
  void add_messages(const trace::Messages& messages, const Progress& progress);

  std::vector<OfRank> ranks_;
  std::vector<std::vector<uint32_t>> locations_;  // Per rank.
  std::vector<bool> markers_;                     // Per region.
  std::vector<trace::CallClass> classes_;
  bool is_marked_ = false;
};

}  // namespace pathline::comm
