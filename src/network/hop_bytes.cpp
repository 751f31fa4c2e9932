// SPDX-License-Identifier: BSD-3-Clause
#include "network/hop_bytes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/text_input.hpp"
#include "network/lines.hpp"

namespace pathline::network {
namespace {

/// More ranks than any machine runs: a larger number is a mistake, and would cost memory per rank.
constexpr uint32_t kMaxRank = (1U << 24) - 1;
/// Beyond, a double does not hold every whole number.
constexpr double kMaxBytes = 9007199254740992.0;

/// Sums over links and nodes must fit into 64 bits.
constexpr double kMaxTotalBytes = 1e18;

struct Row {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  uint64_t bytes = 0;
  uint32_t hops = HopBytes::kNoHops;
};

/// Returns what is wrong with the line.
std::optional<std::string> parse_row(std::span<const std::string_view> words, Row& row) {
  if (words.size() != 3 && words.size() != 4) {
    return fmt::format("{}, expected SRC DST BYTES [HOPS]",
                       base::counted(words.size(), "field", "fields"));
  }
  const auto bad = [&](size_t word, std::string_view expected) {
    return fmt::format("'{}' is no {}", base::printable(words[word].substr(0, 40)), expected);
  };
  const auto sender = number_in<uint32_t>(words[0]);
  const auto receiver = number_in<uint32_t>(words[1]);
  if (!sender || *sender > kMaxRank) return bad(0, "rank");
  if (!receiver || *receiver > kMaxRank) return bad(1, "rank");
  const auto bytes = number_in<double>(words[2]);
  if (!bytes || !(*bytes >= 0) || *bytes > kMaxBytes) return bad(2, "number of bytes");
  row = {*sender, *receiver, static_cast<uint64_t>(std::llround(*bytes))};
  if (words.size() == 4) {
    const auto hops = number_in<uint32_t>(words[3]);
    if (!hops || *hops == HopBytes::kNoHops) return bad(3, "number of hops");
    row.hops = *hops;
  }
  return std::nullopt;
}

}  // namespace

base::Result<HopBytes> parse_hop_bytes(std::string_view text, const std::string& file,
                                       bool partial) {
  HopBytes out;
  double total = 0;
  for (Lines lines(text, '#'); lines.next();) {
    if (lines.words().empty()) continue;
    Row row;
    if (const auto fault = parse_row(lines.words(), row)) {
      const std::string message = fmt::format("line {}: {}", lines.number(), *fault);
      if (!partial) {
        return base::Error{base::ErrorCode::kCorrupt,
                           fmt::format("cannot read {}: {}", base::printable(file), message),
                           "--partial leaves such lines out and counts them."};
      }
      if (out.malformed_lines++ == 0) out.first_malformed = message;
      continue;
    }
    total += static_cast<double>(row.bytes);
    if (total > kMaxTotalBytes) {
      return base::Error{base::ErrorCode::kUnsupported,
                         fmt::format("cannot use {}: line {}: with it there are more than {:.2g} "
                                     "bytes, too many to add up",
                                     base::printable(file), lines.number(), kMaxTotalBytes)};
    }
    out.sender.push_back(row.sender);
    out.receiver.push_back(row.receiver);
    out.bytes.push_back(row.bytes);
    out.hops.push_back(row.hops);
    out.line.push_back(lines.number());
    out.rank_count = std::max({out.rank_count, row.sender + 1, row.receiver + 1});
  }
  return out;
}

graph::Traffic traffic_of(const HopBytes& hop_bytes) {
  std::vector<graph::Pair> pairs(hop_bytes.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {hop_bytes.sender[i], hop_bytes.receiver[i], 0, hop_bytes.bytes[i]};
  }
  return graph::traffic_of(hop_bytes.rank_count, std::move(pairs));
}

base::Status check_hops(const HopBytes& hop_bytes, const Network& network,
                        std::span<const Vertex> node_of_rank, const std::string& file) {
  size_t differing = 0;
  std::string first;
  for (size_t i = 0; i < hop_bytes.size(); ++i) {
    if (hop_bytes.hops[i] == HopBytes::kNoHops) continue;
    const Vertex from = node_of_rank[hop_bytes.sender[i]];
    const Vertex to = node_of_rank[hop_bytes.receiver[i]];
    const uint32_t hops = network.distance(from, to);
    if (hops == hop_bytes.hops[i]) continue;
    if (differing++ == 0) {
      first = fmt::format("line {}: ranks {} and {} are {} apart, but {} in {}", hop_bytes.line[i],
                          hop_bytes.sender[i], hop_bytes.receiver[i],
                          base::counted(hop_bytes.hops[i], "hop", "hops"), hops, network.spec());
    }
  }
  if (differing == 0) return {};
  return base::Error{
      base::ErrorCode::kInvalidArgument,
      fmt::format("{}: {} ({} of {} lines differ)", base::printable(file), first, differing,
                  hop_bytes.size()),
      "'pathline infer' finds the shape that was measured; --ignore-hops uses the traffic on this "
      "network all the same."};
}

base::Result<std::vector<std::pair<uint32_t, uint32_t>>> read_pairs(const std::string& file,
                                                                    uint32_t rank_count) {
  auto input = base::TextInput::open(file);
  if (!input) return input.error();
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (Lines lines(input.value().text(), '#'); lines.next();) {
    const auto words = lines.words();
    if (words.empty()) continue;
    const auto fault = [&](base::ErrorCode code, std::string_view fact) {
      return base::Error{code, fmt::format("cannot use {}: line {}: {}", base::printable(file),
                                           lines.number(), fact)};
    };
    if (words.size() != 2) {
      return fault(
          base::ErrorCode::kCorrupt,
          fmt::format("{}, expected SRC DST", base::counted(words.size(), "field", "fields")));
    }
    std::array<uint32_t, 2> ranks{};
    for (size_t i = 0; i < 2; ++i) {
      const auto rank = number_in<uint32_t>(words[i]);
      if (!rank) {
        return fault(base::ErrorCode::kCorrupt,
                     fmt::format("'{}' is no rank", base::printable(words[i].substr(0, 40))));
      }
      if (*rank >= rank_count) {
        return fault(base::ErrorCode::kInvalidArgument,
                     fmt::format("rank {} is out of range: there are {} ranks", *rank, rank_count));
      }
      ranks[i] = *rank;
    }
    pairs.emplace_back(ranks[0], ranks[1]);
  }
  if (pairs.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} names no pair of ranks", base::printable(file))};
  }
  return pairs;
}

base::Result<std::vector<Vertex>> block_placement(const Machine& machine, uint32_t rank_count) {
  const Network& network = *machine.network;
  const uint64_t places = uint64_t{network.node_count()} * machine.ranks_per_node;
  if (rank_count > places) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("there are {} ranks, but {} has room for {} ({} nodes, {} on each)", rank_count,
                    network.spec(), places, network.node_count(),
                    base::counted(machine.ranks_per_node, "rank", "ranks")),
        "Say ,ranks-per-node=N behind the network, or give the network that was used."};
  }
  std::vector<Vertex> node_of_rank(rank_count);
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    node_of_rank[rank] = Vertex(rank / machine.ranks_per_node);
  }
  return node_of_rank;
}

}  // namespace pathline::network
