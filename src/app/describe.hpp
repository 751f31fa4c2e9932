// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "predict/application.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Cells are not in a trace, ranks are.
struct DescribeRequest {
  std::string run;             ///< What the description calls it.
  std::vector<uint32_t> grid;  ///< Cells of the whole grid along each axis.
  /// Ranks along each axis, x fastest; none: they are found by who sends to whom.
  std::optional<std::vector<uint32_t>> rank_grid = std::nullopt;
};

/// What a program does in a time step, as far as a trace shows it.
struct Description {
  predict::Application application;
  std::string run;
  std::vector<uint32_t> grid;
  std::vector<uint32_t> rank_grid;
  uint64_t steps = 0;                ///< That it was made from: the most that a rank has.
  std::vector<std::string> remarks;  ///< What is a guess, is missing or should be looked at.
};

/// Describes a program on a regular grid from a trace of a small run. Messages are those of the
/// rank that sends most, in its most common sequence: sends after each other are one phase, sends
/// that are under way together a phase that is at once. The time between them is kernels.
///
/// errors  kNotFound without marked time steps; kInvalidArgument where the ranks form no such grid,
///         and where a step neither sends nor computes.
/// cost    O(events), parallel over ranks; independent of the thread count.
base::Result<Description> describe(const trace::Trace& trace, const DescribeRequest& request,
                                   base::ThreadPool& pool);

/// The file for `predict --app`: comments with what it was made from and the remarks, then the
/// application (app/application_file.hpp).
std::string description_text(const Description& description);

}  // namespace pathline::app
