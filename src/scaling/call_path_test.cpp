// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/call_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::scaling {
namespace {

using testing::ElementsAre;

TEST(CallPath, LosesItsCallersFromTheFront) {
  EXPECT_THAT(shorter_call_paths("main->solve->apply"),
              ElementsAre("main->solve->apply", "…->solve->apply", "…->apply", "apply"));
  EXPECT_THAT(shorter_call_paths("main"), ElementsAre("main"));
  EXPECT_THAT(shorter_call_paths(""), ElementsAre(""));
}

TEST(CallPath, LosesArgumentsFirst) {
  EXPECT_THAT(
      shorter_call_paths("main->Foam::Solver<double, A<int>>::solve(int, B<C>) const"),
      ElementsAre("main->Foam::Solver<double, A<int>>::solve(int, B<C>) const",
                  "main->Foam::Solver::solve", "…->Foam::Solver::solve", "Foam::Solver::solve"));
}

TEST(CallPath, KeepsBracketsThatAreNames) {
  const auto shorter = [](const char* path) { return shorter_call_paths(path).back(); };
  EXPECT_EQ(shorter("f->(anonymous namespace)::g(int)"), "(anonymous namespace)::g");
  EXPECT_EQ(shorter("f->A::operator()(int) const"), "A::operator()");
  EXPECT_EQ(shorter("f->operator<(A, B)"), "operator<(A, B)");
  EXPECT_EQ(shorter("<not in all runs>"), "<not in all runs>");
}

TEST(CallPath, LeavesBracketsThatDoNotEnd) {
  EXPECT_THAT(shorter_call_paths("f(int"), ElementsAre("f(int"));
  EXPECT_THAT(shorter_call_paths("f<a->b"), ElementsAre("f<a->b", "…->b", "b"));
}

}  // namespace
}  // namespace pathline::scaling
