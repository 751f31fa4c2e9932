// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "scaling/experiment.hpp"

namespace pathline::scaling {

/// Reads a JSON document of measurements: an object of call paths, metrics and points, or an array
/// that refers to tables of parameters, call paths, metrics and coordinates by their ids.
///
/// cost  no more memory than the result needs: the text is read without building a tree, and twice
///       where the measurements stand before what they refer to.
base::Result<Experiment> read_json(std::string_view text, const std::string& name);

}  // namespace pathline::scaling
