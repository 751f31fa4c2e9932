// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chunk/reader.hpp"
#include "raw/clock.hpp"
#include "trace/trace.hpp"

namespace pathline::raw {

/// The definitions that one process recorded, as they stand in its raw file. Texts lie in the
/// file's mapping.
struct Definitions {
  struct Region {
    uint64_t id, role, line, file;
    std::string_view name;
  };
  struct CallSite {
    uint64_t region;
    uint64_t address;         // In the file `module`, as its symbol table counts.
    std::string_view module;  // The program or a library.
  };
  struct Named {  // File, CommunicatorName, WindowName, Stream, MetricSet.
    uint64_t id;
    std::string_view text;
  };
  struct Communicator {
    uint64_t id, creator, number, kind;
  };
  struct Members {
    uint64_t comm, side;
    std::vector<uint64_t> list;  // Triples: first, stride (zigzag), count.
  };
  struct OtherWorld {  // Whose processes are the other side of an inter-communicator.
    uint64_t comm;
    uint64_t parents;  // 1: those that spawned this world.
    uint64_t size;
    uint64_t realtime_ns;  // When the communicator was made.
  };
  struct Window {
    uint64_t id, comm;
  };
  struct IoHandle {
    uint64_t id, paradigm, comm;
    std::string_view path;
  };
  struct Profile {
    uint64_t stream, region, calls, ticks;
  };

  std::vector<Region> regions;
  std::vector<CallSite> call_sites;
  std::vector<uint64_t> omp_tasks;  ///< Parallel regions in which there were tasks.
  std::vector<Named> files, streams, communicator_names, window_names, metric_sets;
  std::vector<Communicator> communicators;
  std::vector<Members> members;
  std::vector<OtherWorld> other_worlds;
  std::vector<Window> windows;
  std::vector<IoHandle> io_handles;
  std::vector<Profile> profile;
  std::vector<std::string_view> settings;
  std::vector<TickPair> clock_pairs;
  std::vector<TickPair> realtime_pairs;  ///< CLOCK_MONOTONIC as ticks, CLOCK_REALTIME as ns.
  std::vector<trace::ClockOffset> clock_offsets;
  std::vector<std::string> problems;
};

enum class Life : uint8_t { kEnded, kAlive, kUnknown };

/// One raw file and what is known about it as a whole.
struct Process {
  explicit Process(chunk::RawFile raw) : file(std::move(raw)) {}

  chunk::RawFile file;
  Definitions definitions;
  TickClock clock;
  std::vector<trace::ClockOffset> offsets;  ///< To the time of the whole run.
  size_t world = 0;                         ///< Which of the run's worlds.
  uint32_t rank = 0;                        ///< In the whole run.
  Life life = Life::kEnded;
  uint32_t program_region = UINT32_MAX;  ///< Around all it does; UINT32_MAX without a name.
  uint64_t end_ns = 0;                   ///< When it died, as far as is known; 0 otherwise.
};

/// Reads the definitions of a file; what is wrong with them ends up in `problems`.
Definitions read_definitions(const chunk::RawFile& file);

/// Pairs of ticks and time that the chunks of `file` begin with.
std::vector<TickPair> chunk_pairs(const chunk::RawFile& file);

/// Whether the process of a file still writes. That of an unfinished file on another host may.
Life life_of(const Process& process);

}  // namespace pathline::raw
