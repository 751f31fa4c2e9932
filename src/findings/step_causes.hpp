// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "findings/critical_path.hpp"
#include "findings/efficiency.hpp"
#include "findings/model.hpp"
#include "profile/call_tree.hpp"

namespace pathline::findings {

/// What made a time step as long as it was.
struct StepCause {
  uint32_t step = 0;   ///< Its number.
  uint64_t ticks = 0;  ///< As StepEfficiency has it.
  /// Waits of all ranks that began in the step, by kind.
  std::array<uint64_t, comm::kWaitKindCount> waits{};
  /// The call path that has most on the critical path of this step beyond the mean of all ranks,
  /// and the rank's lane that has most of that; kNone where nothing is beyond the mean.
  uint32_t path = kNone;
  uint32_t lane = kNone;
  double beyond_ticks = 0;
};

/// steps, critical  of the same model: Efficiency::steps
/// returns          a cause for each of `steps`, in their order
/// cost             O(calls log steps + pieces log paths)
std::vector<StepCause> step_causes(const Model& model, const std::vector<StepEfficiency>& steps,
                                   const CriticalPath& critical);

/// step_causes() of a run that is modelled part by part, from the last one back to the first, and
/// the same to the last digit where clocks agree. In memory are the steps of a part and, of those
/// behind it, what the answer is.
class GrowingStepCauses {
 public:
  /// part      as for GrowingCriticalPath::add(), to which it was added before,
  /// critical  from where its stretches in the part are.
  /// returns   false where a step has the number of one of a later part: all is needed at a time.
  /// cost      O(calls log steps + pieces log paths) of the part.
  bool add(const Model& part, const GrowingCriticalPath& critical);
  /// steps  of all parts. Paths are those of GrowingCriticalPath::finish().
  [[nodiscard]] std::vector<StepCause> finish(const std::vector<StepEfficiency>& steps) const;

 private:
  friend std::vector<StepCause> step_causes(const Model&, const std::vector<StepEfficiency>&,
                                            const CriticalPath&);

  /// Time of one call path in one step.
  struct Share {
    std::map<uint32_t, uint64_t> on_path;  // By lane.
    uint64_t on_path_ticks = 0;
    uint64_t all_ticks = 0;  // Of all ranks, waits left out.
  };
  struct Step {
    std::map<uint32_t, Share> shares;  // By node of tree_.
    std::array<uint64_t, comm::kWaitKindCount> waits{};
  };
  class Add;

  void begin(const Model& part);
  [[nodiscard]] StepCause cause_of(const Step& step) const;
  [[nodiscard]] std::vector<trace::Region> regions_to(uint32_t node) const;

  uint32_t ranks_ = 0;
  profile::CallTree tree_;
  std::vector<uint32_t> nodes_;           // Per call path of the part.
  std::map<uint32_t, Step> open_;         // By number: those that may go on in the part before.
  std::map<uint32_t, StepCause> causes_;  // Of the others, with nodes for paths.
  std::vector<uint64_t> crossing_;        // Per lane: of the path, in a call of a part before.
};

}  // namespace pathline::findings
