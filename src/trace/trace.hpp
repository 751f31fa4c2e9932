// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/arena.hpp"
#include "base/column.hpp"
#include "base/id.hpp"
#include "base/packed_column.hpp"
#include "trace/definitions.hpp"
#include "trace/events.hpp"

namespace pathline::trace {

/// A process of the parallel program, numbered as MPI_COMM_WORLD does.
using Rank = base::Id<struct RankTag>;
/// An index into Trace::locations: a thread, GPU stream or recorder of metrics.
using LocationIndex = base::Id<struct LocationTag>;

/// A measured difference between a location's clock and the global one.
struct ClockOffset {
  uint64_t local_ticks;
  int64_t offset_ticks;
  double deviation;
};

struct Location {
  uint64_t id = 0;
  std::string name;
  LocationType type = LocationType::kUnknown;
  Rank rank;  ///< none() when it belongs to no process that exchanges messages.
  Events events;
  std::vector<ClockOffset> clock_offsets;
  bool complete = true;  ///< false: the file was damaged and `events` end before its end.
};

/// Messages as a structure of arrays, one row per matched message, sorted by send time, then
/// sender, then order of sending. Times are ticks of the trace's clock.
struct Messages {
  base::PackedColumn<uint32_t> sender;           ///< Rank.
  base::PackedColumn<uint32_t> receiver;         ///< Rank.
  base::PackedColumn<uint64_t> send_ticks;       ///< The send call recorded it.
  base::PackedColumn<uint64_t> send_end_ticks;   ///< The sender's buffer was free again.
  base::PackedColumn<uint64_t> recv_post_ticks;  ///< The receive was posted.
  base::PackedColumn<uint64_t> recv_ticks;       ///< The receive was complete.
  base::PackedColumn<uint64_t> bytes;
  base::PackedColumn<uint32_t> tag;
  base::PackedColumn<uint32_t> comm;           ///< Index into Definitions::communicators.
  base::PackedColumn<uint32_t> send_location;  ///< LocationIndex.
  base::PackedColumn<uint32_t> recv_location;  ///< LocationIndex.

  [[nodiscard]] size_t size() const { return sender.size(); }
  /// Of columns that are not packed, to be filled row by row.
  void resize(size_t count);
};

/// Calls visit(column, the same column of `other`) for each.
template <class First, class Second, class Visit>
void for_each_column(First& messages, Second& other, Visit visit) {
  visit(messages.sender, other.sender);
  visit(messages.receiver, other.receiver);
  visit(messages.send_ticks, other.send_ticks);
  visit(messages.send_end_ticks, other.send_end_ticks);
  visit(messages.recv_post_ticks, other.recv_post_ticks);
  visit(messages.recv_ticks, other.recv_ticks);
  visit(messages.bytes, other.bytes);
  visit(messages.tag, other.tag);
  visit(messages.comm, other.comm);
  visit(messages.send_location, other.send_location);
  visit(messages.recv_location, other.recv_location);
}

/// A send or a receive that found no partner.
struct Unmatched {
  uint32_t location;  ///< LocationIndex of the event.
  uint32_t event;     ///< Index of the event there.
  Rank peer;          ///< none() when the communicator or the rank in it does not exist.
};

/// Collective operations, one row per operation and member that finished it, the members of one
/// operation one after the other in the order of their locations.
struct Collectives {
  base::Column<uint32_t> first;     ///< Per operation: its first member row; one entry more.
  base::Column<uint8_t> operation;  ///< Per operation: OTF2 number, 0 barrier, 11 allreduce ...
  base::Column<uint32_t> comm;      ///< Per operation: index into Definitions::communicators.
  base::Column<uint32_t> root;      ///< Per operation: Rank of its root, none() without one.
  base::Column<uint32_t> location;  ///< Per member: LocationIndex.
  base::Column<uint64_t> begin_ticks;
  base::Column<uint64_t> end_ticks;
  base::Column<uint64_t> bytes_sent;
  base::Column<uint64_t> bytes_received;

  [[nodiscard]] size_t size() const { return operation.size(); }
};

/// What of messages a reader is asked for.
enum class WantedMessages : uint8_t { kList, kCount };

/// How many messages there are.
struct MessageCount {
  uint64_t messages = 0;
  uint64_t bytes = 0;
};

/// A time step that the program marked.
struct StepWindow {
  uint32_t step;
  uint64_t begin_ticks;
  uint64_t end_ticks;
  bool recorded = true;  ///< False if recording was switched off: only its times are known.
  friend bool operator==(const StepWindow&, const StepWindow&) = default;
};

/// What a part of a run has to know of the whole.
struct WholeRun {
  /// Of marked_steps() of the whole those that overlap the part.
  std::vector<std::vector<StepWindow>> steps;
  uint64_t step_count = 0;        ///< How many steps the whole has.
  std::vector<bool> is_recorded;  ///< By location: it has events somewhere.
};

/// Everything read from one run. Immutable once built, shared freely between threads.
struct Trace {
  std::string format;   ///< "OTF2 2.3.0", "CSV".
  std::string creator;  ///< What wrote it: "Score-P 7.1".
  std::string machine;
  std::string description;
  std::vector<std::pair<std::string, std::string>> properties;

  Definitions definitions;
  /// Holds the memory of the locations' events; readers put them there.
  std::shared_ptr<base::Arena> arena = std::make_shared<base::Arena>();
  std::vector<Location> locations;  ///< In the order of their definitions.
  uint32_t rank_count = 0;
  std::vector<uint32_t> rank_location;  ///< LocationIndex of each rank's first thread.

  uint64_t start_ticks = 0;  ///< Time 0 of everything that is shown.
  uint64_t end_ticks = 0;

  Messages messages;
  /// Instead of the list, if the reader was asked for no more (finish.hpp).
  std::optional<MessageCount> counted_messages;
  std::vector<Unmatched> unmatched_sends;
  std::vector<Unmatched> unmatched_receives;
  uint64_t cancelled_requests = 0;
  Collectives collectives;

  uint64_t unknown_events = 0;  ///< Records of kinds that the library does not know.
  uint64_t unknown_definitions = 0;
  bool complete = true;
  std::vector<std::string> warnings;      ///< What a user should know before he believes the rest.
  std::shared_ptr<const WholeRun> whole;  ///< Of a part of the time; null for a whole run.

  [[nodiscard]] double seconds(uint64_t ticks) const {
    // Unsigned and signed apart: a receive before the start must not become 10^10 s.
    return ticks >= start_ticks ? span_seconds(ticks - start_ticks)
                                : -span_seconds(start_ticks - ticks);
  }
  [[nodiscard]] double span_seconds(uint64_t ticks) const {
    return static_cast<double>(ticks) / static_cast<double>(definitions.clock.ticks_per_second);
  }
  [[nodiscard]] double duration_seconds() const { return span_seconds(end_ticks - start_ticks); }
  [[nodiscard]] uint64_t event_count() const;
  /// Whether anything is known of what a location did: a part may have no event of it.
  [[nodiscard]] bool is_recorded(size_t location) const {
    return whole ? bool{whole->is_recorded[location]} : locations[location].events.size() > 0;
  }
};

}  // namespace pathline::trace
