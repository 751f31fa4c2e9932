// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "app/efficiency.hpp"
#include "app/findings.hpp"

namespace pathline::app {

/// Style of findings_section(), for the page's own.
extern const char* const kFindingsStyle;

/// A section of a report: each finding with its gain, where it is, what to do and the commands that
/// show it, those of low confidence apart; the tree of efficiencies; what was not looked at.
/// Without findings it says so. Numbers are those of `pathline findings`.
///
/// efficiency  to show in place of that of the findings; nullptr for none
/// has_views  whether the page has timeline_section(), which a click on a finding then sets
std::string findings_section(const FindingsReport& report, const EfficiencyReport* efficiency,
                             bool has_views);

}  // namespace pathline::app
