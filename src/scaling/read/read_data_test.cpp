// SPDX-License-Identifier: BSD-3-Clause
//
// The data sets of Extra-P against what Extra-P 4.2.5 printed of them: every point of every kernel
// with its mean and median, to the digits that were printed.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_data.hpp"
#include "scaling/read/read.hpp"

namespace pathline::scaling {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

fs::path data_folder() { return base::third_party_data("extrap"); }

struct Printed {
  std::vector<std::string> point;
  std::string mean;
  std::string median;
};

/// By call path and metric.
using Expected = std::map<std::pair<std::string, std::string>, std::vector<Printed>>;

Expected expected_of(const fs::path& file) {
  Expected expected;
  std::ifstream in(file);
  std::string call_path;
  std::vector<Printed>* points = nullptr;
  for (std::string line; std::getline(in, line);) {
    const std::string_view text = line;
    constexpr std::string_view kCallPath = "Callpath: ";
    constexpr std::string_view kMetric = "\tMetric: ";
    constexpr std::string_view kPoint = "\t\tMeasurement point: (";
    if (text.starts_with(kCallPath)) call_path = text.substr(kCallPath.size());
    if (text.starts_with(kMetric)) {
      points = &expected[{call_path, std::string(text.substr(kMetric.size()))}];
    }
    if (!text.starts_with(kPoint)) continue;
    Printed printed;
    std::istringstream rest{line.substr(kPoint.size())};
    std::string coordinates;
    std::getline(rest, coordinates, ')');
    std::istringstream words(coordinates);
    for (std::string word; std::getline(words, word, ',');) printed.point.push_back(word);
    std::string label;
    rest >> label >> printed.mean >> label >> printed.median;
    points->push_back(printed);
  }
  return expected;
}

/// Whether a number is the one that was printed as "d.ddE+ee".
bool is_printed_as(double value, const std::string& printed) {
  const double unit = std::pow(10.0, std::stod(printed.substr(printed.find('E') + 1)) - 2);
  return std::abs(value - std::stod(printed)) <= 0.5 * unit * (1 + 1e-9);
}

/// Returns the index of the only point printed so.
size_t find_point(const Experiment& experiment, const std::vector<std::string>& printed) {
  size_t found = SIZE_MAX;
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    const auto x = experiment.point(p);
    bool is_same = x.size() == printed.size();
    for (size_t i = 0; is_same && i < x.size(); ++i) is_same = is_printed_as(x[i], printed[i]);
    if (!is_same) continue;
    EXPECT_EQ(found, SIZE_MAX) << "two points are printed alike";
    found = p;
  }
  return found;
}

std::pair<std::string, std::string> names_of(const Experiment& experiment, const Kernel& kernel) {
  return {experiment.call_paths[kernel.call_path], experiment.metrics[kernel.metric]};
}

void expect_printed(const Experiment& experiment, const Expected& expected) {
  ASSERT_EQ(experiment.kernels.size(), expected.size());
  for (size_t k = 0; k < experiment.kernels.size(); ++k) {
    const auto names = names_of(experiment, experiment.kernels[k]);
    const auto found = expected.find(names);
    ASSERT_NE(found, expected.end()) << names.first << " " << names.second;
    ASSERT_EQ(found->second.size(), experiment.point_count());
    for (const Printed& printed : found->second) {
      const size_t p = find_point(experiment, printed.point);
      ASSERT_LT(p, experiment.point_count());
      const auto samples = experiment.samples_of(k, p);
      const double mean = aggregate(samples, Aggregate::kMean);
      const double median = aggregate(samples, Aggregate::kMedian);
      EXPECT_TRUE(is_printed_as(mean, printed.mean)) << mean << " " << printed.mean;
      EXPECT_TRUE(is_printed_as(median, printed.median)) << median << " " << printed.median;
    }
  }
}

