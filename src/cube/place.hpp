// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.hpp"
#include "base/text.hpp"

namespace pathline::cube {

/// Where a reader is, for its errors.
struct Place {
  std::string file;
  std::string member;  ///< Of the archive: "3.index".

  [[nodiscard]] base::Error error(base::ErrorCode code, std::string_view fact,
                                  std::string advice = {}) const {
    return {code, fmt::format("cannot read {}: {}: {}", base::printable(file), member, fact),
            std::move(advice)};
  }
  [[nodiscard]] base::Error corrupt(std::string_view fact) const {
    return error(base::ErrorCode::kCorrupt, fact);
  }
};

}  // namespace pathline::cube
