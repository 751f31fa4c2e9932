// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/qap/qap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_data.hpp"
#include "mapping/qap/test_exact.hpp"
#include "mapping/qap/test_qap.hpp"

namespace pathline::mapping {
namespace {

using ::testing::HasSubstr;

TEST(Qap, FindsTheBestOfAllPermutationsOfSmallProblems) {
  base::ThreadPool pool(1);
  for (uint32_t round = 0; round < 30; ++round) {
    const uint32_t size = round % 8;
    const Qap qap = random_qap(size, -5, 20, round % 3 != 0, Random(round));
    const int64_t least = least_cost(qap);
    const auto found = search_qap(qap, {}, {.seed = round, .swap_count = 2000}, pool);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found.value().cost, least);
    EXPECT_EQ(qap.cost(found.value().place_of_item), least);
    const auto proof = prove_qap(qap, 1'000'000);
    ASSERT_TRUE(proof.ok()) << proof.error().message;
    EXPECT_TRUE(proof.value().proven);
    EXPECT_EQ(proof.value().cost, least);
    EXPECT_EQ(qap.cost(proof.value().place_of_item), least);
  }
}

TEST(Qap, WithAnyNumberOfThreadsIsTheSame) {
  const Qap qap = random_qap(40, 0, 1000, true, Random(5));
  const auto with = [&](unsigned threads, uint64_t seed) {
    base::ThreadPool pool(threads);
    return search_qap(qap, {}, {.seed = seed, .swap_count = 20'000}, pool).value();
  };
  const QapResult one = with(1, 9);
  EXPECT_EQ(with(2, 9).place_of_item, one.place_of_item);
  EXPECT_EQ(with(4, 9).place_of_item, one.place_of_item);
  EXPECT_EQ(with(4, 9).swap_count, one.swap_count);
  EXPECT_NE(with(1, 10).place_of_item, one.place_of_item);
}

TEST(Qap, IsNeverWorseThanItsStart) {
  base::ThreadPool pool(1);
  const Qap qap = random_qap(12, 0, 100, false, Random(6));
  const Permutation best = prove_qap(qap, 100).value().place_of_item;
  const auto found = search_qap(qap, best, {.swap_count = 1}, pool);
  EXPECT_LE(found.value().cost, qap.cost(best));
}

TEST(Qap, StopsWhenAsked) {
  base::ThreadPool pool(2);
  const Qap qap = random_qap(60, 0, 100, true, Random(6));
  const auto late = search_qap(
      qap, {}, {.swap_count = uint64_t{1} << 40, .time_limit_s = 0.05, .stop = {}}, pool);
  EXPECT_TRUE(late.value().timed_out);
  EXPECT_EQ(qap.cost(late.value().place_of_item), late.value().cost);
  std::stop_source source;
  source.request_stop();
  const auto stopped = search_qap(
      qap, {},
      {.swap_count = uint64_t{1} << 40, .time_limit_s = std::nullopt, .stop = source.get_token()},
      pool);
  EXPECT_TRUE(stopped.value().timed_out);
  EXPECT_TRUE(is_permutation(stopped.value().place_of_item, 60));
}

TEST(Qap, GivesUpAProofAtTheLimit) {
  const Qap qap = random_qap(20, 0, 100, true, Random(6));
  const auto proof = prove_qap(qap, 50);
  ASSERT_TRUE(proof.ok());
  EXPECT_FALSE(proof.value().proven);
  EXPECT_EQ(proof.value().node_count, 50U);
  EXPECT_EQ(qap.cost(proof.value().place_of_item), proof.value().cost);
}

TEST(Qap, RefusesWhatMakesNoSense) {
  base::ThreadPool pool(1);
  const auto search = [&](const Qap& qap, const Permutation& start = {}) {
    const auto found = search_qap(qap, start, {.swap_count = 10}, pool);
    return found.ok() ? "" : found.error().message;
  };
  EXPECT_THAT(search({3, {1, 2, 3}, {1, 2, 3}}), HasSubstr("3 and 3 numbers do not fit to 3"));
  EXPECT_THAT(search({5000, {}, {}}), HasSubstr("5000 items are too many"));
  EXPECT_THAT(search({1, {INT64_MAX}, {4}}), HasSubstr("too large to add up"));
  EXPECT_THAT(search({1, {INT64_MIN}, {1}}), HasSubstr("too large to add up"));
  EXPECT_THAT(search(random_qap(3, 0, 9, true, Random(1)), {0, 1, 1}), HasSubstr("no permutation"));
  EXPECT_THAT(prove_qap(random_qap(33, 0, 9, true, Random(1)), 10).error().message,
              HasSubstr("33 items are too many for a proof"));
}

struct Expected {
  const char* name;
  double most_above_best;  // What 1000 * size swaps must reach, as a share.
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.name; }

class Qaplib : public testing::TestWithParam<Expected> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(qaplib_folder())) GTEST_SKIP() << base::kNeedsThirdPartyData;
  }
};

TEST_P(Qaplib, ComesNearTheBestKnown) {
  QaplibProblem problem = read_qaplib(GetParam().name);
  ASSERT_GT(problem.qap.size, 0U);
  // The listed permutations of tho30 and tho150 give the places items.
  if (problem.qap.cost(problem.best) != problem.best_cost) {
    std::swap(problem.qap.a, problem.qap.b);
  }
  ASSERT_EQ(problem.qap.cost(problem.best), problem.best_cost);

  base::ThreadPool pool;
  const auto found =
      search_qap(problem.qap, {}, {.swap_count = uint64_t{1000} * problem.qap.size}, pool);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const auto best = static_cast<double>(problem.best_cost);
  EXPECT_EQ(problem.qap.cost(found.value().place_of_item), found.value().cost);
  EXPECT_LE(static_cast<double>(found.value().cost) / best - 1, GetParam().most_above_best);
}

INSTANTIATE_TEST_SUITE_P(All, Qaplib,
                         testing::Values(Expected{"had12", 0}, Expected{"nug12", 0},
                                         Expected{"nug30", 0.002}, Expected{"tho30", 0.002},
                                         Expected{"sko49", 0.003}, Expected{"wil50", 0.003},
                                         Expected{"tai50a", 0.025}, Expected{"tai64c", 0.003},
                                         Expected{"sko100a", 0.005}, Expected{"wil100", 0.005}),
                         [](const auto& test) { return std::string(test.param.name); });

class QaplibProof : public Qaplib {};

TEST_P(QaplibProof, IsExact) {
  const QaplibProblem problem = read_qaplib(GetParam().name);
  const auto proof = prove_qap(problem.qap, 1'000'000);
  ASSERT_TRUE(proof.ok()) << proof.error().message;
  EXPECT_TRUE(proof.value().proven);
  EXPECT_EQ(proof.value().cost, problem.best_cost);
}

INSTANTIATE_TEST_SUITE_P(Small, QaplibProof,
                         testing::Values(Expected{"had12", 0}, Expected{"nug12", 0}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace pathline::mapping
