// SPDX-License-Identifier: BSD-3-Clause
#include "layout/chord.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figure/figure.hpp"
#include "figure/test_scene.hpp"
#include "layout/text.hpp"
#include "render/draw.hpp"
#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

using layout::Ribbons;
using layout::Scene;
using layout::Segments;
using testing::HasSubstr;
using trace::TestTrace;
using trace::Trace;

/// Each rank to the next `reach` ones.
Trace ring(uint32_t count, uint32_t reach, uint64_t bytes = 8) {
  TestTrace test(count);
  uint64_t now = 1000;
  for (uint32_t rank = 0; rank < count; ++rank) {
    for (uint32_t i = 0; i < reach; ++i, now += 1000) {
      test.on(rank).send(now, (rank + i) % count, bytes);
      test.on((rank + i) % count).recv(now + 500, rank, bytes);
    }
  }
  return test.finish();
}

base::Result<Scene> try_draw(const Trace& trace, const Options& options = {}) {
  base::ThreadPool pool(1);
  return chord(trace, {}, comm::matrix(trace, {}, {}, pool), options);
}

Scene draw(const Trace& trace, const Options& options = {}) {
  auto scene = try_draw(trace, options);
  EXPECT_TRUE(scene.ok()) << scene.error().message;
  return scene.ok() ? std::move(scene).value() : Scene{};
}

TEST(ChordFigure, DrawsBandsForFewPairsAndLinesForMany) {
  const Scene few = draw(ring(16, 4));
  EXPECT_TRUE(layers_of<Segments>(few).empty());
  EXPECT_GT(layers_of<Ribbons>(few).at(0)->size(), 64U);
  EXPECT_NE(find_label(labels_of(few), "width: bytes of a pair,"), nullptr);
  EXPECT_NE(find_label(labels_of(few), "15"), nullptr);
  const Scene many = draw(ring(512, 4));
  ASSERT_EQ(layers_of<Segments>(many).size(), 1U);
  EXPECT_GT(layers_of<Segments>(many)[0]->curves.size(), 2048U);
  EXPECT_NE(find_label(labels_of(many), "The more bytes among"), nullptr);
}

TEST(ChordFigure, NumbersOfRanksDoNotTouch) {
  for (const uint32_t count : {64U, 1024U, 54'272U}) {
    const Scene scene = draw(ring(count, 1));
    std::vector<std::pair<layout::Point, double>> numbers;  // Middle and width.
    for (const layout::Label& label : labels_of(scene)) {
      if (label.text.find_first_not_of("0123456789") != std::string::npos) continue;
      const double width = layout::text_width_px(label.text, label.size_px);
      const double left = label.anchor == layout::Anchor::kStart ? 0
                          : label.anchor == layout::Anchor::kEnd ? -width
                                                                 : -width / 2;
      numbers.push_back({{label.at.x + left + width / 2, label.at.y}, width});
    }
    ASSERT_GT(numbers.size(), 10U) << count;
    for (size_t i = 0; i < numbers.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        const auto& [a, width_a] = numbers[i];
        const auto& [b, width_b] = numbers[k];
        EXPECT_TRUE(std::abs(a.x - b.x) >= (width_a + width_b) / 2 + 3 || std::abs(a.y - b.y) >= 11)
            << count << ": " << a.x << ',' << a.y << " and " << b.x << ',' << b.y;
      }
    }
  }
}

TEST(ChordFigure, NamesBlocks) {
  TestTrace test(6);
  test.communicator({0, 2, 4});
  test.communicator({1, 3, 5});
  test.on(0).send(10, 1, 8);
  test.on(1).recv(20, 0, 8);
  Options options;
  options.order = comm::Order::kCommunicator;
  const auto labels = labels_of(draw(test.finish(), options));
  EXPECT_NE(find_label(labels, "comm 0"), nullptr);
  EXPECT_NE(find_label(labels, "comm 1"), nullptr);
  EXPECT_THAT(labels.at(1).text, HasSubstr("communicator order, mean distance 3 ranks; 1 in"));
}

TEST(ChordFigure, OfNothingSaysSoAndOfAnythingIsAPicture) {
  base::ThreadPool pool(1);
  for (const uint32_t count : {1U, 2U, 7U, 16U, 1024U}) {
    const Scene nothing = draw(ring(count, 0));
    EXPECT_NE(find_label(labels_of(nothing), "no point-to-point messages"), nullptr) << count;
    const Scene own = draw(ring(count, 1, UINT64_C(1) << 53));
    for (const Scene* scene : {&nothing, &own}) {
      EXPECT_TRUE(render::draw(*scene, pool).ok()) << count;
      EXPECT_TRUE(render::draw_svg(*scene, pool).ok()) << count;
    }
  }
  EXPECT_NE(find_label(labels_of(draw(ring(3, 2, 0))), "no value above zero"), nullptr);
}

TEST(ChordFigure, IsTheSameForAnyNumberOfThreads) {
  base::ThreadPool one(1);
  for (const Scene& scene : {draw(ring(32, 6)), draw(ring(600, 4))}) {
    const auto image = render::draw(scene, one);
    ASSERT_TRUE(image.ok());
    for (const unsigned threads : {2U, 8U}) {
      base::ThreadPool pool(threads);
      EXPECT_EQ(render::draw(scene, pool).value().rgba, image.value().rgba) << threads;
    }
  }
}

TEST(ChordFigure, RefusesWhatItCannotDraw) {
  const Trace trace = ring(4, 2);
  Options options;
  options.metric = Metric::kBandwidth;
  EXPECT_THAT(try_draw(trace, options).error().message, HasSubstr("bandwidth"));
  options.metric = Metric::kMessages;
  options.height_px = 120;
  EXPECT_THAT(try_draw(trace, options).error().message, HasSubstr("1280x120"));
  options.height_px = 700;
  options.palette = "grey";
  EXPECT_THAT(try_draw(trace, options).error().message, HasSubstr("palette"));
  TestTrace test(0);
  EXPECT_FALSE(try_draw(test.finish()).ok());
}

TEST(ChordFigure, HasBarsOfPartnersAndBytesOutside) {
  // 0 receives from all others, which have no other partner.
  TestTrace test(9);
  for (uint32_t rank = 1; rank < 9; ++rank) {
    test.on(rank).send(10 * rank, 0, 1000);
    test.on(0).recv(10 * rank + 5, rank, 1000);
  }
  const auto scene = draw(test.finish());
  const auto labels = labels_of(scene);
  EXPECT_NE(find_label(labels, "Bars: partners, up to 8;"), nullptr);
  EXPECT_NE(find_label(labels, "up to 8.00 kB."), nullptr);
  const auto gradient = layout::message_gradient("auto", layout::ThemeName::kLight).value();
  size_t sent = 0;
  size_t received = 0;
  for (const auto* lines : layers_of<layout::Polylines>(scene)) {
    for (const layout::Polyline& line : lines->lines) {
      sent += line.fill == gradient.begin ? 1 : 0;
      received += line.fill == gradient.end ? 1 : 0;
    }
  }
  EXPECT_EQ(sent, 8U);
  EXPECT_EQ(received, 1U);
}

}  // namespace
}  // namespace pathline::figure
