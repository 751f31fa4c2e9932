// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "comm/dependencies.hpp"
#include "findings/model.hpp"
#include "findings/replay.hpp"
#include "trace/test_trace.hpp"

namespace pathline::findings {

/// A trace with its dependencies and model. For tests only.
class TestRun {
 public:
  /// window  what is judged; nullopt: the program.
  explicit TestRun(trace::Trace run, unsigned threads = 2,
                   const std::optional<Window>& window = std::nullopt)
      : pool(threads),
        trace(std::move(run)),
        all(comm::dependencies(trace, pool)),
        model(findings::model(trace, all, window.value_or(program_window(trace, all)),
                              trace::marked_steps(trace), pool)),
        replay(model),
        measured(replay.run_measured()) {}
  TestRun(const TestRun&) = delete;
  TestRun& operator=(const TestRun&) = delete;

  /// "main/work"; "" for kNone.
  [[nodiscard]] std::string path_name(uint32_t path) const {
    std::string name;
    for (; path != kNone; path = model.call_paths[path].parent) {
      const std::string region(trace.definitions.regions[model.call_paths[path].region].name);
      name = name.empty() ? region : region + "/" + name;
    }
    return name;
  }
  /// kNone if there is none.
  [[nodiscard]] uint32_t path(std::string_view name) const {
    for (uint32_t i = 0; i < model.call_paths.size(); ++i) {
      if (path_name(i) == name) return i;
    }
    return kNone;
  }

  base::ThreadPool pool;
  trace::Trace trace;
  comm::Dependencies all;
  Model model;
  Replay replay;
  Measured measured;
};

/// gap_ticks() with changed_pieces().
inline base::Column<uint64_t> changed_gaps(const Model& model, uint32_t path, Change change,
                                           const std::vector<bool>& ranks = {}) {
  base::Column<uint64_t> gaps = gap_ticks(model);
  for (const auto& [piece, ticks] : changed_pieces(model, path, change, ranks)) {
    const auto behind = std::upper_bound(model.first_piece.begin(), model.first_piece.end(), piece);
    gaps[static_cast<size_t>(behind - model.first_piece.begin()) - 1] +=
        static_cast<uint64_t>(ticks);
  }
  return gaps;
}

/// The two oracles of the design that more than one kernel is held against, 10 ticks a second.
///
/// Rank 0 sends from 10 to 11, rank 1 receives from 4 to 12, the run ends at 20.
inline trace::Trace late_sender_run() {
  trace::TestTrace test(2);
  const trace::Region main = test.region("main");
  const trace::Region send = test.region("MPI_Send");
  const trace::Region recv = test.region("MPI_Recv");
  test.on(0).enter(0, main).enter(100, send).send(100, 1, 8).leave(110, send).leave(200, main);
  test.on(1).enter(0, main).enter(40, recv).recv(120, 0, 8).leave(120, recv).leave(200, main);
  return test.finish();
}
/// Rank 0 sends at 10 to rank 1, which waits since 4, and sends at 12 to rank 2, which waits since
/// 4; the run ends at 14.
inline trace::Trace chain_run() {
  trace::TestTrace test(3);
  const trace::Region main = test.region("main");
  const trace::Region send = test.region("MPI_Send");
  const trace::Region recv = test.region("MPI_Recv");
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).enter(0, main);
  test.on(0).enter(100, send).send(100, 1, 8).leave(100, send);
  test.on(1).enter(40, recv).recv(100, 0, 8).leave(100, recv);
  test.on(1).enter(120, send).send(120, 2, 8).leave(120, send);
  test.on(2).enter(40, recv).recv(120, 1, 8).leave(120, recv);
  for (uint32_t rank = 0; rank < 3; ++rank) test.on(rank).leave(140, main);
  return test.finish();
}

}  // namespace pathline::findings
