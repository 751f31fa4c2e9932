// SPDX-License-Identifier: BSD-3-Clause
#include "app/run_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

TEST(RunJson, KeepsWhatOthersWrote) {
  const base::ScratchFolder folder;
  ASSERT_TRUE(write_run_json(folder.path(), {{"command", {"a\xff", "b"}}, {"end", nullptr}}).ok());
  folder.write("run.json", [&] {
    auto json = nlohmann::ordered_json::parse(folder.read("run.json"));
    json["ranks"] = 4;
    return json.dump();
  }());
  ASSERT_TRUE(write_run_json(folder.path(), {{"end", 1}}).ok());
  const auto json = nlohmann::ordered_json::parse(folder.read("run.json"));
  EXPECT_EQ(json.dump(), R"({"command":["a�","b"],"end":1,"ranks":4})");
  folder.write("run.json", "damaged");
  ASSERT_TRUE(write_run_json(folder.path(), {{"end", 2}}).ok());
  EXPECT_EQ(nlohmann::ordered_json::parse(folder.read("run.json")).dump(), R"({"end":2})");
}

TEST(RunJson, TellsHowFarARunIs) {
  const base::ScratchFolder folder;
  EXPECT_FALSE(read_run_json(folder.path()).described);
  ASSERT_TRUE(write_run_json(folder.path(), {{"end_time", nullptr}}).ok());
  RunState state = read_run_json(folder.path());
  EXPECT_TRUE(state.described);
  EXPECT_FALSE(state.finished);
  EXPECT_EQ(state.command_end_ns, 0U);

  const std::string time = utc_time(1'700'000'000'123'000'000).value();
  EXPECT_EQ(time, "2023-11-14T22:13:20.123Z");
  ASSERT_TRUE(write_run_json(folder.path(), {{"end_time", time}, {"finished", true}}).ok());
  state = read_run_json(folder.path());
  EXPECT_TRUE(state.finished);
  EXPECT_EQ(state.command_end_ns, 1'700'000'000'123'000'000U);

  ASSERT_TRUE(write_run_json(folder.path(), {{"end_time", "noon"}, {"finished", 1}}).ok());
  state = read_run_json(folder.path());
  EXPECT_FALSE(state.finished);
  EXPECT_EQ(state.command_end_ns, 1U) << "it has ended, nobody can say when";

  folder.write("run.json", "[damaged");
  EXPECT_TRUE(read_run_json(folder.path()).described);
  EXPECT_EQ(read_run_json(folder.path()).command_end_ns, 0U);
  remove_run_json(folder.path());
  EXPECT_FALSE(read_run_json(folder.path()).described);
  EXPECT_FALSE(utc_time(-1));
}

}  // namespace
}  // namespace pathline::app
