// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/crowding.hpp"

#include <algorithm>
#include <cmath>

#include "base/id_map.hpp"

namespace pathline::figure {
namespace {

constexpr size_t kBins = 65536;    // of time; small enough to stay in the cache
constexpr size_t kPieces = 4;      // of the messages, whatever the number of threads
constexpr double kUnits = 0x1p20;  // sums are whole numbers of 1 / this

/// Differences from one bin to the next of what messages take and how many are under way.
struct Sums {
  std::vector<int64_t> taken = std::vector<int64_t>(kBins + 1);
  std::vector<int64_t> pending = std::vector<int64_t>(kBins + 1);
};

}  // namespace

Crowding::Crowding(const trace::Trace& trace, const Rows& rows, base::ThreadPool& pool)
    : span_ticks_(std::max<uint64_t>(1, trace.end_ticks - trace.start_ticks)) {
  const trace::Messages& messages = trace.messages;
  const double bins_per_tick = static_cast<double>(kBins) / static_cast<double>(span_ticks_);
  const double row_share = 1 / std::max(1.0, static_cast<double>(rows.rows.size()));
  const auto bin_of = [&](uint64_t ticks) {
    const auto since =
        static_cast<double>(ticks > trace.start_ticks ? ticks - trace.start_ticks : 0);
    return std::min(kBins - 1, static_cast<size_t>(since * bins_per_tick));
  };
  std::vector<Sums> pieces(kPieces);
  pool.for_each(kPieces, [&](size_t piece) {
    Sums& sums = pieces[piece];
    const size_t end = messages.size() * (piece + 1) / kPieces;
    for (size_t i = messages.size() * piece / kPieces; i < end; ++i) {
      const uint32_t sender = rows.of_rank[messages.sender[i]];
      const uint32_t receiver = rows.of_rank[messages.receiver[i]];
      if (sender == base::IdMap::kNone || receiver == base::IdMap::kNone) continue;
      const auto [first_ticks, last_ticks] =
          std::minmax({messages.send_ticks[i], messages.recv_ticks[i]});
      const size_t first = bin_of(first_ticks);
      const size_t last = bin_of(last_ticks);
      const double height = (sender < receiver ? receiver - sender : sender - receiver) + 1.0;
      const auto per_bin =
          static_cast<int64_t>(height * row_share * kUnits / static_cast<double>(last - first + 1));
      sums.taken[first] += per_bin;
      sums.taken[last + 1] -= per_bin;
      const double bins = static_cast<double>(last_ticks - first_ticks) * bins_per_tick;
      const auto part = static_cast<int64_t>(std::min(1.0, bins) * kUnits);
      sums.pending[first] += part;
      sums.pending[last + 1] -= part;
    }
  });
  for (size_t piece = 1; piece < kPieces; ++piece) {
    for (size_t bin = 0; bin <= kBins; ++bin) {
      pieces[0].taken[bin] += pieces[piece].taken[bin];
      pieces[0].pending[bin] += pieces[piece].pending[bin];
    }
  }
  std::vector<double> taken(kBins);
  std::vector<double> pending(kBins);
  int64_t taken_now = 0;
  int64_t pending_now = 0;
  for (size_t bin = 0; bin < kBins; ++bin) {
    taken[bin] = static_cast<double>(taken_now += pieces[0].taken[bin]) / kUnits;
    pending[bin] = static_cast<double>(pending_now += pieces[0].pending[bin]) / kUnits;
  }
  // As the lines themselves see it: bins weigh as much as is in them.
  for (size_t count = kBins; count >= 1; count /= 2) {
    double sum = 0;
    Level level;
    for (size_t bin = 0; bin < count; ++bin) {
      sum += taken[bin];
      level.taken += taken[bin] * taken[bin];
      level.pending += taken[bin] * pending[bin];
    }
    if (sum > 0) {
      level.taken /= sum;
      level.pending /= sum;
    }
    levels_.push_back(level);
    if (count == 1) break;
    for (size_t bin = 0; bin < count / 2; ++bin) {
      taken[bin] = taken[2 * bin] + taken[2 * bin + 1];
      pending[bin] = (pending[2 * bin] + pending[2 * bin + 1]) / 2;
    }
  }
}

double Crowding::at(uint64_t window_ticks, double plot_width_px, double plot_height_px) const {
  const double bins = kSpacingPx / plot_width_px * static_cast<double>(window_ticks) /
                      static_cast<double>(span_ticks_) * static_cast<double>(kBins);
  const double level = std::log2(std::max(bins, 1e-300));
  // Finer than the finest bins less is taken, in proportion.
  const double finer = level < 0 ? bins : 1;
  const auto low = static_cast<size_t>(
      std::clamp(std::floor(level), 0.0, static_cast<double>(levels_.size() - 1)));
  const size_t high = std::min(low + 1, levels_.size() - 1);
  const double part = std::clamp(level - static_cast<double>(low), 0.0, 1.0);
  const auto between = [&](double Level::*value) {
    return levels_[low].*value + part * (levels_[high].*value - levels_[low].*value);
  };
  return between(&Level::taken) * finer +
         between(&Level::pending) * kSpacingPx / std::max(1.0, plot_height_px);
}

uint64_t Crowding::lines_window_ticks(double plot_width_px, double plot_height_px) const {
  constexpr double kRoom = 1;
  constexpr double kStep = 1.05;
  for (auto window = static_cast<double>(span_ticks_); window >= 16; window /= kStep) {
    const auto ticks = static_cast<uint64_t>(window);
    if (at(ticks, plot_width_px, plot_height_px) <= kRoom) return ticks;
  }
  return 0;
}

}  // namespace pathline::figure
