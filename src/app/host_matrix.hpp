// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/matrix.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Messages from the ranks of one host to those of another, or of itself.
struct HostPair {
  std::string sender_host;  ///< "" where a rank's host is not known.
  std::string receiver_host;
  uint64_t messages = 0;
  uint64_t bytes = 0;
  double min_s = 0;
  double mean_s = 0;
  double max_s = 0;
};

/// The matrix added up by host, in the order of the first ranks of senders, then receivers.
std::vector<HostPair> host_matrix(const trace::Trace& trace, const comm::Matrix& matrix);

/// "1.30 GB of 4.00 GB (32.5 %) cross hosts, in 120 of 480 messages"; says so where all ranks run
/// on one host, or nobody knows where.
std::string crossing_text(const std::vector<HostPair>& pairs);

}  // namespace pathline::app
