// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace pathline::fuzz {

/// A whole text of measurements: "keywords", "json", "relational" (JSON with tables of ids),
/// "jsonl", "talpas"; or the name of a run, "run".
std::string scaling_example(std::string_view kind);

/// Reads a text as that. Returns which promise of the reader is broken, "" if none is: an error
/// names the text and the place in it; an experiment has finite samples, in order, at every point
/// of every kernel, and reads the same from a text in another form.
std::string probe_scaling(std::string_view kind, std::string_view text);

}  // namespace pathline::fuzz
