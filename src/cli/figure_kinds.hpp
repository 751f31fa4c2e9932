// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "app/picture.hpp"
#include "cli/option.hpp"

// Which options of `pathline figure` belong to which kinds.
namespace pathline::cli {

/// Headlines of the help; what stands below belongs to the kinds that they name.
inline constexpr const char* kNetworkGroup = "Options of graph, routes and ranking";
inline constexpr const char* kModelGroup = "Options of model";
inline constexpr const char* kPredictionGroup = "Options of prediction";

/// All kinds, in the order in which texts name them.
std::vector<std::string> figure_kind_words();

/// What would be ignored is refused.
///
/// given   what stood on the command line, of which the first that has no effect is named.
/// errors  kInvalidArgument saying which kinds it belongs to.
base::Status check_figure_options(app::FigureKind kind, const std::vector<Command::Given>& given);

/// "--size is '1x', expected ...".
base::Error bad_option(const char* option, const std::string& value, std::string_view expected);

}  // namespace pathline::cli
