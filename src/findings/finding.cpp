// SPDX-License-Identifier: BSD-3-Clause
#include "findings/finding.hpp"

#include <array>

namespace pathline::findings {

std::string_view finding_name(FindingKind kind) {
  static constexpr std::array<std::string_view, kFindingKindCount> kNames = {"serial_io",
                                                                             "late_root",
                                                                             "bottleneck_rank",
                                                                             "serial_section",
                                                                             "serialised_chain",
                                                                             "growing_imbalance",
                                                                             "slow_rank",
                                                                             "imbalance",
                                                                             "jitter",
                                                                             "wrong_order",
                                                                             "tiny_messages",
                                                                             "transfer",
                                                                             "collective_cost",
                                                                             "lock_contention",
                                                                             "omp_imbalance",
                                                                             "omp_serial",
                                                                             "bad_placement",
                                                                             "late_post_of_receive",
                                                                             "needless_barrier",
                                                                             "late_post",
                                                                             "fence_cost",
                                                                             "ipc_drop",
                                                                             "more_instructions",
                                                                             "frequency_drop",
                                                                             "polling",
                                                                             "start_up",
                                                                             "oversubscribed",
                                                                             "clock",
                                                                             "incomplete"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<trace::Region> regions_to(const Model& model, uint32_t path) {
  std::vector<trace::Region> regions;
  for (; path != kNone; path = model.call_paths[path].parent) {
    regions.insert(regions.begin(), model.call_paths[path].region);
  }
  return regions;
}

std::string_view confidence_name(Confidence confidence) {
  static constexpr std::array<std::string_view, 3> kNames = {"low", "medium", "high"};
  return kNames[static_cast<size_t>(confidence)];
}

}  // namespace pathline::findings
