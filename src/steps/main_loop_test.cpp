// SPDX-License-Identifier: BSD-3-Clause
#include "steps/main_loop.hpp"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::steps {
namespace {

/// What is found in a program: letters are symbols, capitals collective operations.
struct Found {
  size_t turns = 0;
  MainLoop main;
};

Found found_in(std::string_view text, std::span<const uint64_t> details = {}) {
  std::vector<Symbol> sequence;
  for (const char c : text) {
    sequence.push_back({static_cast<uint64_t>(c) * 7919, 1000 * sequence.size(), c < 'a'});
  }
  const auto found = find_repetitions(sequence);
  if (found.empty()) return {};
  std::vector<const Repetition*> list;
  for (const Repetition& repetition : found) list.push_back(&repetition);
  const MainLoop main = main_loop(list, details);
  return {found[main.index].starts.size(), main};
}

std::string repeated(std::string_view text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(MainLoop, HasNoOtherInsideOrAroundWhereThereIsOne) {
  const Found found = found_in("BBG" + repeated("iswR", 50) + "G");
  EXPECT_EQ(found.turns, 50U);
  EXPECT_FALSE(found.main.holds_loop);
  EXPECT_EQ(found.main.outer_count, 0U);
}

TEST(MainLoop, IsTheOuterOneAroundTheSameFewTurns) {
  const Found found = found_in("BBB" + repeated(repeated("iswR", 5) + "G", 40) + "B");
  EXPECT_EQ(found.turns, 40U);
  EXPECT_TRUE(found.main.holds_loop);
  EXPECT_EQ(found.main.outer_count, 0U);
}

TEST(MainLoop, IsTheOuterOneAroundANumberOfTurnsThatVaries) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    std::string program = repeated("B", seed % 7) + repeated("iswR", seed % 3);
    for (size_t step = 0; step < 40; ++step) program += "G" + repeated("iswR", 3 + random() % 7);
    const Found found = found_in(program + "B");
    EXPECT_EQ(found.turns, 40U) << "seed " << seed;
    EXPECT_TRUE(found.main.holds_loop) << "seed " << seed;
  }
}

TEST(MainLoop, IsTheOutermostOfThree) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const size_t middle = 3 + seed % 4;
    const size_t inner = 2 + seed % 6;
    const bool varies = seed % 2 == 1;
    std::string program = repeated("B", seed % 5);
    for (size_t step = 0; step < 12; ++step) {
      program += "ST";
      for (size_t i = 0; i < middle; ++i) {
        program += "G" + repeated("iswR", inner + (varies ? random() % 3 : 0));
      }
    }
    const Found found = found_in(program + "BB");
    EXPECT_EQ(found.turns, 12U) << "seed " << seed;
    EXPECT_EQ(found.main.outer_count, 0U) << "seed " << seed;
  }
}

TEST(MainLoop, IsTheOuterOneWhereMuchIsDoneBetweenManyTurns) {
  EXPECT_EQ(found_in("BB" + repeated("Ghxh" + repeated("iswR", 20), 30) + "B").turns, 30U);
  EXPECT_EQ(found_in("BB" + repeated("iswG" + repeated("iswRR", 20), 40) + "B").turns, 40U);
  EXPECT_EQ(found_in("BB" + repeated(repeated("iswRR", 25) + "hxhxGG", 8) + "B").turns, 8U);
}

TEST(MainLoop, MayTurnThreeTimesOnlyAroundOthers) {
  EXPECT_EQ(found_in("B" + repeated("Ghxh" + repeated("iswR", 25), 3) + "B").turns, 3U);
  EXPECT_EQ(found_in("B" + repeated("Ghxh" + repeated("iswR", 25), 4) + "B").turns, 4U);
  std::string converges = "B";
  for (size_t step = 0; step < 4; ++step) converges += "G" + repeated("iswR", 60 - 4 * step);
  EXPECT_EQ(found_in(converges).turns, 4U);
  // Three times at no regular distance, or only in a part of the run.
  const std::string often = repeated("iswR", 20);
  EXPECT_EQ(found_in("Ghxh" + often + "Ghxh" + often + often + "Ghxh" + often).turns, 80U);
  EXPECT_EQ(found_in("Ghxh" + often + "Ghxh" + often + "Ghxh" + repeated(often, 5)).turns, 140U);
}

TEST(MainLoop, IsNotAroundWhatInterruptsAtRandom) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const uint32_t usual = 4 + seed % 20;
    std::string program;
    for (size_t step = 0; step < 300; ++step) {
      program += "iswR";
      if (random() % usual == 0) program += seed % 2 == 0 ? "G" : "GhxhB";
    }
    const Found found = found_in(program);
    EXPECT_TRUE(found.turns == 0 || found.turns > 290)
        << "seed " << seed << ": " << found.turns << " turns";
  }
}

TEST(MainLoop, IsInterruptedEverySoOften) {
  std::string program;
  for (size_t step = 1; step <= 400; ++step) {
    program += "iswR";
    if (step % 10 == 0) program += "M";
    if (step % 40 == 0) program += "GG";
  }
  const Found found = found_in(program);
  EXPECT_EQ(found.turns, 400U);
  EXPECT_EQ(found.main.outer_count, 10U);
  EXPECT_EQ(found.main.outer_holds, 40U);
}

TEST(MainLoop, IsInterruptedByMuchThatIsLittleBesideIt) {
  // As the weather model of pathline-synth, which writes every 180 steps.
  const Found found = found_in(repeated("BggBGG" + repeated("iswR", 180), 20));
  EXPECT_EQ(found.turns, 3600U);
  EXPECT_EQ(found.main.outer_count, 20U);
}

TEST(MainLoop, IsNoExchangeWithOnePartner) {
  // With 26 partners one after the other, and a reduction.
  std::string program;
  std::vector<uint64_t> partners;
  std::vector<uint64_t> one_partner;
  for (size_t step = 0; step < 30; ++step) {
    for (uint64_t partner = 0; partner < 26; ++partner) {
      program += "isw";
      partners.insert(partners.end(), {1, 2 + partner, 3});
    }
    program += "R";
    partners.push_back(0);
  }
  one_partner.assign(partners.size(), 1);
  EXPECT_EQ(found_in(program, partners).turns, 30U);
  EXPECT_EQ(found_in(program, one_partner).main.outer_count, 30U);
  // Nobody knows in advance with whom: that makes no larger loop.
  std::mt19937 random(1);
  for (uint64_t& partner : partners) partner = random() % 26;
  EXPECT_EQ(found_in(program, partners).main.outer_count, 30U);
}

}  // namespace
}  // namespace pathline::steps
