// SPDX-License-Identifier: BSD-3-Clause
#include "app/route_filter.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Rank r on node r of a mesh of 2 x 3: rows 0 1 2 and 3 4 5. Routes, in the order of their ends:
/// 0: 0 to 2 with 10 bytes, 1: 1 to 2 with 30, 2: 3 to 5 with 5, 3: 5 to 2 with 100.
class RouteFilters : public testing::Test {
 protected:
  RouteFilters() {
    const std::string file = folder_.write("traffic", "0 2 10\n1 2 30\n3 5 5\n5 2 100\n").string();
    auto opened = open_network({.network = "mesh:2x3", .hop_bytes = file}, nullptr, pool_);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    input_ = std::move(opened).value();
  }
  base::Result<std::vector<uint32_t>> chosen(const RouteFilter& filter) const {
    std::vector<uint32_t> all(input_.routes.size());
    std::iota(all.begin(), all.end(), 0U);
    return filter_routes(filter, input_, std::move(all));
  }

  base::ScratchFolder folder_;
  base::ThreadPool pool_;
  NetworkInput input_;
};

TEST_F(RouteFilters, TakeTheTopOfWhatIsAskedFor) {
  // Bytes x links: 20, 30, 10, 100.
  EXPECT_THAT(chosen({.top_routes = "25%"}).value(), ElementsAre(3));
  EXPECT_THAT(chosen({.top_routes = "50%", .by = "bytes"}).value(), ElementsAre(1, 3));
  EXPECT_THAT(chosen({.top_routes = "50%", .by = "length"}).value(), ElementsAre(0, 2));
}

TEST_F(RouteFilters, FollowARouteThroughANodeOrALink) {
  EXPECT_THAT(chosen({.through = "(0 1)"}).value(), ElementsAre(0, 1));
  EXPECT_THAT(chosen({.through = "4"}).value(), ElementsAre(2));
  EXPECT_THAT(chosen({.through = "0->1"}).value(), ElementsAre(0));
  EXPECT_THAT(chosen({.through = "(0 1)->(0 2)"}).value(), ElementsAre(0, 1));
  EXPECT_EQ(chosen({.through = "(7 7)"}).error().code, base::ErrorCode::kNotFound);
}

TEST_F(RouteFilters, KnowTheNodesByTheirCoordinates) {
  EXPECT_THAT(chosen({.nodes = "A=1"}).value(), ElementsAre(2, 3));
  EXPECT_THAT(chosen({.nodes = "A=1", .within = true}).value(), ElementsAre(2));
  EXPECT_THAT(chosen({.nodes = "A=1", .crossing = true}).value(), ElementsAre(3));
  EXPECT_THAT(chosen({.nodes = "A=0,B=1"}).value(), ElementsAre(1));
  EXPECT_THAT(chosen({.through = "2", .nodes = "B=0"}).value(), ElementsAre(0));
}

TEST_F(RouteFilters, RefuseWhatMakesNoSense) {
  for (const RouteFilter& filter :
       {RouteFilter{.nodes = "A"}, RouteFilter{.nodes = "A=5"}, RouteFilter{.nodes = "Q=0"},
        RouteFilter{.top_routes = "0"}, RouteFilter{.within = true}, RouteFilter{.by = "bytes"},
        RouteFilter{.nodes = "A=0", .within = true, .crossing = true}}) {
    EXPECT_EQ(chosen(filter).error().code, base::ErrorCode::kInvalidArgument) << filter.nodes;
  }
  EXPECT_THAT(chosen({.nodes = "A=5"}).error().message, HasSubstr("runs from 0 to 1"));
  EXPECT_EQ(chosen({.through = "0->3"}).error().code, base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace pathline::app
