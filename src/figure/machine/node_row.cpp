// SPDX-License-Identifier: BSD-3-Clause
#include "figure/machine/node_row.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace pathline::figure {

NodeRow place_nodes(const insitu::Machine& machine, double left, double width) {
  constexpr double kLeastRankWidth = 5;  // px
  NodeRow row;
  const auto count = static_cast<double>(machine.nodes.size());
  double changes = 0;
  double units = 0;
  double ranks_per_unit = 0;
  for (size_t i = 0; i < machine.nodes.size(); ++i) {
    const insitu::Node& node = machine.nodes[i];
    changes += machine.new_switch(i) ? 1 : 0;
    units += node.width;
    row.most_ranks = std::max(row.most_ranks, node.ranks.size());
    for (const insitu::RankCell& cell : node.ranks) {
      ranks_per_unit = std::max(ranks_per_unit, 1 / (cell.end - cell.begin));
    }
  }
  const double gaps = count - 1 + 2 * changes;
  double gap = gaps > 0 ? std::clamp(0.12 * width / gaps, 0.5, 20.0) : 0;
  row.scale = (width - gaps * gap) / units;
  row.stacked = row.scale / ranks_per_unit < kLeastRankWidth;
  if (row.stacked) gap = std::min(gap, width / count / 3);
  const double column = (width - gaps * gap) / count;
  double x = left;
  row.place_of_rank.resize(machine.rank_count());
  for (size_t i = 0; i < machine.nodes.size(); ++i) {
    const insitu::Node& node = machine.nodes[i];
    if (i > 0) x += gap * (machine.new_switch(i) ? 3 : 1);
    const double w = row.stacked ? column : node.width * row.scale;
    row.nodes.push_back({x, 0, w, 0});
    for (size_t k = 0; k < node.ranks.size(); ++k) {
      const insitu::RankCell& cell = node.ranks[k];
      row.place_of_rank[cell.rank] = row.stacked ? x + w * (static_cast<double>(k) + 0.5) /
                                                           static_cast<double>(node.ranks.size())
                                                 : x + (cell.begin + cell.end) / 2 * row.scale;
    }
    x += w;
  }
  return row;
}

std::vector<std::string> shown_rows(const insitu::Machine& machine) {
  std::vector<std::string> shown;
  std::vector<size_t> cells_before;
  for (const std::string_view type : {"Machine", "Package", "NUMANode", "L3Cache", "Core", "PU"}) {
    std::vector<size_t> cells;
    for (const insitu::Node& node : machine.nodes) {
      cells.push_back(static_cast<size_t>(
          std::count_if(node.hardware.begin(), node.hardware.end(),
                        [&](const insitu::HardwareCell& cell) { return cell.type == type; })));
    }
    const bool any = std::any_of(cells.begin(), cells.end(), [](size_t n) { return n > 0; });
    const bool repeats = !shown.empty() && cells == cells_before;
    if (!any || (repeats && type != "PU")) continue;
    // PUs tell more than cores with one PU each: their numbers are those that pinning takes.
    if (repeats) shown.pop_back();
    shown.emplace_back(type);
    cells_before = std::move(cells);
  }
  return shown;
}

}  // namespace pathline::figure
