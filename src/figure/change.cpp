// SPDX-License-Identifier: BSD-3-Clause
#include "figure/change.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::figure {

std::string change_text(const std::string& before, const std::string& after, double was,
                        double is) {
  std::string text = fmt::format("{} \u2192 {}", before, after);
  if (!(was > 0)) return text;
  const double percent = 100 * (is - was) / was;
  if (std::abs(percent) < 0.5) return text + " (as before)";
  return text + fmt::format(" ({:+.0f} %)", percent);
}

std::string time_change_text(double was_s, double is_s) {
  return change_text(base::human_seconds(was_s), base::human_seconds(is_s), was_s, is_s);
}

}  // namespace pathline::figure
