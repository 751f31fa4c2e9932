// SPDX-License-Identifier: BSD-3-Clause
//
// A picture whose calls come from somewhere else than the events of its trace.

#include "trace/call_source.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/timeline/test_timeline.hpp"

namespace pathline::figure {
namespace {

/// Two ranks that do a, b, nothing and a; MPI_Init before and MPI_Finalize behind.
trace::Trace program(bool with_events) {
  TestTrace test(2);
  const Region init = test.region("MPI_Init");
  const Region a = test.region("a");
  const Region b = test.region("b");
  const Region end = test.region("MPI_Finalize");
  if (with_events) {
    for (uint32_t rank = 0; rank < 2; ++rank) {
      test.on(rank).enter(0, init).leave(200, init).enter(200, a).enter(300 + rank, b);
      test.on(rank).leave(500, b).leave(500, a).enter(600, a).leave(800, a);
      test.on(rank).enter(800, end).leave(1000, end);
    }
  }
  trace::Trace trace = test.finish();
  trace.start_ticks = 0;
  trace.end_ticks = 1000;
  return trace;
}

class Told final : public trace::CallSource {
 public:
  [[nodiscard]] trace::LocationEnds ends(uint32_t /*location*/) const override {
    return {.events = 10,
            .first_ticks = 0,
            .last_ticks = 1000,
            .has_calls = true,
            .init = trace::LocationEnds::Call{0, 200},
            .finalize = trace::LocationEnds::Call{800, 1000}};
  }
  [[nodiscard]] std::vector<uint64_t> run_ticks() const override { return {400, 600, 399, 400}; }
  [[nodiscard]] bool has_stretches() const override { return true; }
  void stretches(uint32_t location, uint64_t from, uint64_t until,
                 std::vector<trace::CallStretch>& stretches) const override {
    stretches.clear();
    for (const auto& [region, begin, end] :
         std::vector<trace::CallStretch>{{Region(0), 0, 200},
                                         {Region(1), 200, 300 + location},
                                         {Region(2), 300 + location, 500},
                                         {Region::none(), 500, 600},
                                         {Region(1), 600, 800},
                                         {Region(3), 800, 1000}}) {
      if (begin < until && end > from) {
        stretches.push_back({region, std::max(begin, from), std::min(end, until)});
      }
    }
  }
  [[nodiscard]] std::string messages_text() const override { return "7 messages somewhere"; }
  [[nodiscard]] std::vector<std::string> remarks() const override { return {"bins of 1 ns"}; }
};

std::vector<std::string> texts(const Scene& scene) {
  std::vector<std::string> result;
  for (const layout::Labels* labels : layers_of<layout::Labels>(scene)) {
    for (const layout::Label& label : labels->items) result.push_back(label.text);
  }
  return result;
}

TEST(CallSource, MakesThePictureOfTheEvents) {
  for (const bool is_part : {false, true}) {
    trace::Selection selection;
    if (is_part) selection.from_ticks = 250;
    Options told;
    told.calls = std::make_shared<const Told>();
    const Scene of_events = draw(program(true), selection);
    const Scene of_source = draw(program(false), selection, told);
    EXPECT_EQ(states(of_source).area.x, states(of_events).area.x);
    EXPECT_EQ(states(of_source).column_count, states(of_events).column_count);
    // With the same colours, as they follow from the whole run.
    EXPECT_TRUE(std::equal(states(of_source).cells.begin(), states(of_source).cells.end(),
                           states(of_events).cells.begin(), states(of_events).cells.end()));
  }
}

TEST(CallSource, SaysWhatElseThereIs) {
  Options told;
  told.calls = std::make_shared<const Told>();
  const auto all = texts(draw(program(false), {}, told));
  EXPECT_THAT(all, testing::Contains("bins of 1 ns"));
  EXPECT_THAT(all, testing::Contains(testing::HasSubstr("7 messages somewhere")));
}

}  // namespace
}  // namespace pathline::figure
