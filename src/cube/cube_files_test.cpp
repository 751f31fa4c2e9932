// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles written by Score-P and the Cube library, every value against what Cube's own tools say.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_data.hpp"
#include "cube/reader.hpp"

namespace pathline::cube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace fs = std::filesystem;
using profile::MetricTable;

fs::path data_folder() { return base::third_party_data("extrap"); }

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

profile::ProfileFile read_whole(const fs::path& path) {
  auto file = read(path);
  EXPECT_TRUE(file.ok()) << file.error().message;
  return file ? std::move(file).value() : profile::ProfileFile();
}

/// Where in the table the call path is that the file calls cnode N. (Our reader does not say; the
/// anchors of these files are not packed.)
std::map<uint32_t, size_t> call_path_of_cnode(const fs::path& path) {
  std::map<uint32_t, size_t> result;
  const std::string text = text_of(path);
  constexpr std::string_view kBegin = "<cnode id=\"";
  for (size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
    const size_t count = result.size();
    result[static_cast<uint32_t>(std::stoul(text.substr(at + kBegin.size(), 12)))] = count;
  }
  return result;
}

size_t metric_index(const MetricTable& table, std::string_view name) {
  const auto found =
      std::find_if(table.metrics.begin(), table.metrics.end(),
                   [&](const profile::Metric& metric) { return metric.name == name; });
  return static_cast<size_t>(found - table.metrics.begin());
}

/// Values with everything below.
std::vector<double> inclusive(const MetricTable& table, size_t metric) {
  std::vector<double> values = table.values[metric];
  if (table.metrics[metric].combine != profile::Combine::kSum) return values;
  for (size_t c = table.call_paths.size(); c-- > 0;) {
    if (table.call_paths[c].parent == profile::MetricNode::kNoParent) continue;
    for (size_t l = 0; l < table.location_count; ++l) {
      values[table.call_paths[c].parent * size_t{table.location_count} + l] +=
          values[c * table.location_count + l];
    }
  }
  return values;
}

/// Six significant digits are printed of most values.
void expect_printed(double value, double printed, const std::string& what) {
  EXPECT_NEAR(value, printed, 5.1e-6 * std::abs(printed) + 1e-12) << what;
}

/// "Cnode ID, Thread ID,visits,time,...": compares all; returns how many values that were.
size_t compare_with_csv(const fs::path& folder, const fs::path& cubex, bool is_inclusive) {
  const MetricTable table = read_whole(folder / cubex).table;
  const auto call_paths = call_path_of_cnode(folder / cubex);
  std::ifstream csv(folder / (is_inclusive ? "incl.csv" : "excl.csv"));
  std::string line;
  std::string field;
  std::getline(csv, line);
  std::vector<std::string> names;
  for (std::istringstream head(line); std::getline(head, field, ',');) names.push_back(field);
  std::vector<std::vector<double>> values;
  for (size_t m = 0; m < table.metrics.size(); ++m) {
    values.push_back(is_inclusive ? inclusive(table, m) : table.values[m]);
  }
  size_t compared = 0;
  while (std::getline(csv, line)) {
    std::vector<double> row;
    for (std::istringstream in(line); std::getline(in, field, ',');)
      row.push_back(std::stod(field));
    const size_t call_path = call_paths.at(static_cast<uint32_t>(row[0]));
    const size_t at = call_path * table.location_count + static_cast<size_t>(row[1]);
    for (size_t i = 2; i < row.size(); ++i) {
      const size_t m = metric_index(table, names[i]);
      if (m == table.metrics.size()) {
        EXPECT_EQ(row[i], 0) << names[i] << " is not in the table: " << line;
        continue;
      }
      // A minimum has no exclusive value; what stands there is in the other table.
      if (!is_inclusive && table.metrics[m].combine != profile::Combine::kSum) continue;
      expect_printed(values[m][at], row[i], names[i] + " of " + line);
      ++compared;
    }
  }
  return compared;
}

class CubeFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(data_folder())) GTEST_SKIP() << base::kNeedsThirdPartyData;
  }
  fs::path format = data_folder() / "cube-format";
};

TEST_F(CubeFiles, HaveTheValuesThatCubeExports) {
  // 18 call paths x 1 location x 4 metrics with data, and 46 x 4 x 6; two of them minima.
  const fs::path tree = format / "call_tree_test";
  EXPECT_EQ(compare_with_csv(tree, "call_tree_test.cubex", true), 18U * 4);
  EXPECT_EQ(compare_with_csv(tree, "call_tree_test.cubex", false), 18U * 2);
  const fs::path time = format / "time.p4.n2000.x1.r0";
  EXPECT_EQ(compare_with_csv(time, "profile.cubex", true), 46U * 4 * 6);
  EXPECT_EQ(compare_with_csv(time, "profile.cubex", false), 46U * 4 * 4);
}

