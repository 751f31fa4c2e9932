// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pathline::campaign {

/// Texts in one, whatever letters they have: each behind its length, "3:abc0:".
std::string joined(const std::vector<std::string>& texts);

/// The texts of joined(); nullopt for what it has not made.
std::optional<std::vector<std::string>> split(std::string_view joined);

}  // namespace pathline::campaign
