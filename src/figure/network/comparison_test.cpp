// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "figure/network/network.hpp"
#include "figure/network/test_routes.hpp"
#include "figure/network/view.hpp"
#include "figure/test_scene.hpp"
#include "layout/theme.hpp"

namespace pathline::figure {
namespace {

/// Four nodes in a row. Before, 0 sends 30 bytes to 3 over all links; after, to 1.
struct States {
  TestRoutes before{"mesh:4"};
  TestRoutes after{"mesh:4"};
  NetworkOptions options;

  States() {
    before.add(0, 3, 30).add(2, 3, 10);
    after.add(0, 1, 30).add(3, 2, 10);
    options.after = &after.routes;
    options.after_state = "placement new.txt";
  }
};

TEST(LinkChanges, HaveEveryLinkOfEitherState) {
  const States states;
  const auto view = network_view(*states.before.network, states.before.routes, states.options);
  ASSERT_TRUE(view.ok());
  const auto changes = link_changes(view.value(), CellValue::kSum);
  ASSERT_EQ(changes.size(), 4U);
  const double expected[][4] = {{0, 1, 30, 30}, {1, 2, 30, 0}, {2, 3, 40, 0}, {3, 2, 0, 10}};
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(changes[i].from, expected[i][0]) << i;
    EXPECT_EQ(changes[i].to, expected[i][1]) << i;
    EXPECT_EQ(changes[i].before, expected[i][2]) << i;
    EXPECT_EQ(changes[i].after, expected[i][3]) << i;
  }
  EXPECT_EQ(scale_of(changes).largest, 40);
}

TEST(DifferenceScale, IsNeutralWhereNothingChanged) {
  const layout::Theme& theme = layout::light_theme();
  const DifferenceScale scale{40};
  EXPECT_EQ(scale.color(theme, 0), theme.diverging.at(0.5));
  EXPECT_EQ(scale.color(theme, -40), theme.diverging.at(0));
  EXPECT_EQ(scale.color(theme, 40), theme.diverging.at(1));
  EXPECT_EQ(DifferenceScale{}.color(theme, 0), theme.diverging.at(0.5));
  EXPECT_EQ(difference_text(LoadUnit::kBytes, -1.5e6), "\u22121.50 MB");
}

TEST(Comparison, SaysWhatBecameOfTheHottestLinkAndTheHopBytes) {
  States states;
  using Draw = base::Result<layout::Scene> (*)(const network::Network&, const network::Routes&,
                                               const NetworkOptions&);
  for (const Draw draw : {Draw(ranking), Draw(routes), Draw(graph)}) {
    const auto scene = draw(*states.before.network, states.before.routes, states.options);
    ASSERT_TRUE(scene.ok()) << scene.error().message;
    // 40 bytes on the last link became 30; 90 + 10 bytes x links became 30 + 10.
    EXPECT_EQ(
        labels_of(scene.value()).at(1).text,
        "hottest link 40 B \u2192 30 B (-25 %), hop-bytes 100 B \u2192 40 B (-60 %); before as "
        "given, after placement new.txt");
  }
}

TEST(Comparison, RanksBothStatesOnOneScale) {
  States states;
  const auto scene = ranking(*states.before.network, states.before.routes, states.options);
  ASSERT_TRUE(scene.ok());
  const auto labels = labels_of(scene.value());
  EXPECT_NE(find_label(labels, "(2) → (3)   40 B → 0 B"), nullptr);
  EXPECT_NE(find_label(labels, "(3) → (2)   0 B → 10 B"), nullptr);
}

}  // namespace
}  // namespace pathline::figure
