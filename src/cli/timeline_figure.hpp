// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/option.hpp"
#include "figure/figure.hpp"
#include "render/draw.hpp"

namespace pathline::cli {

/// How message lines are drawn, and bundled. All of it is for timeline, some for other kinds with
/// lines; see figure_kinds.cpp.
struct LineOptions {
  std::string messages = "auto";
  bool no_trim = false;
  std::string palette = "auto";
  std::string blend = "alpha";
  std::string opacity = "auto";
  std::string bundle = "auto";
  size_t degree = 2;
  std::string beta = "auto";
  size_t levels = 3;
  std::string grid = "auto";
  bool show_hierarchy = false;
  bool bursts = false;
};

void add_line_options(Command& command, LineOptions& options);

/// What the chosen way to draw the messages of a timeline would ignore is refused.
base::Status check_line_options(const LineOptions& options,
                                const std::vector<Command::Given>& given);

/// errors  kInvalidArgument naming the option.
base::Status parse_line_options(const LineOptions& options, figure::Options& look);

/// How good the lines of a timeline are.
void add_quality(nlohmann::ordered_json& json, const bundle::Bundled& bundled);

/// How the messages are shown, and what was left out at the ends.
void add_timeline_parameters(nlohmann::ordered_json& parameters,
                             const figure::TimelineReport& report, const trace::Trace& trace);

/// How the lines were drawn, as far as it is not as asked for.
void add_line_parameters(nlohmann::ordered_json& parameters, const LineOptions& options,
                         const bundle::Bundled& bundled, const render::DrawStats& stats);

}  // namespace pathline::cli
