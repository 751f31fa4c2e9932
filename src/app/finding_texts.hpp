// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "app/findings.hpp"
#include "findings/finding.hpp"

namespace pathline::app {

/// What a finding is called in sentences.
struct FindingNames {
  std::string run;     ///< For commands.
  std::string region;  ///< Innermost region of the call path; "" outside of all.
  std::string before;  ///< The call of MPI behind most of it, FindingPlace::before; "" for none.
  double ticks_per_second = 1;
  uint32_t rank_count = 0;
  bool has_steps = false;
  double from_s = 0;
  double until_s = 0;
  std::string picture;  ///< Name of the file that a command makes, without its end.
  std::string host;     ///< Whose ranks are those that cause it, all and no others; "" for none.
};

/// What is wrong, in a sentence.
std::string finding_text(const findings::Finding& finding, const FindingNames& names);
/// What to do about it.
std::string finding_advice(const findings::Finding& finding);
/// Who causes it and who waits; all, where all have a part in it and find room.
FindingView finding_view(const findings::Finding& finding, const FindingNames& names);
/// Commands that show it; each works as it stands.
std::vector<std::string> finding_commands(const findings::Finding& finding,
                                          const FindingNames& names);

}  // namespace pathline::app
