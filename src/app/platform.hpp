// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::app {

/// The machine that a platform file of SimGrid describes.
struct Platform {
  std::vector<std::string> hosts;  ///< In the order of the network's nodes.
  uint32_t cores = 1;              ///< Of each host.
  std::string node;                ///< A host as hwloc's synthetic description: "core:16 pu:1".
  /// What network::parse_network() understands, with SimGrid's routes; empty for a flat cluster,
  /// where each host has one cable to all others.
  std::string network;
};

/// Reads a platform whose only machine is one <cluster>, flat, a TORUS or a FAT_TREE, in zones that
/// hold nothing else. Speeds, bandwidths and latencies are left to SimGrid. Routes are those of
/// SimGrid 3.32 (test/simgrid).
///
/// errors  kNotFound and kIo of the file; kCorrupt for what is no XML or no platform, and for hosts
///         that are no whole topology; kUnsupported for everything else that SimGrid knows, for a
///         document type with definitions of its own, and for more than 2^20 hosts. All name file
///         and line; the advice names the options that say the same by hand.
/// cost    O(size of the file + hosts + links).
base::Result<Platform> read_platform(const std::filesystem::path& path);

/// The same of a text. `name` is for errors.
base::Result<Platform> parse_platform(std::string_view xml, const std::string& name);

}  // namespace pathline::app
