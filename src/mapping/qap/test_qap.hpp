// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/test_data.hpp"
#include "mapping/qap/qap.hpp"
#include "mapping/search/random.hpp"

namespace pathline::mapping {

/// Of numbers from `least` to `most`.
inline Qap random_qap(uint32_t size, int64_t least, int64_t most, bool symmetric, Random random) {
  Qap qap{size, std::vector<int64_t>(size_t{size} * size),
          std::vector<int64_t>(size_t{size} * size)};
  for (auto* matrix : {&qap.a, &qap.b}) {
    for (int64_t& value : *matrix) {
      value = least + static_cast<int64_t>(random.next() % static_cast<uint64_t>(most - least + 1));
    }
    for (size_t i = 0; symmetric && i < size; ++i) {
      for (size_t j = 0; j < i; ++j) (*matrix)[i * size + j] = (*matrix)[j * size + i];
    }
  }
  return qap;
}

/// The least cost of all permutations.
inline int64_t least_cost(const Qap& qap) {
  Permutation places = identity(qap.size);
  int64_t least = qap.cost(places);
  while (std::next_permutation(places.begin(), places.end())) {
    least = std::min(least, qap.cost(places));
  }
  return least;
}

/// The folder with QAPLIB's files.
inline std::filesystem::path qaplib_folder() { return base::third_party_data("qaplib"); }

struct QaplibProblem {
  Qap qap;
  int64_t best_cost = 0;
  Permutation best;  ///< Place of item.
};

/// Burkard, Karisch & Rendl, J. Global Optimization 10, 1997: NAME.dat holds the size and both
/// matrices, NAME.sln the size, the cost and a permutation from 1.
inline QaplibProblem read_qaplib(const std::string& name) {
  std::ifstream data(qaplib_folder() / (name + ".dat"));
  QaplibProblem problem;
  Qap& qap = problem.qap;
  data >> qap.size;
  qap.a.resize(size_t{qap.size} * qap.size);
  qap.b.resize(size_t{qap.size} * qap.size);
  for (auto* matrix : {&qap.a, &qap.b}) {
    for (int64_t& value : *matrix) data >> value;
  }
  std::ifstream solution(qaplib_folder() / (name + ".sln"));
  uint32_t size = 0;
  solution >> size >> problem.best_cost;
  problem.best.resize(qap.size);
  for (uint32_t& place : problem.best) {
    solution >> place;
    --place;
  }
  return problem;
}

}  // namespace pathline::mapping