TEST_F(CubeFiles, OfEachTypeOfValueAreRead) {
  const profile::ProfileFile file =
      read_whole(format / "test_only_files" / "cube-values_example.cubex");
  const MetricTable& table = file.table;
  EXPECT_THAT(profile::path_names(table), ElementsAre("main", "main->foo", "main->bar"));
  EXPECT_EQ(table.location_count, 4U);
  EXPECT_THAT(file.unsupported, ElementsAre("RATE", "TAU_ATOMIC", "HISTOGRAM5", "NDOUBLES10",
                                            "SCALE_FUNC3", "COMPLEX", "TAU_ATOMIC2"));
  EXPECT_THAT(file.without_data, IsEmpty());
  ASSERT_EQ(table.metrics.size(), 11U);
  const std::vector<double> below = {5, 6, 7, 8, 9, 10, 11, 12};
  for (size_t m = 0; m < 8; ++m) {  // INT8, UINT8 ... UINT64: 1 to 12, inclusive
    const bool is_unsigned = table.metrics[m].name.starts_with("UINT");
    std::vector<double> expected = {-13, -14, -15, -16};
    if (is_unsigned) expected = {0, 0, 0, 0};
    expected.insert(expected.end(), below.begin(), below.end());
    EXPECT_EQ(table.values[m], expected) << table.metrics[m].name;
  }
  EXPECT_EQ(file.warnings.size(), 4U);
  const double stored[] = {1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 8.8, 9.9, 10.1, 11.11, 12.12};
  for (size_t i = 0; i < 12; ++i) {
    const bool is_root = i < 4;
    const double own = is_root ? stored[i] - stored[i + 4] - stored[i + 8] : stored[i];
    EXPECT_DOUBLE_EQ(table.values[8][i], own) << "DOUBLE";
    EXPECT_EQ(table.values[9][i], stored[i]) << "MINDOUBLE";
    EXPECT_EQ(table.values[10][i], stored[is_root ? i + 8 : i]) << "MAXDOUBLE";
  }
}

/// The numbers behind each `"key":` of a JSON text, in order.
std::vector<double> numbers_of(std::string_view json, const std::string& key) {
  std::vector<double> result;
  const std::string mark = "\"" + key + "\":";
  for (size_t at = json.find(mark); at != std::string_view::npos; at = json.find(mark, at + 1)) {
    result.push_back(std::strtod(json.data() + at + mark.size(), nullptr));
  }
  return result;
}

TEST(OwnCubeFiles, OfScorepHaveTheValuesThatCubeDumpPrints) {
  const fs::path folder = base::own_data("cube-scorep");
  const std::string expected = text_of(folder / "expected.json");
  size_t files = 0;
  size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(folder / "scaling")) {
    const std::string name = entry.path().filename().string();
    const size_t begin = expected.find("\"" + name + "\"");
    ASSERT_NE(begin, std::string::npos) << name;
    const size_t end = std::min(expected.find("\"lulesh.", begin + 1), expected.size());
    const std::string_view json = std::string_view(expected).substr(begin, end - begin);
    const std::string part(json);
    const auto ids = numbers_of(part, "cnode");
    const std::vector<double> columns[] = {numbers_of(part, "visits_excl"),
                                           numbers_of(part, "time_excl_s"),
                                           numbers_of(part, "time_incl_s")};
    const fs::path path = entry.path() / "profile.cubex";
    const MetricTable table = read_whole(path).table;
    ASSERT_EQ(ids.size(), table.call_paths.size());
    const auto call_paths = call_path_of_cnode(path);
    const size_t visits = metric_index(table, "visits");
    const size_t time = metric_index(table, "time");
    const std::vector<double> read[] = {table.values[visits], table.values[time],
                                        inclusive(table, time)};
    for (size_t i = 0; i < ids.size(); ++i) {
      const size_t at = call_paths.at(static_cast<uint32_t>(ids[i])) * table.location_count;
      for (size_t column = 0; column < 3; ++column) {
        double sum = 0;
        for (size_t l = 0; l < table.location_count; ++l) sum += read[column][at + l];
        expect_printed(sum, columns[column].at(i),
                       name + ", cnode " + std::to_string(static_cast<uint32_t>(ids[i])));
        ++compared;
      }
    }
    for (const char* bytes : {"bytes_sent", "bytes_received"}) {
      const auto& values = table.values[metric_index(table, bytes)];
      double sum = 0;
      for (const double value : values) sum += value;
      EXPECT_EQ(sum, numbers_of(part, bytes).at(0)) << name;
    }
    ++files;
  }
  EXPECT_EQ(files, 9U);
  EXPECT_EQ(compared, 3U * (3 * 76 + 6 * 104));
}

