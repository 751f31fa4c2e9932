// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>

#include <fmt/format.h>

#include "base/file.hpp"
#include "bench/synth/definitions.hpp"
#include "bench/synth/enlarge.hpp"
#include "bench/synth/options.hpp"
#include "bench/synth/shapes.hpp"
#include "otf2/anchor.hpp"
#include "otf2/writer.hpp"

namespace pathline::synth {
namespace {

struct Program {
  const char* name;
  uint32_t ranks_per_node;
  void (*run)(Simulation& simulation, const Options& options);
};

Program program_of(Shape shape) {
  switch (shape) {
    case Shape::kTachyon: return {"tachyon", 16, run_tachyon};
    case Shape::kFd4: return {"fd4", 32, run_fd4};
    default: return {"wrf", 16, run_wrf};
  }
}

/// Repeats and copies the one run that is in `folder`.
base::Status enlarge(const std::filesystem::path& folder, const Options& options,
                     uint64_t length_ns) {
  const std::filesystem::path anchor_path = folder / "traces.otf2";
  if (options.repeat > 1) {
    const auto file = base::MappedFile::open(anchor_path);
    if (!file) return file.error();
    const auto anchor = otf2::parse_anchor(file.value().bytes());
    if (!anchor) return anchor.error();
    for (uint32_t rank = 0; rank < options.rank_count; ++rank) {
      auto status = repeat_events(otf2::events_path(anchor_path, rank),
                                  anchor.value().event_chunk_bytes, options.repeat, length_ns);
      if (!status) return status;
    }
  }
  return options.copies > 1 ? link_copies(folder, options.rank_count, options.copies)
                            : base::Status();
}

/// Files that are links of each other count once.
uint64_t written_bytes(const std::filesystem::path& folder) {
  uint64_t bytes = 0;
  for (const char* name : {"traces.otf2", "traces.def"}) {
    bytes += std::filesystem::file_size(folder / name);
  }
  for (const auto& file : std::filesystem::directory_iterator(folder / "traces")) {
    bytes += file.file_size() / file.hard_link_count();
  }
  return bytes;
}

base::Status run(const Options& options) {
  // Said by the writer too, but only after the simulation.
  if (std::filesystem::exists(options.folder / "traces.otf2")) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} exists already", (options.folder / "traces.otf2").string())};
  }
  const Program program = program_of(options.shape);
  Simulation simulation(options.rank_count, program.ranks_per_node, options.seed);
  program.run(simulation, options);

  const double seconds = static_cast<double>(simulation.latest_ns() - kStartNs) * 1e-9;
  if (seconds > 1.05 * options.seconds + 0.01) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("{} messages between {} ranks take {:.3f} s, more than --seconds {}",
                    simulation.message_count(), options.rank_count, seconds, options.seconds)};
  }
  const uint64_t times = uint64_t{options.repeat} * options.copies;
  const uint64_t message_count = times * simulation.message_count();
  const uint64_t event_count = times * simulation.event_count();
  const uint64_t length_ns = simulation.latest_ns() - kStartNs;
  {
    const auto trace = make_trace(simulation, program.name, {options.repeat, options.copies});
    if (!trace) return trace.error();
    base::Progress progress;
    if (auto status = otf2::write(trace.value(), options.folder, "traces", progress); !status) {
      return status;
    }
  }
  if (auto status = enlarge(options.folder, options, length_ns); !status) return status;
  fmt::print(stderr, "{}: {} ranks, {} messages, {} events, {:.1f} s, {} bytes\n",
             (options.folder / "traces.otf2").string(), options.copies * options.rank_count,
             message_count, event_count, options.repeat * seconds, written_bytes(options.folder));
  return {};
}

int fail(std::string_view message) {
  fmt::print(stderr, "pathline-synth: {}\n", message);
  return 2;
}

}  // namespace
}  // namespace pathline::synth

int main(int argc, char** argv) {
  using namespace pathline;
  try {
    const auto options = synth::parse_options({argv + 1, argv + std::max(argc, 1)});
    if (!options) return synth::fail(options.error().message);
    if (options.value().help) {
      std::fputs(synth::kHelp, stdout);
      return 0;
    }
    const auto status = synth::run(options.value());
    return status.ok() ? 0 : synth::fail(status.error().message);
  } catch (const std::bad_alloc&) {
    return synth::fail("not enough memory for a trace of this size");
  } catch (const std::exception& error) {
    return synth::fail(error.what());
  }
}
