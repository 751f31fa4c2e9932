// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace pathline::trace {

/// One location's part in one collective operation.
struct CollectivePart {
  uint32_t comm;      ///< Index.
  uint32_t sequence;  ///< How many operations of this communicator the rank began before.
  uint32_t location;  ///< LocationIndex.
  uint32_t root;      ///< In the communicator.
  uint8_t operation;
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint64_t bytes_sent;
  uint64_t bytes_received;
};

/// The collective operations of one location, whose events may come in parts of the run.
class CollectiveStream {
 public:
  explicit CollectiveStream(uint32_t location) : location_(location) {}

  /// Events of the next part from `earlier` on.
  void add(const Definitions& definitions, const Events& events, size_t earlier);
  /// Operations that have not ended never will.
  void end();

  /// The first operation that has not ended, by when it began; UINT64_MAX if all have. Of which
  /// communicator it is shows at its end: those that began behind it wait for that.
  [[nodiscard]] uint64_t unfinished_ticks() const;
  [[nodiscard]] bool empty() const { return begun_.empty(); }
  /// Calls visit(begin ticks, end ticks or 0 if it has not ended) for all that are kept.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Begun& one : begun_)
      visit(one.part.begin_ticks, one.has_ended ? one.part.end_ticks : 0);
  }
  /// Removes and returns the parts that ended in front of the first that has not and began before
  /// `ticks`, in the order of their begins; their `sequence` is 0.
  std::vector<CollectivePart> take(uint64_t ticks);

 private:
  struct Begun {
    bool has_ended;
    bool counts;  // Of a communicator that exists.
    CollectivePart part;
  };
  uint64_t begin(uint64_t ticks);
  void finish(const Definitions& definitions, const Events& events, size_t event, uint64_t number);

  uint32_t location_;
  std::vector<Begun> begun_;
  uint64_t first_ = 0;          // Number of the first one in begun_.
  std::vector<uint64_t> open_;  // Blocking ones can nest in a user's wrapper.
  std::unordered_map<uint64_t, uint64_t> requests_;
};

/// MPI orders the operations of a rank, whichever of its threads calls them: numbers parts by
/// communicator. `lists`: those of the locations of a rank, each in the order of time.
class CollectiveNumbers {
 public:
  void number(const std::vector<std::span<CollectivePart>>& lists);
  /// The next part of a communicator gets this number.
  void begin_at(uint32_t comm, uint32_t number) { next_[comm] = number; }

 private:
  std::unordered_map<uint32_t, uint32_t> next_;  // By communicator.
};

/// Whether a communicator is one of each location for itself (self).
bool is_self(const Definitions& definitions, uint32_t comm);

class CommunicatorRanks;
/// Appends an operation: parts of the same communicator and number, in the order of locations. The
/// last entry of Collectives::first is left to the caller.
void append(std::span<const CollectivePart> parts, const Trace& trace,
            const CommunicatorRanks& ranks, Collectives& collectives);

}  // namespace pathline::trace
