// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "campaign/state.hpp"

namespace pathline::campaign {

/// What somebody who watches a campaign is told of its runs: of the first ones everything, of the
/// others nothing, as a thousand runs fail for one reason.
class RunNotes {
 public:
  /// tell  may be empty
  explicit RunNotes(std::function<void(const std::string&)> tell) : tell_(std::move(tell)) {}

  void say(const std::string& text) const {
    if (tell_) tell_(text);
  }
  void warn(const Run& run, const std::string& warning);
  /// With the last lines of what it printed.
  /// campaign  its folder
  void failed(const Run& run, const std::string& reason, const std::filesystem::path& campaign);
  /// trouble  Slurm::trouble(); said when it has changed
  void waits_for_slurm(const std::string& trouble);

 private:
  std::function<void(const std::string&)> tell_;
  uint64_t warnings_ = 0;
  uint64_t failures_ = 0;
  std::string trouble_;
};

}  // namespace pathline::campaign
