// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "scaling/experiment.hpp"

namespace pathline::scaling {

/// Reads JSON Lines: an object with "params", "value" (a number or several), and perhaps "metric"
/// ("<default>") and "callpath" ("<root>"). Parameters are in the order of the first line.
base::Result<Experiment> read_json_lines(std::string_view text, const std::string& name);

/// Reads what TaLPas writes: the same with "parameters", `;` or `,` between members, and always
/// "metric" and "callpath".
base::Result<Experiment> read_talpas(std::string_view text, const std::string& name);

}  // namespace pathline::scaling
