// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "app/network_input.hpp"
#include "mapping/problem.hpp"

namespace pathline::bench {

/// Measured traffic on the machine it was measured on: files of par-comm-data (Fujiwara et al.,
/// VAST 2017) in PATHLINE_TEST_DATA.
struct NetworkCase {
  const char* network;
  const char* hop_bytes;
  const char* routes = "";  ///< "": those of the network's rule.
};

inline constexpr NetworkCase kMiniAmr1024{"torus:4x4x4x8mx2",
                                          "MiniAMR_Mira_n1024_c1_s2_hopbyte.txt.gz"};
inline constexpr NetworkCase kMiniAmr2048{"torus:4x4x4x16x2,ranks-per-node=2",
                                          "MiniAMR_Mira_n2048_c2_s2_hopbyte.txt.gz"};
inline constexpr NetworkCase kMiniAmr4096{"torus:4x4x8x16x2",
                                          "MiniAMR_Mira_n4096_c1_s2_hopbyte.txt.gz"};
inline constexpr NetworkCase kMiniMd2048w{"torus:4x4x4x16x2", "MiniMD_Mira_n2048_c1_w_hopbyte.txt",
                                          "MiniMD_Mira_n2048_c1_w_route.txt"};
inline constexpr NetworkCase kMiniMd2048s1{"torus:4x4x4x16x2",
                                           "MiniMD_Mira_n2048_c1_s1_hopbyte.txt"};

/// A file of the data as a path; "" where there is none.
std::string par_comm_file(const char* folder, const char* name);

/// nullopt without the data, for which a benchmark says skipped(); ends the program with a message
/// when they cannot be read.
std::optional<app::NetworkInput> read_case(const NetworkCase& which, base::ThreadPool& pool);

/// Items and places, all nodes of the network.
mapping::Problem problem_of(const app::NetworkInput& input, base::ThreadPool& pool);

inline constexpr const char* kSkipped = "skipped: there is no such data in PATHLINE_TEST_DATA";

/// How much less than the mapping given a placement costs, in percent.
double reduction_pct(const mapping::Problem& problem, std::span<const uint32_t> place_of_item);

double median(std::vector<double> values);

}  // namespace pathline::bench
