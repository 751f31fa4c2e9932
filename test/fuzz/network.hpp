// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace pathline::fuzz {

/// A whole text of what describes networks and their traffic: "hopbytes", "routes", "xc40_routes",
/// "tree", "slurm", "edges", "hosts" (a host list), "spec", "xgft_spec" (--network) or "platform".
std::string network_example(std::string_view kind);

/// Reads a text as that. Returns which promise of the reader is broken, "" if none is: an error
/// names the file and the line, or for a host list and a --network the entry; routes of networks
/// lead from link to link and are as long as their distance; recorded routes that fit a network can
/// be written and read again.
std::string probe_network(std::string_view kind, std::string_view text);

}  // namespace pathline::fuzz
