// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/files/seating.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text.hpp"
#include "network/lines.hpp"

namespace pathline::mapping {

Seating::Seating(std::string_view file_name, const NodeNames& names,
                 const PlacementQuestion& question)
    : file_name_(file_name), names_(names), question_(question) {}

base::Error Seating::fault(base::ErrorCode code, size_t line, std::string_view fact,
                           std::string advice) const {
  return {code,
          line == 0 ? fmt::format("{}: {}", file_name_, fact)
                    : fmt::format("{}: line {}: {}", file_name_, line, fact),
          std::move(advice)};
}

base::Result<uint32_t> Seating::rank_in(size_t line, std::string_view word) const {
  const auto rank = network::number_in<uint32_t>(word);
  if (!rank || *rank >= kMaxRanks) {
    return corrupt(line, fmt::format("'{}' is no rank", base::printable(word.substr(0, 40))));
  }
  return *rank;
}

base::Result<network::Vertex> Seating::node_of_host(size_t line, std::string_view host) const {
  const network::Vertex node = names_.find(host);
  if (node.valid()) return node;
  const std::string_view like = names_.nearest(host);
  return fault(base::ErrorCode::kNotFound, line,
               fmt::format("there is no host '{}' in {}", base::printable(host.substr(0, 80)),
                           names_.network().spec()),
               like.empty() ? "--hosts FILE gives their names in the order of the nodes."
                            : fmt::format("Is '{}' meant?", base::printable(like)));
}

base::Status Seating::place(size_t line, uint32_t rank, network::Vertex node, uint64_t slot) {
  if (rank >= kMaxRanks) {
    return corrupt(line, fmt::format("more than {} ranks are too many to be meant",
                                     base::human_count(kMaxRanks)));
  }
  if (question_.rank_count > 0 && rank >= question_.rank_count) {
    return fault(
        base::ErrorCode::kInvalidArgument, line,
        fmt::format("rank {} does not exist: the last is {}", rank, question_.rank_count - 1));
  }
  if (rank >= line_.size()) {
    line_.resize(rank + size_t{1}, 0);
    node_.resize(rank + size_t{1});
    slot_.resize(rank + size_t{1}, 0);
  }
  if (line_[rank] != 0) {
    return fault(base::ErrorCode::kInvalidArgument, line,
                 fmt::format("rank {} is placed again, after line {}", rank, line_[rank]));
  }
  line_[rank] = line;
  node_[rank] = node;
  slot_[rank] = slot;
  return {};
}

base::Status Seating::check_missing() const {
  if (line_.empty()) return fault(base::ErrorCode::kCorrupt, 0, "places no rank");
  const uint32_t wanted = std::max(question_.rank_count, rank_count());
  std::vector<uint32_t> missing;
  uint32_t count = 0;
  for (uint32_t rank = 0; rank < wanted; ++rank) {
    if (rank < line_.size() && line_[rank] != 0) continue;
    if (++count <= 3) missing.push_back(rank);
  }
  if (count == 0) return {};
  return fault(
      base::ErrorCode::kInvalidArgument, 0,
      fmt::format("{} of {} {} not placed: {}{}", count, base::counted(wanted, "rank", "ranks"),
                  count == 1 ? "is" : "are", fmt::join(missing, ", "), count > 3 ? ", ..." : ""));
}

std::string Seating::who(uint32_t rank) const {
  const network::Vertex node = node_[rank];
  return names_.host(node).value_or(names_.network().name(node));
}

/// ranks[begin .. end) are those of a node, in the order of their slots.
base::Status Seating::check_node(const std::vector<uint32_t>& ranks, size_t begin,
                                 size_t end) const {
  const uint32_t fit = question_.ranks_per_node;
  if (fit > 0 && end - begin > fit) {
    const uint32_t last = *std::max_element(ranks.begin() + static_cast<ptrdiff_t>(begin),
                                            ranks.begin() + static_cast<ptrdiff_t>(end));
    return fault(
        base::ErrorCode::kInvalidArgument, line_[last],
        fmt::format("node {} gets {} ranks with rank {}, but {}", base::printable(who(last)),
                    end - begin, last, fit == 1 ? "one fits" : fmt::format("{} fit", fit)));
  }
  if (number_slots_) return {};
  for (size_t i = begin + 1; i < end; ++i) {
    if (slot_[ranks[i]] != slot_[ranks[i - 1]]) continue;
    const auto [first, second] = std::minmax(
        ranks[i - 1], ranks[i], [&](uint32_t a, uint32_t b) { return line_[a] < line_[b]; });
    return fault(
        base::ErrorCode::kInvalidArgument, line_[second],
        fmt::format("rank {} gets slot {} of node {}, which rank {} has after line {}", second,
                    slot_[second], base::printable(who(second)), first, line_[first]));
  }
  return {};
}

base::Result<Placement> Seating::finish() {
  if (auto status = check_missing(); !status) return status.error();
  std::vector<uint32_t> ranks = identity(rank_count());
  std::sort(ranks.begin(), ranks.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(node_[a], slot_[a], a) < std::tuple(node_[b], slot_[b], b);
  });
  Placement placement;
  placement.node_of_rank = node_;
  placement.slot_of_rank.assign(slot_.begin(), slot_.end());
  for (size_t begin = 0; begin < ranks.size();) {
    size_t end = begin;
    while (end < ranks.size() && node_[ranks[end]] == node_[ranks[begin]]) ++end;
    if (auto status = check_node(ranks, begin, end); !status) return status.error();
    for (size_t i = begin; number_slots_ && i < end; ++i) {
      placement.slot_of_rank[ranks[i]] = static_cast<uint32_t>(i - begin);
    }
    begin = end;
  }
  return placement;
}

}  // namespace pathline::mapping
