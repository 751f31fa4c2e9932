// SPDX-License-Identifier: BSD-3-Clause
#include "steps/repetition.hpp"

#include <random>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "steps/main_loop.hpp"

namespace pathline::steps {
namespace {

using testing::IsEmpty;

/// Letters are symbols, capitals collective operations; one a microsecond.
std::vector<Symbol> symbols(std::string_view text) {
  std::vector<Symbol> sequence;
  for (const char c : text) {
    sequence.push_back({static_cast<uint64_t>(c) * 7919, 1000 * sequence.size(), c < 'a'});
  }
  return sequence;
}

std::string repeated(std::string_view text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

const Repetition& main_of(const std::vector<Repetition>& found) {
  std::vector<const Repetition*> list;
  for (const Repetition& repetition : found) list.push_back(&repetition);
  return found[main_loop(list).index];
}

/// How often the main loop of a sequence turns; 0 if none was found.
size_t turns(std::string_view text) {
  const auto sequence = symbols(text);
  const auto found = find_repetitions(sequence);
  return found.empty() ? 0 : main_of(found).starts.size();
}

TEST(Repetitions, AreFoundInALoopWithoutInnerOnes) {
  EXPECT_EQ(turns(repeated("iswR", 20)), 20U);
  EXPECT_EQ(turns("BBBRBxyz" + repeated("iswR", 20) + "zG"), 20U);
}

TEST(Repetitions, AreTheOutermostLoopWhoseInnerLoopsChangeTheirLength) {
  std::string program = "BBG";
  for (size_t step = 0; step < 30; ++step) {
    program += "mn";
    program += repeated("iswR", 40 - step);  // A solver that converges faster and faster.
    program += "p" + repeated("iswR", 30 - step / 2);
  }
  EXPECT_EQ(turns(program), 30U);
}

TEST(Repetitions, AreFoundByTheOrderAloneWhenAllLoopsMakeTheSameCalls) {
  // As OpenFOAM's icoFoam: every reduction has 8 bytes, every exchange looks the same, and how
  // often the solvers turn changes from step to step.
  std::mt19937 random(5);
  std::string program = "BBRBRRR" + repeated("isw", 9);
  const auto solver = [&](size_t least) { return repeated("iswR", least + random() % 3); };
  for (size_t step = 0; step < 100; ++step) {
    program += "RR" + solver(2) + solver(2) + "isw";
    for (size_t corrector = 0; corrector < 2; ++corrector) {
      program += "isw" + solver(8 + 600 / (step + 20)) + "iswR";
    }
  }
  EXPECT_EQ(turns(program), 100U);
}

TEST(Repetitions, MayShrinkToASixthOverTheRun) {
  // As icoFoam's cavity: the solvers need 60 turns a step at first, and none once it is steady.
  std::string program = "BBRBRRR";
  for (size_t step = 0; step < 100; ++step) {
    const size_t inner = step < 45 ? 60 - step : 2 + step % 2;
    program += "gQ" + repeated("iswR", inner) + "Q" + repeated("iswR", inner / 2 + 1);
  }
  EXPECT_EQ(turns(program), 100U);
}

TEST(Repetitions, AreNotMadeOfStartAndEnd) {
  // The piece that begins a turn is also made twice while the program starts.
  EXPECT_EQ(turns("RxRx" + repeated("Riswiswjsw", 100)), 100U);
  // What ends the last turn goes on at the end of the program.
  EXPECT_EQ(turns("iswisw" + repeated("Risw", 99) + repeated("R", 6)), 100U);
  // An odd turn near the end is one of the loop all the same.
  EXPECT_EQ(turns(repeated("iswR", 92) + repeated("xyz", 20) + repeated("iswR", 8)), 100U);
}

TEST(Repetitions, SurviveOddTurns) {
  std::string program;
  for (size_t step = 0; step < 60; ++step) program += step % 13 == 5 ? "iswBBBBisR" : "isw1isR";
  EXPECT_EQ(turns(program), 60U);
}

TEST(Repetitions, AreNotWhatIsDoneEverySoOften) {
  std::string program;
  for (size_t step = 0; step < 400; ++step) program += step % 40 == 39 ? "iswRG" : "iswR";
  EXPECT_EQ(turns(program), 400U);
}

TEST(Repetitions, AreNotFoundInTooShortSequences) {
  EXPECT_EQ(turns(""), 0U);
  EXPECT_EQ(turns("R"), 0U);
  EXPECT_EQ(turns(repeated("iswR", 4)), 0U);
}

TEST(Repetitions, AreNotFoundInRandomOrder) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const size_t letters = 2 + seed % 12;
    std::string program;
    for (size_t i = 0; i < 30 + 40 * seed; ++i) {
      // Some are much more frequent than others.
      program += static_cast<char>((seed % 2 == 0 ? 'A' : 'a') +
                                   std::min(random() % letters, random() % letters));
    }
    EXPECT_EQ(turns(program), 0U) << "seed " << seed;
  }
}

TEST(Repetitions, AreNotFoundInARandomOrderOfRegularPieces) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::string pieces[] = {"iswR", seed % 2 == 0 ? "GB" : "isw", "sssr", "isxiswA"};
    std::string program;
    for (size_t i = 0; i < 400; ++i) program += pieces[random() % 4];
    EXPECT_EQ(turns(program), 0U) << "seed " << seed;
  }
}

