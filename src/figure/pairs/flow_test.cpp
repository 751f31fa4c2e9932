// SPDX-License-Identifier: BSD-3-Clause
#include "layout/flow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/figure.hpp"
#include "figure/test_scene.hpp"
#include "render/draw.hpp"
#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

using layout::Ribbons;
using layout::Scene;
using testing::HasSubstr;
using trace::TestTrace;
using trace::Trace;

struct Sends {
  uint32_t sender;
  uint32_t receiver;
  uint64_t bytes;
};

Trace trace_of(uint32_t rank_count, const std::vector<Sends>& list) {
  TestTrace test(rank_count);
  uint64_t now = 1000;
  for (const Sends& sends : list) {
    test.on(sends.sender).send(now, sends.receiver, sends.bytes);
    test.on(sends.receiver).recv(now + 500, sends.sender, sends.bytes);
    now += 1000;
  }
  return test.finish();
}

base::Result<Scene> try_draw(const Trace& trace, const Options& options = {},
                             const trace::Selection& selection = {}) {
  base::ThreadPool pool(1);
  return flow(trace, selection, comm::matrix(trace, selection, {}, pool), options);
}

Scene draw(const Trace& trace, const Options& options = {},
           const trace::Selection& selection = {}) {
  auto scene = try_draw(trace, options, selection);
  EXPECT_TRUE(scene.ok()) << scene.error().message;
  return scene.ok() ? std::move(scene).value() : Scene{};
}

TEST(FlowFigure, ColoursBandsByTheGroupThatSends) {
  const Scene scene = draw(trace_of(4, {{0, 1, 100}, {3, 1, 100}}));
  const Ribbons& ribbons = *layers_of<Ribbons>(scene).at(0);
  const layout::Theme& theme = layout::light_theme();
  size_t first = 0;
  size_t second = 0;
  size_t rims = 0;  // Of what crosses others.
  for (size_t i = 0; i < ribbons.size(); ++i) {
    first += ribbons.color[i] == theme.row.at(0) ? 1 : 0;
    second += ribbons.color[i] == theme.row.at(1) ? 1 : 0;
    if (!(ribbons.color[i] == theme.plot_background)) continue;
    ++rims;
    const auto same = [&](size_t k) {
      return k > i && ribbons.x1[k] == ribbons.x1[i] && ribbons.y2[k] == ribbons.y2[i] &&
             ribbons.half_width[k] < ribbons.half_width[i];
    };
    size_t over = i + 1;
    while (over < ribbons.size() && !same(over)) ++over;
    EXPECT_LT(over, ribbons.size()) << "the band itself lies on its rim";
  }
  EXPECT_GT(first, 3U);
  EXPECT_GT(second, 3U);
  EXPECT_GT(rims, 0U);
  EXPECT_EQ(first + second + rims, ribbons.size());
}

TEST(FlowFigure, SaysWhatItShows) {
  const auto labels = labels_of(draw(trace_of(4, {{0, 1, 100}, {1, 2, 100}, {3, 1, 1'000'000}})));
  EXPECT_EQ(labels.at(1).text,
            "4 ranks, 3 pairs, 3 messages, 1.00 MB — rank order, mean distance 2 ranks");
  for (const char* text : {"sender (rank)", "receiver (rank)", "width: bytes", "1.00 MB", "10.0 kB",
                           "100 B", "colour: the sender", "0", "3"}) {
    EXPECT_NE(find_label(labels, text), nullptr) << text;
  }
}

TEST(FlowFigure, NamesGroupsWhereThereIsNoRoomForRanks) {
  std::vector<Sends> list;
  for (uint32_t rank = 0; rank < 128; ++rank) list.push_back({rank, (rank + 1) % 128, 8});
  const Trace trace = trace_of(128, list);
  const auto labels = labels_of(draw(trace));
  EXPECT_NE(find_label(labels, "0–7"), nullptr);
  EXPECT_NE(find_label(labels, "120–127"), nullptr);
  EXPECT_NE(find_label(labels, "sender (ranks)"), nullptr);
  Options options;
  options.order = comm::Order::kSpectral;
  EXPECT_THAT(labels_of(draw(trace, options)).at(1).text, HasSubstr("in rank order"));
}

