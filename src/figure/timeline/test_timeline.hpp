// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "figure/figure.hpp"
#include "figure/test_scene.hpp"
#include "trace/test_trace.hpp"

// Timelines of traces, and what is seen in them. For tests only; no program includes this.
namespace pathline::figure {

using layout::Boxes;
using layout::CellGrid;
using layout::Color;
using layout::Scene;
using layout::Segments;
using trace::Region;
using trace::TestTrace;
using trace::Trace;

inline Scene draw(const Trace& trace, const trace::Selection& selection = {},
                  Options options = {}) {
  options.bundling.mode = bundle::Bundling::kNone;  // bundling_test.cpp looks at the others
  base::ThreadPool pool(2);
  auto scene = timeline(trace, selection, options, {}, pool);
  return std::move(scene).value();
}

inline const CellGrid& states(const Scene& scene) { return *layers_of<CellGrid>(scene).at(0); }
inline const Segments& lines(const Scene& scene) { return *layers_of<Segments>(scene).at(0); }

/// Name and share of each entry of the legend, and its colour.
struct Entry {
  std::string name;
  std::string share;
  Color color;
};

inline std::vector<Entry> legend(const Scene& scene) {
  const Boxes& swatches = *layers_of<Boxes>(scene).back();
  const auto& texts = layers_of<layout::Labels>(scene).back()->items;
  std::vector<Entry> entries;
  size_t box = 0;
  for (size_t i = 0; i + 1 < texts.size() && box < swatches.color.size(); i += 2) {
    entries.push_back({texts[i].text, texts[i + 1].text, swatches.color[box]});
    // A gradient is made of boxes one pixel wide.
    do ++box;
    while (box < swatches.color.size() && swatches.w[box] == 1 && swatches.w[box - 1] == 1);
  }
  return entries;
}

/// Two ranks; one message each way inside 0 to 1000 ns.
inline Trace two_messages() {
  TestTrace test(2);
  const Region main = test.region("main");
  test.on(0).enter(0, main).send(100, 1, 8).recv(900, 1, 16).leave(1000, main);
  test.on(1).enter(0, main).recv(300, 0, 8).send(600, 0, 16).leave(1000, main);
  return test.finish();
}

}  // namespace pathline::figure
