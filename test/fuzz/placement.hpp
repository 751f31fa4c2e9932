// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace pathline::fuzz {

/// A whole file that places ranks, in the format "bgq", "slurm", "rankfile" or "plain".
std::string placement_example(std::string_view format);

/// Reads a text as every kind of placement file. Returns which promise of the readers is broken, ""
/// if none is: an error names the file, one of corrupt content the line too; what is read can be
/// written and read again.
std::string probe_placement(std::string_view text);

}  // namespace pathline::fuzz
