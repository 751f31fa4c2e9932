// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/phase_grid.hpp"

#include <algorithm>
#include <cmath>

#include "bundle/blur.hpp"

namespace pathline::bundle {
namespace {

constexpr double kSigma = 0.4;  // of the smallest width
constexpr double kNarrow = 0.75;
constexpr double kWide = 5;
constexpr double kSubPixel = 256;  // positions are summed in these

/// Where one basin ends and the next begins: pixel edges, in the middle of flat valleys.
struct Cut {
  double at;
  double height;  // of the valley
};

std::vector<Cut> valleys(const std::vector<double>& density) {
  std::vector<Cut> cuts;
  for (size_t begin = 1; begin + 1 < density.size();) {
    size_t end = begin;  // of equal values
    while (end + 1 < density.size() && density[end + 1] == density[begin]) ++end;
    if (end + 1 < density.size() && density[begin - 1] > density[begin] &&
        density[end + 1] > density[begin]) {
      cuts.push_back({static_cast<double>(begin + end + 1) / 2, density[begin]});
    }
    begin = end + 1;
  }
  return cuts;
}

/// Takes out the shallower border of every column that is too narrow, the narrowest first.
void join_narrow(std::vector<Cut>& cuts, double width, double narrow) {
  while (!cuts.empty()) {
    size_t best = cuts.size() + 1;
    double least = narrow;
    for (size_t i = 0; i <= cuts.size(); ++i) {
      const double begin = i == 0 ? 0 : cuts[i - 1].at;
      const double end = i == cuts.size() ? width : cuts[i].at;
      if (end - begin < least) {
        least = end - begin;
        best = i;
      }
    }
    if (best > cuts.size()) return;
    const bool left =
        best == cuts.size() || (best > 0 && cuts[best - 1].height > cuts[best].height);
    cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(left ? best - 1 : best));
  }
}

double node_of(const EndCounts& ends, double begin, double end) {
  int64_t count = 0;
  double sum = 0;
  const auto last = std::min(ends.count.size(), static_cast<size_t>(std::ceil(end)));
  for (auto x = static_cast<size_t>(begin); x < last; ++x) {
    count += ends.count[x];
    sum += static_cast<double>(ends.count[x]) * static_cast<double>(x) +
           static_cast<double>(ends.position[x]) / kSubPixel;
  }
  if (count == 0) return (begin + end) / 2;
  return std::clamp(sum / static_cast<double>(count), begin, end);
}

/// Ends of bands of at least `least` rows: equal ones within a block, small blocks joined with the
/// next.
std::vector<size_t> band_ends(const std::vector<uint32_t>& blocks, size_t row_count, size_t least) {
  const auto block_end = [&](size_t row) {
    const auto next = std::upper_bound(blocks.begin(), blocks.end(), row);
    return next == blocks.end() ? row_count : std::min<size_t>(*next, row_count);
  };
  std::vector<size_t> ends;
  for (size_t begin = 0; begin < row_count;) {
    const size_t rest = block_end(begin) - begin;
    if (rest >= least) {
      const size_t parts = rest / least;
      for (size_t part = 1; part <= parts; ++part) {
        ends.push_back(begin + (rest * part + parts - 1) / parts);
      }
    } else {
      // Into the next block, and through it if what would remain were too little.
      const size_t end = std::min(begin + least, row_count);
      const size_t whole = block_end(end - 1);
      ends.push_back(whole - end < least ? whole : end);
    }
    begin = ends.back();
  }
  const size_t bands = ends.size();
  if (bands > 1 && row_count - ends[bands - 2] < least) ends.erase(ends.end() - 2);
  return ends;
}

}  // namespace

