// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cube/reader.hpp"
#include "cube/test_cube.hpp"

namespace pathline::cube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

profile::ProfileFile read_whole(const std::string& bytes, const ReadOptions& options = {}) {
  auto file = read_bytes({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                         "run.cubex", options);
  EXPECT_TRUE(file.ok()) << file.error().message;
  return file ? std::move(file).value() : profile::ProfileFile();
}

std::vector<std::string> names(const profile::MetricTable& table) {
  std::vector<std::string> result;
  for (const profile::Metric& metric : table.metrics) result.push_back(metric.name);
  return result;
}

/// main -> (a -> (c, d), b -> e), f: rows of inclusive metrics are main, a, b, c, d, e.
TestCube tree(uint32_t location_count = 1) {
  TestCube cube(location_count);
  const uint32_t main = cube.call_path("main");
  const uint32_t a = cube.call_path("a", main);
  const uint32_t b = cube.call_path("b", main);
  cube.call_path("c", a);
  cube.call_path("d", a);
  cube.call_path("e", b);
  return cube;
}
const std::vector<std::string> kTreePaths = {"main",       "main->a", "main->a->c",
                                             "main->a->d", "main->b", "main->b->e"};

TEST(Cube, ListsCallPathsDepthFirst) {
  TestCube cube = tree(2);
  cube.metric({});
  const profile::ProfileFile file = read_whole(cube.bytes());
  EXPECT_EQ(file.table.location_count, 2U);
  EXPECT_EQ(profile::path_names(file.table), kTreePaths);
  EXPECT_THAT(file.warnings, IsEmpty());
}

TEST(Cube, ReadsExclusiveRowsDepthFirstAndFillsMissingOnesWith0) {
  TestCube cube = tree(2);
  // Values are in the order of call_path(): main, a, b, c, d, e.
  cube.metric({.name = "visits",
               .type = "UINT64",
               .unit = "occ",
               .values = {{1, 2}, {3, 4}, {}, {5, 6}, {}, {7, 8}}});
  const profile::ProfileFile file = read_whole(cube.bytes());
  ASSERT_THAT(names(file.table), ElementsAre("visits"));
  EXPECT_EQ(file.table.metrics[0].unit, "occ");
  EXPECT_EQ(file.table.metrics[0].combine, profile::Combine::kSum);
  EXPECT_THAT(file.table.values[0], ElementsAre(1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 7, 8));
}

TEST(Cube, ReadsInclusiveRowsLevelWiseAndSubtractsChildren) {
  TestCube cube = tree();
  cube.metric({.kind = "INCLUSIVE", .values = {{100}, {60}, {30}, {20}, {10}, {5}}});
  const profile::ProfileFile file = read_whole(cube.bytes());
  // main 100 - 60 - 30, a 60 - 20 - 10, c, d, b 30 - 5, e
  EXPECT_THAT(file.table.values[0], ElementsAre(10, 30, 20, 10, 25, 5));
}

TEST(Cube, EnumeratesTheTreeOfEachRootOnItsOwn) {
  TestCube cube(1);
  const uint32_t main = cube.call_path("main");
  const uint32_t thread = cube.call_path("thread");
  const uint32_t a = cube.call_path("a", main);
  cube.call_path("b", thread);
  cube.call_path("c", a);
  cube.metric({.kind = "INCLUSIVE", .values = {{10}, {20}, {7}, {5}, {1}}});
  const profile::ProfileFile file = read_whole(cube.bytes());
  EXPECT_THAT(profile::path_names(file.table),
              ElementsAre("main", "main->a", "main->a->c", "thread", "thread->b"));
  EXPECT_THAT(file.table.values[0], ElementsAre(3, 6, 1, 15, 5));
}

TEST(Cube, KeepsTheWholeOfMinimaAndMaxima) {
  TestCube cube = tree();
  cube.metric({.name = "min", .type = "MINDOUBLE", .values = {{9}, {8}, {7}, {2}, {6}, {5}}});
  cube.metric({.name = "max", .type = "MAXDOUBLE", .values = {{1}, {2}, {3}, {4}, {5}, {6}}});
  // Missing rows count as 0; what is stored inclusive is the whole already.
  cube.metric({.name = "hole", .type = "MINDOUBLE", .values = {{9}, {8}, {7}, {2}, {}, {5}}});
  cube.metric({.name = "whole",
               .kind = "INCLUSIVE",
               .type = "MAXDOUBLE",
               .values = {{9}, {8}, {7}, {6}, {5}, {4}}});
  const profile::ProfileFile file = read_whole(cube.bytes());
  ASSERT_EQ(file.table.values.size(), 4U);
  EXPECT_EQ(file.table.metrics[0].combine, profile::Combine::kMin);
  EXPECT_EQ(file.table.metrics[1].combine, profile::Combine::kMax);
  // In the order of the table: main, a, c, d, b, e.
  EXPECT_THAT(file.table.values[0], ElementsAre(2, 2, 2, 6, 5, 5));
  EXPECT_THAT(file.table.values[1], ElementsAre(6, 5, 4, 5, 6, 6));
  EXPECT_THAT(file.table.values[2], ElementsAre(0, 0, 2, 0, 5, 5));
  EXPECT_THAT(file.table.values[3], ElementsAre(9, 8, 6, 5, 7, 4));
}

TEST(Cube, TakesNegativeExclusiveCountsAs0AndSaysHowMany) {
  TestCube cube = tree();
  const std::vector<std::vector<double>> values = {{5}, {6}, {1}, {4}, {3}, {2}};
  cube.metric({.name = "cycles", .kind = "INCLUSIVE", .type = "UINT64", .values = values});
  cube.metric({.name = "balance", .kind = "INCLUSIVE", .type = "INT64", .values = values});
  cube.metric({.name = "time", .kind = "INCLUSIVE", .values = values});
  const profile::ProfileFile file = read_whole(cube.bytes());
  ASSERT_EQ(file.table.values.size(), 3U);
  EXPECT_THAT(file.table.values[0], ElementsAre(0, 0, 4, 3, 0, 2));
  EXPECT_THAT(file.table.values[1], ElementsAre(-2, -1, 4, 3, -1, 2));
  EXPECT_THAT(file.table.values[2], ElementsAre(-2, -1, 4, 3, -1, 2));
  EXPECT_THAT(file.warnings,
              ElementsAre("cycles: 3 exclusive values would be negative and were taken as 0"));
}

struct Storage {
  bool big_endian;
  bool packed;
  bool gzip_anchor;
  bool gzip_all;
};
class CubeStorage : public ::testing::TestWithParam<Storage> {};

TEST_P(CubeStorage, DoesNotChangeTheValuesOfAnyType) {
  const auto [big_endian, packed, gzip_anchor, gzip_all] = GetParam();
  TestCube cube = tree(3);
  cube.big_endian = big_endian;
  cube.gzip_anchor = gzip_anchor;
  cube.gzip_all = gzip_all;
  const std::pair<const char*, std::vector<double>> types[] = {
      {"INT8", {-128, 127, 3}},
      {"UINT8", {0, 255, 3}},
      {"INT16", {-32768, 32767, 258}},
      {"UINT16", {0, 65535, 258}},
      {"INT32", {-2147483648.0, 2147483647.0, 16909060}},
      {"UINT32", {0, 4294967295.0, 16909060}},
      {"INT64", {-9223372036854775808.0, 4503599627370497.0, 72623859790382856.0}},
      {"UINT64", {0, 9007199254740992.0, 9223372036854775808.0}},
      {"DOUBLE", {-1.5, 1e300, std::numeric_limits<double>::denorm_min()}},
      {"FLOAT", {0.1, -2.5e-8, 3}}};
  for (const auto& [type, row] : types) {
    cube.metric(
        {.name = type, .type = type, .values = {row, row, {}, row, {}, row}, .packed = packed});
  }
  const profile::ProfileFile file = read_whole(cube.bytes());
  ASSERT_EQ(file.table.metrics.size(), std::size(types));
  for (size_t m = 0; m < std::size(types); ++m) {
    const auto& [type, row] = types[m];
    EXPECT_EQ(file.table.metrics[m].name, type);
    const std::vector<double> none = {0, 0, 0};
    std::vector<double> expected;
    for (const auto& part : {row, row, row, none, none, row}) {
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(file.table.values[m], expected) << type;
  }
  EXPECT_THAT(file.warnings, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, CubeStorage,
    ::testing::Values(Storage{false, false, false, false}, Storage{true, false, false, false},
                      Storage{false, true, false, false}, Storage{true, true, false, false},
                      Storage{false, true, true, false}, Storage{true, false, true, true},
                      Storage{true, true, true, true}));

TEST(Cube, ReadsARowWithoutAStreamAs0) {
  TestCube cube(2);
  cube.call_path("main");
  cube.metric({.values = {{1, 2}}, .packed = true});
  auto members = cube.members();
  std::string& data = members[1].second;
  data.resize(11 + 8 + 24);
  std::fill(data.end() - 8, data.end(), '\0');  // The size of the only stream.
  EXPECT_THAT(read_whole(cube.bytes(members)).table.values, ElementsAre(ElementsAre(0, 0)));
}

TEST(Cube, SortsOutMetricsThatHaveNoNumbers) {
  TestCube cube = tree();
  const std::vector<std::vector<double>> one = {{1}, {1}, {1}, {1}, {1}, {1}};
  cube.metric({.name = "time", .values = one});
  cube.metric({.name = "bytes_put"});
  cube.metric({.name = "no_rows", .values = {{}, {}, {}, {}, {}, {}}});
  cube.metric({.name = "rate", .type = "RATE", .values = one});
  cube.metric({.name = "shape", .type = "HISTOGRAM(5)", .values = one});
  cube.metric({.name = "derived", .kind = "POSTDERIVED"});
  cube.metric({.name = "odd", .kind = "SIMPLE", .values = one});
  const profile::ProfileFile file = read_whole(cube.bytes());
  EXPECT_THAT(names(file.table), ElementsAre("time"));
  EXPECT_THAT(file.without_data, ElementsAre("bytes_put", "no_rows", "derived"));
  EXPECT_THAT(file.unsupported, ElementsAre("rate", "shape", "odd"));
}

TEST(Cube, ReadsOnlyTheMetricsAskedFor) {
  TestCube cube = tree();
  const std::vector<std::vector<double>> one = {{1}, {1}, {1}, {1}, {1}, {1}};
  cube.metric({.name = "time", .values = one});
  cube.metric({.name = "visits", .type = "UINT64", .values = one});
  cube.metric({.name = "empty"});
  auto members = cube.members();
  members[0].second = "damaged";  // of "time"
  const profile::ProfileFile file =
      read_whole(cube.bytes(members), {.metrics = {"visits", "unknown"}});
  EXPECT_THAT(names(file.table), ElementsAre("visits"));
  EXPECT_THAT(file.without_data, IsEmpty());
}

TEST(Cube, FindsNestedMetricsAndRegionsBehindTheirCnodes) {
  TestCube cube(1);
  const std::string xml = R"(<cube version="4.1"><attr key="a" value="b"/>
    <metrics><metric id="1" type="EXCLUSIVE"><uniq_name>out</uniq_name>
      <metric id="2" type="INCLUSIVE"><uniq_name>in</uniq_name><dtype>DOUBLE</dtype>
        <uom>s</uom></metric>
      <dtype>UINT8</dtype><uom></uom></metric></metrics>
    <program><cnode id="5" calleeId="9" line="3"><parameter partype="numeric" parkey="k"
      parvalue="1"/><cnode id="4" calleeId="8"/></cnode>
      <region id="8"><name>operator&lt;&#x3C; <!-- c --><![CDATA[<x>]]></name></region>
      <region id="9"><name></name></region></program>
    <system><systemtreenode Id="0"><systemtreenode Id="1"><locationgroup Id="0">
      <rank>0</rank><location Id="1"/></locationgroup><locationgroup Id="1"><rank>2</rank>
      <location Id="0"/></locationgroup></systemtreenode></systemtreenode>
      <topologies><cart><coord locId="0">0 0</coord></cart></topologies></system></cube>)";
  const profile::ProfileFile file =
      read_whole(TestCube::tar({{"./1.index", cube.index({.values = {}})},
                                {"anchor.xml", xml},
                                {"./1.data", "CUBEX.DATA"},
                                {"remapping.spec", "anything"}}));
  EXPECT_EQ(file.table.location_count, 2U);
  // In the order of ids; a rank is below the number of locations.
  EXPECT_THAT(file.table.rank_of_location, ElementsAre(trace::Rank::none(), trace::Rank(0)));
  EXPECT_THAT(file.without_data, ElementsAre("out", "in"));
  EXPECT_THAT(profile::path_names(file.table), ElementsAre("UNKNOWN", "UNKNOWN->operator<< <x>"));
}

TEST(Cube, SaysHowManyTarHeadersHaveAWrongChecksum) {
  TestCube cube = tree();
  cube.metric({.values = {{1}, {2}, {3}, {4}, {5}, {6}}});
  cube.wrong_checksums = true;
  const profile::ProfileFile file = read_whole(cube.bytes());
  EXPECT_THAT(file.warnings, ElementsAre("3 of 3 tar headers have a wrong checksum"));
  EXPECT_THAT(file.table.values[0], ElementsAre(1, 2, 4, 5, 3, 6));
}

TEST(Cube, PassesOverTarEntriesThatAreNoFiles) {
  TestCube cube(1);
  cube.call_path("main");
  cube.metric({.values = {{4}}});
  std::string archive = TestCube::tar_header("folder", 0, '5');
  // The header of a link may name the size of what it leads to, and no data follow.
  archive += TestCube::tar_header("link", 4096, '2');
  archive += TestCube::tar_header("extended", 3, 'x') + std::string(512, 'x');
  archive += cube.bytes();
  EXPECT_THAT(read_whole(archive).table.values, ElementsAre(ElementsAre(4)));
}

TEST(Cube, ReadsBinarySizesAndArchivesWithoutAnEndMark) {
  TestCube cube(1);
  cube.call_path("main");
  cube.metric({.values = {{4}}});
  std::string archive = cube.bytes();
  archive.resize(archive.size() - 1024);
  // The first member is the index of one row, 26 bytes.
  archive.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\x1a", 12));
  const profile::ProfileFile file = read_whole(archive);
  EXPECT_THAT(file.table.values, ElementsAre(ElementsAre(4)));
  EXPECT_THAT(file.warnings, ElementsAre("1 of 3 tar headers have a wrong checksum"));
}

}  // namespace
}  // namespace pathline::cube
