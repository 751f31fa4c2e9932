// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the tests of recordings share: a folder to record into, and traces as text.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/scratch_folder.hpp"
#include "raw/run.hpp"
#include "raw/test_raw.hpp"

namespace pathline::raw {

using Kind = chunk::RecordKind;
using trace::EventKind;

constexpr uint64_t kMain = 1;
constexpr uint64_t kSendRegion = 2;
constexpr uint64_t kRecvRegion = 3;
constexpr uint64_t kWorld = 5;
constexpr uint8_t kMpi = 4;

/// A base of fixtures: a folder with the files of a recording, and its trace.
class Recording {
 protected:
  base::ScratchFolder folder_;
  unsigned threads_ = 1;

  raw::Run read(const RunOptions& options = {}) {
    base::ThreadPool pool(threads_);
    base::Progress progress;
    auto run = read_run(find_files(folder_.path()), pool, progress, options);
    if (!run.ok()) throw std::runtime_error(run.error().message);
    return std::move(run).value();
  }

  ProcessWriter process(ProcessWriter::Options options) {
    ProcessWriter writer(folder_.path(), options);
    writer.region(kMain, "main").region(kSendRegion, "MPI_Send", 28, kMpi);
    writer.region(kRecvRegion, "MPI_Recv", 28, kMpi);
    writer.world(kWorld, options.rank, options.rank_count);
    // 2 ticks a nanosecond: tick 0 is 1 s of CLOCK_MONOTONIC.
    writer.clock_pair(0, kZero, kWall).clock_pair(2'000'000, kZero + 1'000'000, kWall + 1'000'000);
    return writer;
  }
  static constexpr uint64_t kZero = 1'000'000'000;
  static constexpr uint64_t kWall = 1'790'000'000'000'000'000;
};

/// A line per event: nanoseconds since the start, kind, and the region or the numbers.
inline std::string describe(const trace::Trace& trace, const trace::Location& location) {
  std::string text;
  for (size_t i = 0; i < location.events.size(); ++i) {
    const EventKind kind = location.events.kind[i];
    text += fmt::format("{} {}", location.events.ticks[i] - trace.start_ticks, event_name(kind));
    const bool call = kind == EventKind::kEnter || kind == EventKind::kLeave ||
                      kind == EventKind::kUnmatchedLeave;
    if (call) text += fmt::format(" {}", trace.definitions.regions[location.events.region(i)].name);
    if (!call) {
      for (const uint32_t word : location.events.fields(i)) text += fmt::format(" {}", word);
    }
    text += '\n';
  }
  return text;
}

/// Lines of describe() without the times.
inline std::string calls(const raw::Run& run, size_t location = 0) {
  std::string text;
  const trace::Trace& trace = run.trace;
  const trace::Events& events = trace.locations.at(location).events;
  for (size_t i = 0; i < events.size(); ++i) {
    const EventKind kind = events.kind[i];
    const uint64_t ns = events.ticks[i] - trace.start_ticks;
    if (kind == EventKind::kEnter) text += fmt::format("{}+", ns);
    if (kind == EventKind::kLeave) text += fmt::format("{}-", ns);
    if (kind == EventKind::kUnmatchedLeave) text += fmt::format("{}?", ns);
    if (kind == EventKind::kParameterInt) text += fmt::format("#{} ", events.word64(i, 1));
    if (kind != EventKind::kParameterInt) {
      text += fmt::format("{} ", trace.definitions.regions[events.region(i)].name);
    }
  }
  return text;
}

}  // namespace pathline::raw