EndCounts count_ends(const layout::Segments& lines) {
  const auto columns = static_cast<size_t>(std::max(1.0, std::ceil(lines.clip.w)));
  EndCounts ends{lines.clip.x, std::vector<int64_t>(columns), std::vector<int64_t>(columns)};
  const auto width = static_cast<float>(columns);
  const auto left = static_cast<float>(lines.clip.x);
  const auto add = [&](float x) {
    const float at = x - left;
    if (!(at >= 0 && at < width)) return;
    const auto column = static_cast<uint32_t>(at);
    ++ends.count[column];
    ends.position[column] +=
        static_cast<int64_t>((at - static_cast<float>(column)) * static_cast<float>(kSubPixel));
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    add(lines.x1[i]);
    add(lines.x2[i]);
  }
  return ends;
}

std::vector<Band> phase_columns(const EndCounts& ends, double width_min_px) {
  const double width = static_cast<double>(ends.count.size());
  const std::vector<double> counts(ends.count.begin(), ends.count.end());
  std::vector<Cut> cuts = valleys(gaussian_blur(counts, kSigma * width_min_px));
  join_narrow(cuts, width, kNarrow * width_min_px);

  std::vector<double> edges = {0};
  for (size_t i = 0; i <= cuts.size(); ++i) {
    const double begin = edges.back();
    const double end = i == cuts.size() ? width : cuts[i].at;
    const double parts = std::ceil((end - begin) / (kWide * width_min_px));
    for (double part = 1; part <= parts; ++part) {
      edges.push_back(part == parts ? end : begin + (end - begin) * part / parts);
    }
  }
  std::vector<Band> bands;
  const double margin_width = kWide * width_min_px;
  const auto margin_count = static_cast<int>(std::ceil(width / margin_width));
  const double left = ends.left;
  for (int i = margin_count; i > 0; --i) {
    const double begin = left - i * margin_width;
    bands.push_back({begin, begin + margin_width, begin + margin_width / 2});
  }
  for (size_t i = 1; i < edges.size(); ++i) {
    bands.push_back(
        {left + edges[i - 1], left + edges[i], left + node_of(ends, edges[i - 1], edges[i])});
  }
  for (int i = 0; i < margin_count; ++i) {
    const double begin = left + width + i * margin_width;
    bands.push_back({begin, begin + margin_width, begin + margin_width / 2});
  }
  return bands;
}

std::vector<Band> row_bands(const RowBands& rows, double top, double height, double gap_px) {
  const size_t row_count = std::max<size_t>(1, rows.row_count);
  const double row_px = height / static_cast<double>(row_count);
  std::vector<Band> bands;
  if (row_px >= 2 * gap_px) {
    // Nodes at the centres of rows and at equal distances between them.
    const double per_row = std::floor(row_px / gap_px);
    const double step = row_px / per_row;
    const auto nodes = static_cast<size_t>(static_cast<double>(row_count - 1) * per_row) + 1;
    for (size_t i = 0; i < nodes; ++i) {
      const double node = top + row_px / 2 + static_cast<double>(i) * step;
      bands.push_back({node - step / 2, node + step / 2, node});
    }
    bands.front().begin = top;
    bands.back().end = top + height;
    return bands;
  }
  size_t begin = 0;
  // There may be no height to divide by.
  const size_t least =
      height > gap_px ? static_cast<size_t>(std::ceil(gap_px / row_px)) : row_count;
  for (const size_t end : band_ends(rows.block_begin, row_count, std::min(least, row_count))) {
    const double from = top + static_cast<double>(begin) * row_px;
    const double to = top + static_cast<double>(end) * row_px;
    bands.push_back({from, to, (from + to) / 2});
    begin = end;
  }
  return bands;
}

BandIndex::BandIndex(const std::vector<Band>& bands) {
  origin_ = bands.front().begin;
  const double length = bands.back().end - origin_;
  band_.resize(static_cast<size_t>(std::max(1.0, std::ceil(length * kStepsPerPixel))));
  uint32_t band = 0;
  for (size_t i = 0; i < band_.size(); ++i) {
    const double centre = origin_ + (static_cast<double>(i) + 0.5) / kStepsPerPixel;
    while (band + 1 < bands.size() && bands[band].end <= centre) ++band;
    band_[i] = band;
  }
}

}  // namespace pathline::bundle
