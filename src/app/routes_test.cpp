// SPDX-License-Identifier: BSD-3-Clause
#include "app/routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/reroute.hpp"
#include "app/route_choice.hpp"
#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Rank r on node r of a mesh 0 - 1 - 2 over 3 - 4 - 5; all routes go along the upper row.
class RoutesOfAMesh : public testing::Test {
 protected:
  RoutesOfAMesh() {
    auto opened = open_network({.network = "mesh:2x3", .hop_bytes = write("0 2 10\n1 2 30\n")},
                               nullptr, pool_);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    input_ = std::move(opened).value();
  }
  std::string write(const std::string& text) { return folder_.write("file", text).string(); }

  base::ScratchFolder folder_;
  base::ThreadPool pool_;
  NetworkInput input_;
};

TEST_F(RoutesOfAMesh, AllLinksInUseUnlessAShareIsAskedFor) {
  const RoutesReport all = routes_report(input_, {});
  ASSERT_EQ(all.links.size(), 2U);
  EXPECT_EQ(all.loads.bytes[all.links[0]], 40U);
  EXPECT_EQ(all.loads.bytes[all.links[1]], 10U);
  EXPECT_THAT(all.routes, ElementsAre(0, 1));
  EXPECT_FALSE(to_json(input_, all).contains("top_links"));

  // The less loaded link is crossed by the route that also crosses the most loaded one.
  const RoutesReport top = routes_report(input_, 0.5);
  EXPECT_EQ(top.links.size(), 1U);
  EXPECT_THAT(top.routes, ElementsAre(0, 1));
  EXPECT_EQ(to_json(input_, top)["top_links_least_load_bytes"], 40);
  EXPECT_EQ(to_json(input_, top)["hop_bytes"], 2 * 10 + 30);
}

TEST_F(RoutesOfAMesh, RoutesComeByLoadThenByNumber) {
  const RoutesReport report = routes_report(input_, {});
  const auto rows = by_load(input_.routes, std::vector<uint32_t>{1, 0}, report.loads);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].route, 0U);
  EXPECT_EQ(rows[1].route, 1U);
  EXPECT_EQ(rows[0].max_link_load_bytes, 40U);
}

TEST_F(RoutesOfAMesh, ListsCanBeGivenBack) {
  const std::string routes = "from,to,from_name,bytes\n1,2,\"(0 1)\",30\n";
  EXPECT_THAT(select_routes("list:" + write(routes), input_).value(), ElementsAre(1));
  const RoutesReport report = routes_report(input_, {});
  const std::string link = std::to_string(uint32_t{report.links.back()});
  EXPECT_THAT(select_routes("list:" + write("link,bytes\r\n" + link + ",10\r\n"), input_).value(),
              ElementsAre(0));
  for (const char* bad : {"a,b\n1,2\n", "from,to\n1\n", "from,to\n1,99\n", "link\nx\n"}) {
    EXPECT_EQ(select_routes("list:" + write(bad), input_).error().code, base::ErrorCode::kCorrupt)
        << bad;
  }
  EXPECT_EQ(select_routes("list:" + write("from,to\n"), input_).error().code,
            base::ErrorCode::kNotFound);
}

TEST_F(RoutesOfAMesh, AChoiceLeavesItsRoutesAndTheirLinks) {
  RoutesReport report = routes_report(input_, {});
  choose(report, input_, {1});
  EXPECT_EQ(report.links.size(), 1U);
  const auto json = to_json(input_, report);
  EXPECT_EQ(json["selected_routes"], 1);
  EXPECT_EQ(json["selected_links"], 1);
  EXPECT_EQ(json["selected_bytes"], 30);
  EXPECT_EQ(json["selected_hop_bytes"], 30);
  EXPECT_EQ(json["bytes"], 40) << "totals are those of all";
}

TEST_F(RoutesOfAMesh, NodesAreMergedByTheCoordinatesThatStay) {
  EXPECT_EQ(node_report(input_, {}).groups.group_count, 6U);
  const auto rows = parse_dimensions("A", *input_.machine.network);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  const NodeReport merged = node_report(input_, rows.value());
  ASSERT_EQ(merged.groups.group_count, 2U);
  EXPECT_EQ(merged.figures[0].inner_bytes, 40U);
  EXPECT_EQ(merged.figures[1].inner_bytes, 0U);
  EXPECT_THAT(parse_dimensions("A,Z", *input_.machine.network).error().message,
              HasSubstr("no coordinate 'Z'; it has A, B"));
}

TEST_F(RoutesOfAMesh, APercentageIsAboveZeroAndUpToAHundred) {
  EXPECT_DOUBLE_EQ(parse_percent("5%", "--top").value(), 0.05);
  EXPECT_DOUBLE_EQ(parse_percent("100", "--top").value(), 1);
  for (const char* text : {"", "%", "0", "-1%", "101%", "nan", "5 %"}) {
    const auto share = parse_percent(text, "--top");
    ASSERT_FALSE(share.ok()) << text;
    EXPECT_THAT(share.error().message, HasSubstr("--top is '"));
  }
}

TEST_F(RoutesOfAMesh, RoutesAreSelectedByLoadOrByPairs) {
  EXPECT_THAT(select_routes("top-links:1%", input_).value(), ElementsAre(0, 1));
  EXPECT_THAT(select_routes("pairs:" + write("1 2\n"), input_).value(), ElementsAre(1));
  EXPECT_EQ(select_routes("pairs:" + write("2 1\n"), input_).error().code,
            base::ErrorCode::kNotFound);
  for (const char* text : {"", "pairs:", "top-links", "links:5%"}) {
    EXPECT_EQ(select_routes(text, input_).error().code, base::ErrorCode::kInvalidArgument) << text;
  }
}

TEST_F(RoutesOfAMesh, ReroutingSaysWhatItGained) {
  RerouteRequest request{.select = "top-links:100%", .how = {.delta = 2}};
  const auto report = reroute(input_, request, pool_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  // 0 -> 2 goes below and leaves 30 bytes on the link that had 40.
  EXPECT_EQ(report.value().before.max_link_load_bytes, 40U);
  EXPECT_EQ(report.value().after.max_link_load_bytes, 30U);
  EXPECT_EQ(report.value().gain.improved, 2U);
  EXPECT_DOUBLE_EQ(report.value().gain.max_pct, 75);
  EXPECT_DOUBLE_EQ(report.value().gain.mean_pct, 50);
  EXPECT_DOUBLE_EQ(report.value().gain.saved_bytes, 30 + 10);
  size_t moved = 0;
  for (const ReroutedRoute& row : rerouted_routes(input_, report.value())) {
    moved += row.moved ? 1 : 0;
    EXPECT_EQ(row.hops_after, row.hops_before + (row.moved ? 2 : 0));
  }
  EXPECT_EQ(moved, 1U);
  EXPECT_EQ(to_json(input_, request, report.value())["moved"], 1);

  request.how = {.criterion = network::Criterion::kLength, .global = true};
  EXPECT_EQ(reroute(input_, request, pool_).error().code, base::ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace pathline::app
