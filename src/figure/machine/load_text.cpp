// SPDX-License-Identifier: BSD-3-Clause
#include "figure/machine/load_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/machine/step_sums.hpp"

namespace pathline::figure {
namespace {

constexpr double kUneven = 1.1;

std::string value_text(double value, Metric metric) {
  switch (metric) {
    case Metric::kBytes: return base::human_bytes(value);
    case Metric::kMessages: return base::human_count(static_cast<uint64_t>(value));
    default: return base::human_seconds(value);
  }
}

/// "rank 7", "ranks 7 and 0", "rank 7 and 5 more": `most`, and who else has at least `high`.
std::string ranks_text(std::span<const double> values, uint32_t most, double high) {
  size_t others = 0;
  uint32_t other = 0;
  for (uint32_t rank = 0; rank < values.size(); ++rank) {
    if (rank == most || !(values[rank] >= high)) continue;
    ++others;
    other = rank;
  }
  if (others == 0) return fmt::format("rank {}", most);
  if (others == 1) return fmt::format("ranks {} and {}", most, other);
  return fmt::format("rank {} and {} more", most, others);
}

/// ", mostly in boundary: 107 ms there, 44.1 ms on average": the region that at least half of what
/// `rank` computes more than the mean goes to; of those that hold one another the innermost.
///
/// excess_s  by how much the rank is over the mean
std::string cause_text(const insitu::Figures& figures, const insitu::Step& step, uint32_t rank,
                       double excess_s) {
  const size_t regions = figures.regions.size();
  const size_t ranks = step.ranks.size();
  if (step.regions.size() != regions * ranks || !(excess_s > 0)) return "";
  size_t cause = regions;
  double cause_mean = 0;
  double most_sharply = 1;
  for (size_t i = 0; i < regions; ++i) {
    double mean = 0;
    for (size_t r = 0; r < ranks; ++r) mean += step.regions[r * regions + i].seconds;
    mean /= static_cast<double>(ranks);
    const double own = step.regions[rank * regions + i].seconds;
    // What lies around it has the same excess, over a larger mean.
    if (own - mean < excess_s / 2 || own / mean <= most_sharply) continue;
    most_sharply = own / mean;
    cause_mean = mean;
    cause = i;
  }
  if (cause == regions) return "";
  return fmt::format(", mostly in {}: {} there, {} on average",
                     base::printable(figures.regions[cause]),
                     base::human_seconds(step.regions[rank * regions + cause].seconds),
                     base::human_seconds(cause_mean));
}

/// "; 40 pairs exchange nothing but empty messages"
std::string empty_text(const insitu::Step& step) {
  const std::vector<RankPair> pairs = pairs_of(step);
  const auto empty = std::count_if(pairs.begin(), pairs.end(),
                                   [](const RankPair& pair) { return pair.bytes == 0; });
  if (empty == 0) return "";
  return fmt::format(
      "; {} nothing but empty messages",
      base::counted(static_cast<uint64_t>(empty), "pair exchanges", "pairs exchange"));
}

/// "; 49.2 kB written, 100 % of it by rank 0"
std::string written_text(const insitu::Step& step) {
  uint64_t all = 0;
  uint32_t most = 0;
  for (uint32_t rank = 0; rank < step.ranks.size(); ++rank) {
    all += step.ranks[rank].write_bytes;
    if (step.ranks[rank].write_bytes > step.ranks[most].write_bytes) most = rank;
  }
  if (all == 0) return "";
  const double share = static_cast<double>(step.ranks[most].write_bytes) / static_cast<double>(all);
  std::string text = fmt::format("; {} written", base::human_bytes(static_cast<double>(all)));
  if (share > std::min(4.0 / static_cast<double>(step.ranks.size()), 0.9)) {
    text += fmt::format(", {:.0f} % of it by rank {}", 100 * share, most);
  }
  return text;
}

}  // namespace

const char* name_of_load(Metric metric) {
  switch (metric) {
    case Metric::kBytes: return "bytes sent";
    case Metric::kMessages: return "messages sent";
    default: return "computation";
  }
}

std::string load_text(const insitu::Machine& machine, const insitu::Figures& figures,
                      const insitu::Step& step, std::span<const double> values, Metric metric) {
  double sum = 0;
  size_t count = 0;
  uint32_t most = 0;
  for (uint32_t rank = 0; rank < values.size(); ++rank) {
    if (std::isnan(values[rank])) continue;
    sum += values[rank];
    ++count;
    if (std::isnan(values[most]) || values[rank] > values[most]) most = rank;
  }
  std::string text = fmt::format("{} on {}", base::counted(machine.rank_count(), "rank", "ranks"),
                                 base::counted(machine.nodes.size(), "node", "nodes"));
  if (count > 0) {
    const double mean = sum / static_cast<double>(count);
    const bool uneven = values[most] > kUneven * mean;
    text += fmt::format("; {}: ", name_of_load(metric));
    if (uneven) {
      text += fmt::format("most on {}, {}, ",
                          ranks_text(values, most, std::max(0.9 * values[most], kUneven * mean)),
                          value_text(values[most], metric));
    }
    text += fmt::format("mean {}", value_text(mean, metric));
    if (mean > 0) text += fmt::format(" (imbalance {:.0f} %)", 100 * (values[most] / mean - 1));
    if (uneven && metric == Metric::kTime) {
      text += cause_text(figures, step, most, values[most] - mean);
    }
  }
  return text + empty_text(step) + written_text(step);
}

}  // namespace pathline::figure