TEST(Repetitions, AreNotFoundAmongBlocksThatAlwaysLookTheSame) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::string program;
    for (size_t i = 0; i < 50 + 20 * seed; ++i) {
      const auto kind = static_cast<uint32_t>(random() % (4 + seed % 3));
      program += kind == 0 ? "isw" : std::string(1, static_cast<char>('A' + kind));
    }
    EXPECT_EQ(turns(program), 0U) << "seed " << seed;
  }
}

TEST(Repetitions, OfOneOperationOnlyAreJudgedByTheirTimes) {
  std::vector<Symbol> regular;
  std::vector<Symbol> wild;
  std::mt19937 random(3);
  uint64_t ticks = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    regular.push_back({5, 1000 * i + random() % 50, true});
    ticks += static_cast<uint64_t>(1000 * std::exponential_distribution<>()(random));
    wild.push_back({5, ticks, true});
  }
  const auto found = find_repetitions(regular);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].starts.size(), 50U);
  EXPECT_THAT(find_repetitions(wild), IsEmpty());
}

/// A master that hears workers in random order, a long regular run, and one whose first tenth is
/// unlike the rest: what is looked at grows with the calls, not with their square.
TEST(Repetitions, CostTheSameForEachCallOfALongRun) {
  const auto work_for = [](const std::string& program) {
    uint64_t work = 0;
    find_repetitions(symbols(program), &work);
    return work;
  };
  std::string calls[3];
  uint64_t before[3] = {};
  std::mt19937 random(1);
  for (const size_t size : {50'000, 400'000}) {
    while (calls[0].size() < size) calls[0] += static_cast<char>('a' + random() % 25);
    calls[1] = repeated("iswRhxS", size / 7);
    calls[2].clear();
    while (calls[2].size() < size / 10) calls[2] += "i" + repeated("s", 20 + random() % 20);
    calls[2] += repeated("iR", size * 9 / 20);
    for (size_t i = 0; i < 3; ++i) {
      const uint64_t now = work_for(calls[i]);
      EXPECT_LT(now, 40 * calls[i].size()) << "program " << i;
      if (before[i] > 0) {
        EXPECT_LT(now, 10 * before[i]) << "program " << i;
      }
      before[i] = now;
    }
  }
}

TEST(Repetitions, CanBeLookedUpInAnotherSequence) {
  const auto found = find_repetitions(symbols(repeated("iswR", 20)));
  const Repetition& loop = main_of(found);
  EXPECT_EQ(starts_of(symbols("zz" + repeated("iswR", 7)), loop.key, loop.length).size(), 7U);
}

}  // namespace
}  // namespace pathline::steps
