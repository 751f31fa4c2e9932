// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace deploy {

/// What both programs have.
struct Common {
  std::string output = {};     ///< A file; empty: standard output.
  double seconds = 0;          ///< For one point or one size.
  int64_t least = 20;          ///< Samples, even if they take longer.
  int64_t most = 1000;         ///< Samples.
  std::vector<int> bind = {};  ///< A processing unit for each rank of the world, or nothing.
  uint64_t seed = 1;           ///< Of the order in which things are measured.
  bool help = false;           ///< Only this is wanted then.
};

enum class Layout { kContiguous, kStrided, kPacked };
const char* name_of(Layout layout);

struct HaloOptions {
  Common common = {.seconds = 0.1};
  std::vector<size_t> bytes = {8, 64, 512, 4096, 32768, 262144};
  std::vector<Layout> layouts = {Layout::kContiguous};
  size_t stride = 1026;  ///< From element to element, in doubles.
  int lanes = 1;         ///< Rings at a time; divides the number of ranks.
  int places = 0;        ///< Of a ring: ranks / lanes.
  size_t level_bytes = 256 << 10;
  size_t inner_bytes = 0;
  int64_t batch = 0;  ///< Shifts in a sample; 0: so many that it can be timed.
  bool probe = false;
};

struct Size {
  int m;
  int n;
};

struct ComputeOptions {
  Common common = {.seconds = 0.3, .most = 2000};
  std::vector<Size> sizes = {{64, 64}};
  int64_t warmup = 2;  ///< Steps.
};

/// What --help prints.
const char* halo_help();
const char* compute_help();

// Throw Refused, with one line that names the option, what was found and what is expected.
HaloOptions parse_halo(const std::vector<std::string>& arguments, int rank_count);
ComputeOptions parse_compute(const std::vector<std::string>& arguments, int rank_count);

/// 0 to count - 1 in an order that the seed alone decides, the same on every machine.
std::vector<size_t> shuffled(size_t count, uint64_t seed);

}  // namespace deploy
