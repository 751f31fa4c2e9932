// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::network {

constexpr size_t kMaxHostNames = 1'000'000;
/// What DNS allows, and a bound of what a hostile list can make of a few bytes.
constexpr size_t kMaxHostNameLength = 253;

/// The names that a Slurm host list stands for, in its order: "n[001-003,7],login1" is n001, n002,
/// n003, n7, login1. Numbers are padded with zeros as the first of their range is. Of several
/// brackets in a name the last runs fastest: rack[0-1]node[0-1] is rack0node0, rack0node1, ...
///
/// A name may come more than once.
/// errors  kInvalidArgument for no name at all, an empty one, brackets that do not match, a range
///         that runs backwards or is none, a name with blanks or longer than kMaxHostNameLength,
///         and more than kMaxHostNames names.
/// cost    O(bytes of the names).
base::Result<std::vector<std::string>> expand_host_list(std::string_view list);

}  // namespace pathline::network
