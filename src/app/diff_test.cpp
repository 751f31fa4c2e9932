// SPDX-License-Identifier: BSD-3-Clause
#include "app/diff.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "input/message_csv.hpp"
#include "trace/finish.hpp"

namespace pathline::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Sent {
  trace::Trace trace;
  trace::Selection selection;
};

class DiffOfRuns : public testing::Test {
 protected:
  Sent sent(const std::string& lines) {
    auto trace = input::parse_message_csv(fmt::format("{}\n{}", input::kMessageHeader, lines), {});
    EXPECT_TRUE(trace.ok()) << trace.error().message;
    Sent run{std::move(trace).value(), {}};
    base::Progress progress;
    trace::finish(run.trace, pool_, progress);
    run.selection = trace::select(run.trace, {}).value();
    return run;
  }
  std::vector<std::string> lines(const Sent& a, const Sent& b) {
    std::vector<std::string> lines;
    for (const auto& [kind, name, metric, left, right] :
         diff({a.trace, a.selection}, {b.trace, b.selection}, pool_)) {
      lines.push_back(fmt::format("{} {} {}: {} {}", kind, name, metric, left, right));
    }
    return lines;
  }
  base::ThreadPool pool_;
};

TEST_F(DiffOfRuns, ListsWhatDiffersAndWhatOnlyOneHas) {
  const Sent a = sent("0,1,0.1,0.2,8,0\n1,0,0.2,0.3,8,0\n");
  const Sent b = sent("0,1,0.1,0.3,9,0\n0,2,0.1,0.2,4,0\n");
  EXPECT_THAT(lines(a, b),
              ElementsAre("pair 0->1 bytes: 8 9", "pair 0->2 bytes:  4", "pair 0->2 messages:  1",
                          "pair 1->0 bytes: 8 ", "pair 1->0 messages: 1 "));
  EXPECT_THAT(lines(b, a),
              ElementsAre("pair 0->1 bytes: 9 8", "pair 0->2 bytes: 4 ", "pair 0->2 messages: 1 ",
                          "pair 1->0 bytes:  8", "pair 1->0 messages:  1"));
  EXPECT_THAT(lines(a, a), IsEmpty());
}

}  // namespace
}  // namespace pathline::app
