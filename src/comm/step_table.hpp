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
  /// To be called once, before parts of the run are followed or added.
  void begin(const trace::Trace& run);
  class Follower;
  /// What add() takes from the events of one location, for who walks over them for others, too:
  /// add() passes over what was followed. Several locations may be followed at once, each of a part
  /// once.
  ///
  /// part  the calls of the location nest, and it has new events.
  [[nodiscard]] Follower follow(const trace::Trace& part, size_t location, size_t earlier);
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
  std::vector<uint8_t> facts_;  // What the two say, for a Follower.
  bool is_marked_ = false;
};

/// Takes the new events of a location in their order; end() when all were there. One that has
/// nothing to do with it, as its rank has several locations, takes nothing.
class GrowingStepTable::Follower {
 public:
  void enter(uint32_t event, uint64_t ticks, uint32_t region) {
    if (rank_ != nullptr && facts_[region] != 0) entered(event, ticks, facts_[region]);
  }
  /// enter  of the call that ends.
  void leave(uint32_t enter, uint64_t ticks) {
    if (enter <= last_open_) left(enter, ticks);
  }
  /// Any other event.
  void other(uint32_t event, trace::EventKind kind) {
    using trace::EventKind;
    const bool tells = kind == EventKind::kMeasurementOnOff || kind == EventKind::kParameterInt ||
                       kind == EventKind::kParameterUnsignedInt;
    if (rank_ != nullptr && tells) told(event, kind);
  }
  void end();

 private:
  friend GrowingStepTable;
  Follower(const trace::Trace& part, const trace::Events& events)
      : definitions_(part.definitions), events_(events) {}
  void entered(uint32_t event, uint64_t ticks, uint8_t facts);
  void left(uint32_t enter, uint64_t ticks);
  void told(uint32_t event, trace::EventKind kind);
  void update_last_open();

  const trace::Definitions& definitions_;
  const trace::Events& events_;
  OfRank* rank_ = nullptr;
  const uint8_t* facts_ = nullptr;
  int64_t last_open_ = -1;  // The later Enter of step and call, whose Leave ends it; or -1.
  uint32_t step_ = 0;       // Enter of the step, if one is open.
  int64_t call_ = -1;       // Of the outermost call of MPI or I/O; or -1.
  uint64_t call_ticks_ = 0;
  bool is_io_ = false;
  size_t cursor_ = 0;
};

}  // namespace pathline::comm