Experiment read_whole(const fs::path& file) {
  auto experiment = read_file(file);
  EXPECT_TRUE(experiment.ok()) << experiment.error().message;
  return experiment ? std::move(experiment).value() : Experiment();
}

class ReadData : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(data_folder())) GTEST_SKIP() << base::kNeedsThirdPartyData;
  }
  static Experiment read(const fs::path& file) { return read_whole(data_folder() / file); }
};

TEST_F(ReadData, HasTheValuesThatExtraPPrints) {
  size_t count = 0;
  for (const char* kind : {"text", "json", "jsonl", "talpas"}) {
    for (const auto& entry : fs::directory_iterator(data_folder() / kind)) {
      const std::string name = entry.path().filename().string();
      const auto expected =
          expected_of(data_folder() / "expected" / (std::string(kind) + "__" + name + ".out"));
      if (expected.empty()) continue;  // Extra-P rejects it: below.
      SCOPED_TRACE(name);
      const Experiment experiment = read(entry.path());
      expect_printed(experiment, expected);
      EXPECT_THAT(experiment.skipped, IsEmpty());
      ++count;
    }
  }
  EXPECT_EQ(count, 25U);
}

TEST_F(ReadData, KeepsAllRepetitions) {
  EXPECT_EQ(read("text/one_parameter_1.txt").samples_of(0, 4).size(), 6U);
  EXPECT_EQ(read("text/two_parameter_4.txt").samples_of(1, 4).size(), 4U);
  EXPECT_EQ(read("json/input_4.JSON").samples_of(3, 2).size(), 5U);
  EXPECT_EQ(read("jsonl/matrix_3p.jsonl").samples_of(0, 0).size(), 3U);
  EXPECT_EQ(read("talpas/talpas_2.txt").samples_of(0, 24).size(), 5U);
}

TEST_F(ReadData, SkipsTheKernelsForWhichExtraPRejectsTheFile) {
  const Experiment text = read("text/bad_mp1.txt");
  ASSERT_EQ(text.skipped.size(), 1U);
  EXPECT_EQ(text.skipped[0].call_path, "met1");
  EXPECT_EQ(text.skipped[0].metric, "");
  EXPECT_EQ(text.skipped[0].reason, "it has values at 24 of 25 points, none at (10000, 10000)");
  EXPECT_EQ(text.kernels.size(), 3U);
  const Experiment talpas = read("talpas/talpas_10_neg.txt");
  ASSERT_EQ(talpas.skipped.size(), 1U);
  EXPECT_EQ(talpas.skipped[0].metric, "flops");
  EXPECT_EQ(talpas.skipped[0].reason, "it has values at 3 of 5 points, none at (40)");
  EXPECT_EQ(talpas.kernels.size(), 1U);
}

TEST_F(ReadData, RejectsAFileWithoutParametersAsExtraPDoes) {
  const auto experiment = read_file(data_folder() / "text/bad_no_parameter.txt");
  ASSERT_FALSE(experiment.ok());
  EXPECT_THAT(experiment.error().message,
              EndsWith("bad_no_parameter.txt: line 1: POINTS, but no PARAMETER before"));
}

TEST(ReadOwnData, ReadsTheSyntheticSets) {
  for (const auto& [name, kernels, points] :
       {std::tuple{"syn_p5_n05", 60U, 5U}, {"syn_p7_n00", 60U, 7U}, {"syn_2p_n05", 20U, 25U}}) {
    const Experiment experiment =
        read_whole(base::own_data("pmnf-synthetic") / (std::string(name) + ".txt"));
    EXPECT_EQ(experiment.kernels.size(), kernels) << name;
    EXPECT_EQ(experiment.point_count(), points) << name;
    EXPECT_EQ(experiment.samples.size(), size_t{5} * kernels * points) << name;
    EXPECT_THAT(experiment.warnings, IsEmpty()) << name;
  }
}

}  // namespace
}  // namespace pathline::scaling
