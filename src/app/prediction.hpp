// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/measured_machine.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "predict/application.hpp"
#include "predict/calibration.hpp"
#include "predict/model.hpp"

namespace pathline::app {

/// Ways to run an application, as words of the command line. What has several values multiplies.
struct DeploymentChoices {
  std::vector<std::string> grids;       ///< Cells: "2048x1024".
  std::vector<std::string> ranks;       ///< Their number.
  std::vector<std::string> rank_grids;  ///< "32x16", or "all" that have this number; empty: the
                                        ///< one that is most like a cube.
  std::vector<std::string> per_node;    ///< Ranks of each node; empty: as many as it has cores.
  std::vector<std::string> mappings;    ///< mapping::GridMapping, or a file; empty: smp.
  std::vector<std::string> binds;       ///< compact, spread; empty: compact.
};

/// Ranks of a grid of them.
uint32_t rank_count(const std::vector<uint32_t>& ranks);

/// One way to run it.
struct Deployed {
  std::vector<uint32_t> grid;
  std::vector<uint32_t> ranks;  ///< Along each axis.
  uint32_t per_node = 1;
  std::string mapping;
  predict::Bind bind = predict::Bind::kCompact;

  [[nodiscard]] uint32_t rank_count() const { return app::rank_count(ranks); }
};

/// What is expected of it.
struct Forecast {
  Deployed deployed;
  std::optional<predict::Prediction> prediction;  ///< None: it was refused.
  std::string reason;                             ///< Why.
  bool is_tie = false;                            ///< It cannot be told from the best.
};

/// "2048x1024"
std::string grid_text(const std::vector<uint32_t>& sizes);
/// The numbers of such a text.
/// what    the option that is at fault, "--grid"
/// errors  kInvalidArgument
base::Result<std::vector<uint32_t>> parse_grid(std::string_view what, std::string_view text,
                                               size_t axes);
std::string_view name_of(predict::Bind bind);

/// All ways to divide `cells` among `count` ranks: ranks along each axis, none with more ranks than
/// cells.
std::vector<std::vector<uint32_t>> divisions(uint32_t count, std::span<const uint32_t> cells);
/// Whether `a` is more like a cube than `b`, or as much so and has its larger numbers first.
bool is_more_even(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b);

/// All combinations of the choices, in the order in which they were given.
/// errors  kInvalidArgument naming the option that is at fault
base::Result<std::vector<Deployed>> deployments(const DeploymentChoices& choices,
                                                const predict::Application& application,
                                                const MeasuredMachine& machine);

/// Where the ranks of `deployed` run.
/// errors  those of mapping::place_grid() and read_placement()
base::Result<mapping::Placement> place(const Deployed& deployed, const MeasuredMachine& machine);

/// Predicts each, with what earlier runs of the machine say about the model.
/// returns  of each what is expected, in the same order
std::vector<Forecast> forecast(const std::vector<Deployed>& deployed,
                               const predict::Application& application,
                               const MeasuredMachine& machine,
                               const predict::Calibration& calibration, base::ThreadPool& pool,
                               base::Progress& progress);

/// Grid by grid the fastest first, what was refused last; marks those whose intervals overlap with
/// that of the fastest.
void rank(std::vector<Forecast>& forecasts);

/// Names of the machine's nodes, in the order of its network; empty: not known.
std::vector<std::string> hosts_of(const store::Machine& machine);
/// Words that started the benchmarks.
std::vector<std::string> launcher_of(const store::Machine& machine);

/// `name` is "shallow" or a file of an application (app/application_file.hpp).
base::Result<predict::Application> open_application(const std::string& name);

}  // namespace pathline::app
