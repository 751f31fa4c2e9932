// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::campaign {

/// Whether an element with this attribute `tag` is there: "a|b", "a+b", "!a", brackets, and the
/// older "a,!b".
/// errors  kInvalidArgument for what is none of these; the message is to follow the place.
base::Result<bool> jube_tags_hold(std::string_view text, const std::set<std::string>& tags);

/// What a name after $ stands for; nullopt: the text stays as it is.
using JubeNames = std::function<std::optional<std::string>(std::string_view name)>;

/// Replaces $name and ${name}; $$ is $.
std::string with_jube_names(std::string_view text, const JubeNames& names);

/// Names after $, in their order, each once.
std::vector<std::string> jube_names_in(std::string_view text);

/// The regular expression behind $jube_pat_int and the like.
std::optional<std::string> jube_pattern(std::string_view name);

/// Groups of a regular expression of which the text is kept.
size_t groups_in(std::string_view regular_expression);

}  // namespace pathline::campaign
