// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mapping/qap/qap.hpp"

// What the search is judged by; for tests only.
namespace pathline::mapping {

struct QapProof {
  Permutation place_of_item;
  int64_t cost = 0;
  uint64_t node_count = 0;  ///< Partial solutions that were bounded.
  bool proven = false;      ///< No permutation has a smaller cost.
};

/// The best solution, by branch and bound with the bound of Gilmore (SIAM J. Appl. Math. 10, 1962)
/// and Lawler (Management Science 9, 1963), beginning with a short search_qap(). 12 items take
/// about a second, 16 or more may take days.
///
/// node_limit  gives up after so many partial solutions: the best found, not proven.
/// errors      those of Qap::check(); kUnsupported beyond kMaxExactSize items.
constexpr uint32_t kMaxExactSize = 32;
base::Result<QapProof> prove_qap(const Qap& qap, uint64_t node_limit);

}  // namespace pathline::mapping
