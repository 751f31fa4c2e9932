// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pathline::scaling {

/// "Solver::apply" for "Solver<double>::apply(int, A<B>)", in all regions of a call path. Names
/// like "operator()" and "(anonymous namespace)" stay.
std::string without_arguments(std::string_view path);

/// Ways to write a call path in ever less room, the whole path first: without arguments of
/// functions and templates, then without more and more of the callers, "…->solve->apply", and at
/// last the function alone. The longest that finds room should be taken.
std::vector<std::string> shorter_call_paths(std::string_view path);

}  // namespace pathline::scaling