/// A leaf that was called once took its minimum and its maximum; the three are stored in two
/// enumerations of the call tree.
TEST(OwnCubeFiles, OfScorepAgreeWithThemselves) {
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(base::own_data("otf2"))) {
    if (entry.path().filename() != "profile.cubex") continue;
    const profile::ProfileFile file = read_whole(entry.path());
    const MetricTable& table = file.table;
    std::vector<bool> is_leaf(table.call_paths.size(), true);
    for (const auto& node : table.call_paths) {
      if (node.parent != profile::MetricNode::kNoParent) is_leaf[node.parent] = false;
    }
    const auto values = [&](const char* name) { return table.values[metric_index(table, name)]; };
    const auto visits = values("visits");
    const auto time = values("time");
    const auto least = values("min_time");
    const auto most = values("max_time");
    size_t once = 0;
    for (size_t i = 0; i < visits.size(); ++i) {
      // Threads that run tasks of others may have more time below the root than in it.
      const bool is_root = i < table.location_count;
      EXPECT_TRUE(is_root || time[i] >= -1e-9)
          << entry.path() << ", value " << i << ": " << time[i];
      if (!is_leaf[i / table.location_count] || visits[i] != 1) continue;
      ++once;
      EXPECT_NEAR(time[i], least[i], 1e-9) << entry.path() << ", value " << i;
      EXPECT_NEAR(time[i], most[i], 1e-9) << entry.path() << ", value " << i;
    }
    EXPECT_GT(once, 0U) << entry.path();
    EXPECT_THAT(file.unsupported, IsEmpty());
    ++files;
  }
  EXPECT_EQ(files, 7U);
}

TEST_F(CubeFiles, OfAllSetsAreReadWithoutWarningsOfTheirContent) {
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data_folder() / "cube")) {
    if (entry.path().extension() != ".cubex") continue;
    const profile::ProfileFile file = read_whole(entry.path());
    for (const std::string& warning : file.warnings) {
      EXPECT_NE(warning.find("tar header"), std::string::npos) << entry.path() << ": " << warning;
    }
    EXPECT_FALSE(file.table.metrics.empty()) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 30U);
}

/// Each `"name": [number, ...]` of a JSON text.
std::map<std::string, std::vector<double>> lists_of(const std::string& json) {
  std::map<std::string, std::vector<double>> result;
  for (size_t at = json.find('['); at != std::string::npos; at = json.find('[', at + 1)) {
    const size_t name_end = json.rfind('"', at);
    const size_t name = json.rfind('"', name_end - 1) + 1;
    std::istringstream in(json.substr(at + 1, json.find(']', at) - at - 1));
    auto& list = result[json.substr(name, name_end - name)];
    for (std::string field; std::getline(in, field, ',');) list.push_back(std::stod(field));
  }
  return result;
}

/// Packed rows and a packed anchor: kept paths of the generated set, what is not kept added to the
/// nearest path that is, and the mean over repetitions and locations taken.
TEST_F(CubeFiles, OfAGeneratedSetHaveItsValues) {
  const fs::path folder = data_folder() / "cube" / "mg_recursive_generated";
  const std::string expected = text_of(folder / "expected_merged.json");
  ASSERT_FALSE(expected.empty());
  const char* points[] = {"4", "16", "64", "256", "1024"};
  size_t compared = 0;
  for (const std::string metric : {"visits", "time", "bytes_sent"}) {
    const size_t begin = expected.find("\"" + metric + "\": {");
    ASSERT_NE(begin, std::string::npos) << metric;
    const auto kept = lists_of(expected.substr(begin, expected.find('}', begin) - begin));
    ASSERT_FALSE(kept.empty());
    for (size_t p = 0; p < std::size(points); ++p) {
      std::map<std::string, double> sums;
      for (const char* repetition : {"r1", "r2"}) {
        const fs::path run = std::string("mg.p") + points[p] + "." + repetition;
        const MetricTable table = read_whole(folder / run / "profile.cubex").table;
        const auto names = profile::path_names(table);
        const size_t m = metric_index(table, metric);
        ASSERT_LT(m, table.metrics.size());
        ASSERT_EQ(table.location_count, 4U);
        for (size_t c = 0; c < names.size(); ++c) {
          size_t to = c;
          while (!kept.contains(names[to])) to = table.call_paths[to].parent;
          for (size_t l = 0; l < 4; ++l) sums[names[to]] += table.row(m, c)[l];
        }
      }
      for (const auto& [name, values] : kept) {
        EXPECT_NEAR(sums[name] / 8, values.at(p), 1e-9 * std::abs(values.at(p)))
            << metric << " of " << name << " at " << points[p];
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100U);
}

}  // namespace
}  // namespace pathline::cube