TEST(FlowFigure, NamesNoMoreThanThereIsRoomForInASmallPicture) {
  std::vector<Sends> list;
  for (uint32_t rank = 0; rank < 160; ++rank) list.push_back({rank, (rank + 1) % 160, 8});
  const auto labels = labels_of(draw(trace_of(160, list), {.width_px = 320, .height_px = 200}));
  std::vector<layout::Label> names;  // of senders
  for (const layout::Label& label : labels) {
    if (label.anchor == layout::Anchor::kEnd && label.baseline == layout::Baseline::kMiddle) {
      names.push_back(label);
    }
  }
  ASSERT_GT(names.size(), 3U);
  for (size_t i = 1; i < names.size(); ++i) {
    EXPECT_GE(names[i].at.y - names[i - 1].at.y, names[i].size_px);
  }
}

TEST(FlowFigure, OfNothingSaysSo) {
  for (const uint32_t count : {1U, 2U, 7U, 16U, 1024U}) {
    const Scene scene = draw(trace_of(count, {}));
    EXPECT_NE(find_label(labels_of(scene), "no point-to-point messages"), nullptr) << count;
    EXPECT_EQ(layers_of<Ribbons>(scene).at(0)->size(), 0U);
    base::ThreadPool pool(1);
    EXPECT_TRUE(render::draw(scene, pool).ok());
  }
  EXPECT_NE(find_label(labels_of(draw(trace_of(2, {{0, 1, 0}}))), "no value above zero"), nullptr);
}

TEST(FlowFigure, ShowsMessagesToOneselfAndHugeValues) {
  const uint64_t huge = UINT64_C(1) << 53;
  for (const uint32_t count : {1U, 2U, 7U, 16U, 1024U}) {
    std::vector<Sends> list;
    for (uint32_t rank = 0; rank < count; ++rank) list.push_back({rank, rank, huge - rank});
    const Scene scene = draw(trace_of(count, list));
    EXPECT_GT(layers_of<Ribbons>(scene).at(0)->size(), 3U);
    base::ThreadPool pool(1);
    EXPECT_TRUE(render::draw(scene, pool).ok());
  }
}

TEST(FlowFigure, IsTheSameForAnyNumberOfThreads) {
  std::vector<Sends> list;
  for (uint32_t rank = 0; rank < 64; ++rank) {
    for (uint32_t i = 1; i < 9; ++i) list.push_back({rank, (rank * i + 3) % 64, 1U << (rank % 20)});
  }
  const Scene scene = draw(trace_of(64, list));
  base::ThreadPool one(1);
  const auto image = render::draw(scene, one);
  ASSERT_TRUE(image.ok());
  for (const unsigned threads : {2U, 8U}) {
    base::ThreadPool pool(threads);
    EXPECT_EQ(render::draw(scene, pool).value().rgba, image.value().rgba) << threads;
    EXPECT_EQ(render::draw_svg(scene, pool).value(), render::draw_svg(scene, one).value());
  }
}

TEST(FlowFigure, RefusesWhatHasNoSumAndWhatIsTooSmall) {
  const Trace trace = trace_of(2, {{0, 1, 8}});
  Options options;
  options.metric = Metric::kBandwidth;
  EXPECT_THAT(try_draw(trace, options).error().message, HasSubstr("bandwidth"));
  options.metric = Metric::kTime;
  EXPECT_NE(find_label(labels_of(draw(trace, options)), "500 ns"), nullptr);
  options.width_px = 500;  // No legend; the width is explained all the same.
  EXPECT_THAT(labels_of(draw(trace, options)).at(1).text, HasSubstr("width: time of all messages"));
  options.width_px = 200;
  EXPECT_THAT(try_draw(trace, options).error().message, HasSubstr("200x720"));
  TestTrace test(0);
  EXPECT_FALSE(try_draw(test.finish()).ok());
}

TEST(FlowFigure, ShowsTheChosenRanksOnly) {
  trace::Selection selection;
  selection.ranks = {true, false, true};
  const auto labels = labels_of(draw(trace_of(3, {{0, 1, 8}, {0, 2, 8}}), Options{}, selection));
  EXPECT_THAT(labels.at(1).text, HasSubstr("2 of 3 ranks, 1 pair, 1 message, 8 B"));
  EXPECT_EQ(find_label(labels, "1"), nullptr);
}

}  // namespace
}  // namespace pathline::figure
