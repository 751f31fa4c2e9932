// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe_work.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace pathline::app {
namespace {

constexpr double kLeastShare = 0.002;
constexpr double kLeastBetweenCalls_s = 5e-6;

double lower_quartile(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 4);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

const WorkPiece* piece_of(const std::vector<WorkPiece>& pieces, uint32_t region) {
  const auto found = std::find_if(pieces.begin(), pieces.end(),
                                  [&](const WorkPiece& piece) { return piece.region == region; });
  return found == pieces.end() ? nullptr : &*found;
}

/// The stretches that have time in a region, in their order.
std::vector<size_t> stretches_with(const RankStep& step, uint32_t region) {
  std::vector<size_t> stretches;
  for (size_t i = 0; i < step.work.size(); ++i) {
    if (piece_of(step.work[i], region) != nullptr) stretches.push_back(i);
  }
  return stretches;
}

class Finder {
 public:
  Finder(const trace::Trace& trace, const RankSteps& steps, std::span<const Pattern> patterns,
         std::span<const Ways> ways, uint32_t reference, std::span<const double> cells_of_rank)
      : trace_(trace),
        steps_(steps),
        patterns_(patterns),
        ways_(ways),
        reference_(reference),
        cells_of_rank_(cells_of_rank) {}

  Work find() {
    lay_out();
    const auto [whole_s, step_s] = step_times();
    const double least_between_calls_s = std::max(kLeastBetweenCalls_s, kLeastShare * step_s);
    Work work;
    double described_s = 0;
    size_t unnamed = 0;
    for (size_t stretch = 0; stretch < layout_.size(); ++stretch) {
      std::vector<predict::Kernel>& kernels = work.stretches.emplace_back();
      for (const uint32_t region : layout_[stretch]) {
        const bool is_kernel = is_own_kernel(region);
        std::vector<double> samples =
            is_kernel ? samples_anywhere(stretch, region) : samples_of_like_ranks(stretch, region);
        const double seconds_per_cell = lower_quartile(samples);
        const double seconds = seconds_per_cell * cells_of_rank_[reference_];
        if (seconds <= 0 || seconds < kLeastShare * whole_s) continue;
        if (!is_kernel && seconds < least_between_calls_s) continue;
        described_s += seconds;
        const std::string name = region == kNoRegion
                                     ? fmt::format("work {}", ++unnamed)
                                     : std::string(trace_.definitions.regions[region].name);
        kernels.push_back({name, seconds_per_cell});
        if (region != kNoRegion && !is_kernel) work.beside_messages.push_back(name);
      }
    }
    work.share = whole_s > 0 ? described_s / whole_s : 0;
    return work;
  }

 private:
  [[nodiscard]] bool is_own_kernel(uint32_t region) const {
    return region != kNoRegion && !steps_.communicates[region];
  }

  /// Regions of each stretch, in the order in which they begin; all steps of the pattern together.
  void lay_out() {
    layout_.resize(2 * patterns_[reference_].groups.size() + 1);
    for (const RankStep& step : steps_.of_rank[reference_]) {
      if (!patterns_[reference_].fits(step)) continue;
      for (size_t i = 0; i < layout_.size(); ++i) {
        for (const WorkPiece& piece : step.work[i]) {
          auto& regions = layout_[i];
          if (std::find(regions.begin(), regions.end(), piece.region) == regions.end()) {
            regions.push_back(piece.region);
          }
        }
      }
    }
    for (size_t i = 0; i < layout_.size(); ++i) {
      for (const uint32_t region : layout_[i]) stretches_of_[region].push_back(i);
    }
  }

  [[nodiscard]] double per_cell(uint64_t ticks, size_t rank) const {
    return trace_.span_seconds(ticks) / cells_of_rank_[rank];
  }

  /// Of a step of the reference: outside of MPI, and all.
  [[nodiscard]] std::pair<double, double> step_times() const {
    std::vector<double> outside;
    std::vector<double> whole;
    for (const RankStep& step : steps_.of_rank[reference_]) {
      uint64_t ticks = 0;
      for (const auto& pieces : step.work) {
        for (const WorkPiece& piece : pieces) ticks += piece.ticks;
      }
      outside.push_back(trace_.span_seconds(ticks));
      whole.push_back(trace_.span_seconds(step.ticks));
    }
    return {lower_quartile(outside), lower_quartile(whole)};
  }

  /// Of a region that only works: at all ranks which have it in as many stretches.
  [[nodiscard]] std::vector<double> samples_anywhere(size_t stretch, uint32_t region) const {
    const std::vector<size_t>& expected = stretches_of_.at(region);
    const auto number = static_cast<size_t>(std::find(expected.begin(), expected.end(), stretch) -
                                            expected.begin());
    std::vector<double> samples;
    for (size_t rank = 0; rank < steps_.of_rank.size(); ++rank) {
      for (const RankStep& step : steps_.of_rank[rank]) {
        const std::vector<size_t> stretches = stretches_with(step, region);
        if (stretches.size() != expected.size()) continue;
        samples.push_back(per_cell(piece_of(step.work[stretches[number]], region)->ticks, rank));
      }
    }
    return samples;
  }

  [[nodiscard]] std::vector<double> samples_of_like_ranks(size_t stretch, uint32_t region) const {
    std::vector<double> samples;
    for (size_t rank = 0; rank < steps_.of_rank.size(); ++rank) {
      if (ways_[rank] != ways_[reference_]) continue;
      for (const RankStep& step : steps_.of_rank[rank]) {
        if (!patterns_[rank].fits(step)) continue;
        const WorkPiece* piece = piece_of(step.work[stretch], region);
        samples.push_back(piece == nullptr ? 0 : per_cell(piece->ticks, rank));
      }
    }
    return samples;
  }

  const trace::Trace& trace_;
  const RankSteps& steps_;
  std::span<const Pattern> patterns_;
  std::span<const Ways> ways_;
  uint32_t reference_;
  std::span<const double> cells_of_rank_;
  std::vector<std::vector<uint32_t>> layout_;
  std::map<uint32_t, std::vector<size_t>> stretches_of_;
};

}  // namespace

Work find_work(const trace::Trace& trace, const RankSteps& steps, std::span<const Pattern> patterns,
               std::span<const Ways> ways, uint32_t reference,
               std::span<const double> cells_of_rank) {
  return Finder(trace, steps, patterns, ways, reference, cells_of_rank).find();
}

}  // namespace pathline::app
