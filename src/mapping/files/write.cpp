// SPDX-License-Identifier: BSD-3-Clause
#include <iterator>

#include <fmt/format.h>

#include "base/text.hpp"
#include "mapping/files/placement_file.hpp"

namespace pathline::mapping {
namespace {

base::Error cannot_write(std::string fact, std::string advice) {
  return {base::ErrorCode::kUnsupported, std::move(fact), std::move(advice)};
}

bool in_rank_order(const Placement& placement) {
  return placement_on(placement.node_of_rank).slot_of_rank == placement.slot_of_rank;
}

base::Result<std::string> host_of(network::Vertex node, const NodeNames& names) {
  auto host = names.host(node);
  if (host && !host->empty() && host->find_first_of(" \t\r\n,[]*=#") == std::string::npos) {
    return *std::move(host);
  }
  const std::string fact =
      host ? fmt::format("'{}' is no host name that can be written", base::printable(*host))
           : fmt::format("node {} of {} has no host name", names.network().name(node),
                         names.network().spec());
  return cannot_write(fact, "--hosts FILE gives their names in the order of the nodes.");
}

base::Result<std::string> blue_gene(const Placement& placement, const NodeNames& names) {
  const network::Network& network = names.network();
  if (network.dimensions().empty()) {
    return cannot_write(fmt::format("the nodes of {} have no coordinates", network.spec()),
                        "Blue Gene/Q's map files are for tori.");
  }
  std::string text;
  std::vector<uint32_t> address(network.dimensions().size());
  for (uint32_t rank = 0; rank < placement.rank_count(); ++rank) {
    network.coordinates(placement.node_of_rank[rank], address);
    fmt::format_to(std::back_inserter(text), "{} {}\n", fmt::join(address, " "),
                   placement.slot_of_rank[rank]);
  }
  return text;
}

base::Result<std::string> slurm(const Placement& placement, const NodeNames& names) {
  if (!in_rank_order(placement)) {
    return cannot_write(
        "Slurm gives the ranks of a node its slots in rank order, but the placement "
        "wants another one",
        "A rankfile can say which rank has which slot.");
  }
  std::string text;
  for (const network::Vertex node : placement.node_of_rank) {
    auto host = host_of(node, names);
    if (!host) return host;
    text += host.value() + '\n';
  }
  return text;
}

base::Result<std::string> rankfile(const Placement& placement, const NodeNames& names) {
  std::string text;
  for (uint32_t rank = 0; rank < placement.rank_count(); ++rank) {
    auto host = host_of(placement.node_of_rank[rank], names);
    if (!host) return host;
    fmt::format_to(std::back_inserter(text), "rank {}={} slot={}\n", rank, host.value(),
                   placement.slot_of_rank[rank]);
  }
  return text;
}

std::string plain(const Placement& placement, const NodeNames& names, const PlacementNotes& notes) {
  std::string text = fmt::format("{} of {} on {}\n", kPlainTitle,
                                 base::counted(placement.rank_count(), "rank", "ranks"),
                                 base::printable(names.network().spec()));
  const auto out = std::back_inserter(text);
  if (notes.ranks_per_node > 0) fmt::format_to(out, "# ranks per node: {}\n", notes.ranks_per_node);
  if (notes.hop_bytes_before) {
    fmt::format_to(out, "# hop-bytes before: {:.9g}\n", *notes.hop_bytes_before);
  }
  if (notes.hop_bytes_after) {
    fmt::format_to(out, "# hop-bytes after: {:.9g}\n", *notes.hop_bytes_after);
  }
  const bool with_slots = !in_rank_order(placement);
  fmt::format_to(out, "# rank node{}\n", with_slots ? " slot" : "");
  for (uint32_t rank = 0; rank < placement.rank_count(); ++rank) {
    fmt::format_to(out, "{} {}", rank, uint32_t{placement.node_of_rank[rank]});
    if (with_slots) fmt::format_to(out, " {}", placement.slot_of_rank[rank]);
    text += '\n';
  }
  return text;
}

}  // namespace

base::Result<std::string> format_placement(const Placement& placement, PlacementFormat format,
                                           const NodeNames& names, const PlacementNotes& notes) {
  if (auto status = check_placement(placement, names.network(), notes.ranks_per_node); !status) {
    return status.error();
  }
  switch (format) {
    case PlacementFormat::kBlueGene: return blue_gene(placement, names);
    case PlacementFormat::kSlurm: return slurm(placement, names);
    case PlacementFormat::kRankfile: return rankfile(placement, names);
    case PlacementFormat::kPlain: return plain(placement, names, notes);
    case PlacementFormat::kRunTable: break;
  }
  return cannot_write("placement.csv says where ranks ran, not where they shall run",
                      "Formats that can be written: bgq, slurm, rankfile, plain.");
}

}  // namespace pathline::mapping
