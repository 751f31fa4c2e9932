// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/rows.hpp"

namespace pathline::predict {

/// Rows as a benchmark of a machine without noise would store them: one launch, three equal
/// samples.
struct TestRows {
  std::vector<store::Launch> launches = {{.id = 1}};
  std::vector<store::Compute> computes = {};
  std::vector<store::Halo> halos = {};
  std::vector<store::Probe> probes = {};

  void add_compute(const std::string& kernel, store::Id scenario, uint32_t side, double seconds) {
    computes.push_back({.launch = 1,
                        .scenario = scenario,
                        .kernel = kernel,
                        .m = side,
                        .n = side,
                        .bytes = uint64_t{8} * 13 * (side + 2) * (side + 2),
                        .samples = {seconds, seconds, seconds}});
  }

  /// From 8 B to 1 MiB by powers of two.
  void add_halos(const std::string& connection, uint32_t hops, uint32_t lanes,
                 const std::function<double(double)>& seconds_of_bytes) {
    for (const char* layout : {"contiguous", "strided"}) {
      for (uint64_t bytes = 8; bytes <= 1U << 20U; bytes *= 2) {
        const double seconds = seconds_of_bytes(static_cast<double>(bytes));
        halos.push_back({.launch = 1,
                         .connection = connection,
                         .hops = hops,
                         .layout = layout,
                         .bytes = bytes,
                         .lanes = lanes,
                         .samples = {seconds, seconds, seconds}});
      }
    }
  }
};

}  // namespace pathline::predict
