// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/placement.hpp"

#include <memory>

#include "mapping/files/placement_file.hpp"
#include "mapping/test_placement.hpp"
#include "network/torus.hpp"

namespace pathline::fuzz {
namespace {

using mapping::PlacementFormat;

/// 24 nodes, n01 to n24.
struct Machine {
  std::unique_ptr<network::Torus> network;
  mapping::NodeNames names;
};

const Machine& machine() {
  static const Machine instance = [] {
    network::TorusShape shape;
    shape.sizes = {3, 4, 2};
    auto torus = network::Torus::make(shape).value();
    std::vector<std::string> hosts;
    for (uint32_t node = 1; node <= torus->node_count(); ++node) {
      hosts.push_back((node < 10 ? "n0" : "n") + std::to_string(node));
    }
    auto names = mapping::NodeNames::make(*torus, std::move(hosts)).value();
    return Machine{std::move(torus), std::move(names)};
  }();
  return instance;
}

std::string broken_by_error(const base::Error& error) {
  if (!error.message.starts_with("map.txt: ")) return "this error names no file: " + error.message;
  const bool of_all = error.message.find("is like no file") != std::string::npos ||
                      error.message.find("places no rank") != std::string::npos;
  if (error.code == base::ErrorCode::kCorrupt && !of_all &&
      error.message.find("line ") == std::string::npos) {
    return "this error names no line: " + error.message;
  }
  return "";
}

std::string broken_by(const mapping::Placement& placement) {
  const mapping::NodeNames& names = machine().names;
  if (auto status = mapping::check_placement(placement, names.network(), 0); !status) {
    return "what was read is no placement: " + status.error().message;
  }
  // Thousands of ranks take long, and tell nothing more.
  if (placement.rank_count() > 10'000) return "";
  for (const auto format : {PlacementFormat::kBlueGene, PlacementFormat::kSlurm,
                            PlacementFormat::kRankfile, PlacementFormat::kPlain}) {
    const auto text = mapping::format_placement(placement, format, names);
    if (!text && format == PlacementFormat::kSlurm) continue;  // It cannot say every order.
    if (!text) return "what was read cannot be written: " + text.error().message;
    const auto again = mapping::read_placement(text.value(), "map.txt", names, {.format = format});
    if (!again) return "what was written cannot be read: " + again.error().message;
    if (again.value() != placement) return "what was written is read as something else";
  }
  return "";
}

}  // namespace

std::string placement_example(std::string_view format) {
  const auto kind = mapping::find_placement_format(format).value();
  const auto placement = mapping::block_placement(36, 2);
  std::string text = mapping::format_placement(placement, kind, machine().names,
                                               {.ranks_per_node = 2, .hop_bytes_before = 1e9})
                         .value();
  // What is only read.
  if (kind == PlacementFormat::kSlurm) text += "n[19-21,24]*2\n";
  if (kind == PlacementFormat::kRankfile) text += "rank 36=+n20 slot=0:*\nrank 37=n22 slot=1:0-3\n";
  return text;
}

std::string probe_placement(std::string_view text) {
  for (const auto format :
       {std::optional<PlacementFormat>(), std::optional(PlacementFormat::kBlueGene),
        std::optional(PlacementFormat::kSlurm), std::optional(PlacementFormat::kRankfile),
        std::optional(PlacementFormat::kPlain), std::optional(PlacementFormat::kRunTable)}) {
    for (const uint32_t ranks_per_node : {0U, 2U}) {
      const auto placement = mapping::read_placement(
          text, "map.txt", machine().names, {.format = format, .ranks_per_node = ranks_per_node});
      const std::string broken =
          placement ? broken_by(placement.value()) : broken_by_error(placement.error());
      if (!broken.empty()) return broken;
    }
  }
  return "";
}

}  // namespace pathline::fuzz
