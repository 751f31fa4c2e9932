// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.hpp"

namespace pathline::trace {

/// Warnings are texts for people. What is missing of a run begins with "incomplete", in archives as
/// well, and only the functions here know that.

/// The warning that something was recorded, or should have been, and is not there.
std::string incomplete(std::string_view what);

/// Adds that warning to a trace.
void mark_incomplete(Trace& trace, std::string_view what);

/// The warnings of a trace that say what is missing.
std::vector<std::string> missing(const Trace& trace);

/// Puts warnings that the archive will not show by itself into the properties of a trace that is
/// about to be written: PATHLINE::WARNING_0000, _0001 ...
void keep_warnings(Trace& trace, std::span<const std::string> warnings);

/// The other side of keep_warnings: puts them in front of the warnings of a trace that was read.
void recall_warnings(Trace& trace);

}  // namespace pathline::trace
