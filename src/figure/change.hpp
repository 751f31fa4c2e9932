// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace pathline::figure {

/// "131 MB → 68 MB (-48 %)"; without a percentage when there was nothing, "(as before)" below half
/// a per cent.
std::string change_text(const std::string& before, const std::string& after, double was, double is);
/// "3.07 s → 1.47 s (-52 %)".
std::string time_change_text(double was_s, double is_s);

}  // namespace pathline::figure
