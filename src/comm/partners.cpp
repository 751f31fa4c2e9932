// SPDX-License-Identifier: BSD-3-Clause
#include "comm/partners.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace pathline::comm {
namespace {

constexpr double kAll = 0.9;
constexpr double kHalf = 0.5;
constexpr double kMost = 0.75;
constexpr size_t kMostDistances = 3;
constexpr uint32_t kMostRanks = 4096;

/// "93 %", never "100 %" of less than all.
std::string percent(double share) {
  return share >= 1 ? "all" : fmt::format("{:.0f} %", std::min(99.0, 100 * share));
}

size_t largest(const std::vector<uint64_t>& counts) {
  return static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

/// "±1, ±4" of the most frequent distances, if these are few; "+1" where all go to higher ranks.
///
/// upwards  how many of a distance do.
std::string distances_text(const std::vector<uint64_t>& of_distance,
                           const std::vector<uint64_t>& upwards, double count) {
  // Of few ranks, few distances are nearly all that there are.
  const size_t most =
      of_distance.size() >= 8 ? kMostDistances : std::min(kMostDistances, of_distance.size() / 4);
  std::vector<std::pair<uint64_t, uint32_t>> frequent;
  for (uint32_t distance = 1; distance < of_distance.size(); ++distance) {
    if (of_distance[distance] > 0) frequent.emplace_back(of_distance[distance], distance);
  }
  std::sort(frequent.begin(), frequent.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<uint32_t> named;
  double share = 0;
  for (const auto& [times, distance] : frequent) {
    const double part = static_cast<double>(times) / count;
    const bool is_rest = share >= kMost && part < 0.05;
    if (named.size() == most || is_rest) break;
    named.push_back(distance);
    share += part;
  }
  if (share < kMost) return "";
  std::sort(named.begin(), named.end());
  std::string text = fmt::format("{} to ranks ", percent(share));
  for (size_t i = 0; i < named.size(); ++i) {
    const uint64_t up = upwards[named[i]];
    const char* sign = up == of_distance[named[i]] ? "+" : up == 0 ? "\u2212" : "\u00b1";
    text += fmt::format("{}{}{}", i == 0 ? "" : ", ", sign, named[i]);
  }
  return text;
}

}  // namespace

std::string partners_text(const trace::Trace& trace, std::span<const uint32_t> messages) {
  const uint32_t rank_count = trace.rank_count;
  if (messages.empty() || rank_count <= 2) return "";
  const trace::Messages& all = trace.messages;
  std::vector<uint64_t> sent(rank_count);
  std::vector<uint64_t> received(rank_count);
  std::vector<uint64_t> with(rank_count);
  std::vector<uint64_t> of_distance(rank_count);
  std::vector<uint64_t> upwards(rank_count);
  const bool counts_pairs = rank_count <= kMostRanks;
  std::vector<bool> has_pair(counts_pairs ? size_t{rank_count} * rank_count : 0);
  for (const uint32_t i : messages) {
    const uint32_t source = all.sender[i];
    const uint32_t target = all.receiver[i];
    ++sent[source];
    ++received[target];
    ++with[source];
    if (source != target) ++with[target];
    ++of_distance[source < target ? target - source : source - target];
    if (source < target) ++upwards[target - source];
    if (counts_pairs) has_pair[size_t{source} * rank_count + target] = true;
  }
  const auto count = static_cast<double>(messages.size());
  const auto share = [&](uint64_t part) { return static_cast<double>(part) / count; };
  const size_t hub = largest(with);
  const size_t receiver = largest(received);
  const size_t sender = largest(sent);
  const double to = share(received[receiver]);
  const double from = share(sent[sender]);
  const bool is_both_ways = share(with[hub]) >= kAll && std::max(to, from) < kAll;
  if (is_both_ways) return fmt::format("{} with rank {}", percent(share(with[hub])), hub);
  if (to >= kHalf) return fmt::format("{} to rank {}", percent(to), receiver);
  if (from >= kHalf) return fmt::format("{} from rank {}", percent(from), sender);
  std::string text = distances_text(of_distance, upwards, count);
  if (!text.empty() || !counts_pairs) return text;
  const auto pairs = static_cast<double>(std::count(has_pair.begin(), has_pair.end(), true));
  const auto senders = static_cast<double>(std::count_if(
      sent.begin(), sent.end(), [](uint64_t messages_sent) { return messages_sent > 0; }));
  const double each = pairs / senders;
  return fmt::format("to {:.{}f} ranks each", each, each < 10 && each != std::round(each) ? 1 : 0);
}

}  // namespace pathline::comm
