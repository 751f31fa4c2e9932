// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "findings/call_numbers.hpp"
#include "findings/model.hpp"

namespace pathline::findings {

/// How a time step ends.
struct StepEnd {
  uint64_t begin_ticks = 0;  ///< For the first rank.
  uint64_t ticks = 0;        ///< For the last rank.
  bool together = false;     ///< All ranks are in one operation of all with all last.
};

/// How the steps of a run end that is modelled part by part.
class GrowingStepEnds {
 public:
  /// numbers  of this part, which was not ended yet.
  /// cost     O(steps of all ranks in the part).
  void add(const Model& part, const CallNumbers& numbers);
  /// By number of the step.
  [[nodiscard]] std::map<uint32_t, StepEnd> finish() const;

 private:
  /// What a rank is in last that talks to anybody.
  struct Last {
    uint64_t key;   // Of the group, or kNoGroup.
    uint32_t size;  // Of that.
  };
  static constexpr uint64_t kNoGroup = UINT64_MAX;
  struct Open {  // A step that may go on.
    trace::StepWindow window;
    std::optional<Last> last;
  };
  struct Step {
    uint64_t begin_ticks = UINT64_MAX;
    uint64_t ticks = 0;
    uint64_t key = kNoGroup;
    uint32_t size = 0;
    uint32_t ranks = 0;  // That are in this group last.
    bool differs = false;
  };
  [[nodiscard]] static std::optional<Last> last_of(const Model& part, const CallNumbers& numbers,
                                                   uint32_t rank, const trace::StepWindow& step);
  void end(uint32_t rank, const Open& step);

  uint32_t ranks_ = 0;                   // That are recorded.
  std::map<uint32_t, uint32_t> slots_;   // By number of a step.
  std::vector<Step> steps_;              // By slot.
  std::vector<std::vector<Open>> open_;  // Per rank.
  std::vector<std::vector<bool>>
      ended_;  // Per rank, by slot: a number that comes again is not asked.
};

}  // namespace pathline::findings
