// SPDX-License-Identifier: BSD-3-Clause
#include "app/application_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using testing::HasSubstr;

class ApplicationFile : public testing::Test {
 protected:
  base::Result<predict::Application> read(const std::string& text) {
    return read_application(folder_.write("app.toml", text));
  }
  /// What the error says about `text`.
  std::string fault(const std::string& text) {
    const auto read_it = read(text);
    EXPECT_FALSE(read_it) << text;
    return read_it ? "" : read_it.error().message + " | " + read_it.error().advice;
  }
  base::ScratchFolder folder_;
};

constexpr const char* kHeat = R"(
name = "heat3d"
fields = 2
periodic = [false, false, true]
[[phases]]
at_once = true
shifts = [
  { axis = "x", to = "up", layout = "strided" },
  { axis = "z", to = "down", values_per_cell = 3, extra = [2, 1, 0] },
]
[[phases]]
kernels = [{ name = "update", seconds_per_cell = 1.5e-9 }, { name = "check" }]
)";

TEST_F(ApplicationFile, IsRead) {
  const auto found = read(kHeat);
  ASSERT_TRUE(found) << found.error().message;
  const predict::Application& application = found.value();
  EXPECT_EQ(application.name, "heat3d");
  EXPECT_EQ(application.fields, 2U);
  EXPECT_EQ(application.halo, 1U);
  EXPECT_THAT(application.periodic, testing::ElementsAre(false, false, true));
  ASSERT_EQ(application.phases.size(), 2U);
  EXPECT_TRUE(application.phases[0].at_once);
  const predict::Shift last{.axis = 2,
                            .upwards = false,
                            .layout = "contiguous",
                            .values_per_cell = 3,
                            .extra = {2, 1, 0}};
  EXPECT_EQ(application.phases[0].shifts.at(1), last);
  ASSERT_EQ(application.phases[1].kernels.size(), 2U);
  EXPECT_DOUBLE_EQ(application.phases[1].kernels[0].seconds_per_cell, 1.5e-9);
  EXPECT_EQ(application.phases[1].kernels[1].seconds_per_cell, 0);
}

TEST_F(ApplicationFile, WhatIsWrittenIsReadAsTheSame) {
  for (const predict::Application& application : {predict::shallow(), read(kHeat).value(),
                                                  predict::Application{.name = "a \"b\" \\c",
                                                  .fields = 1,
                                                  .halo = 0,
                                                  .periodic = {true},
                                                  .phases = {{.kernels = {{"x", 0.1 + 0.2}}}}}}) {
    const std::string text = application_text(application);
    const auto again = read(text);
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    EXPECT_EQ(application_text(again.value()), text);
    EXPECT_EQ(again.value().name, application.name);
    ASSERT_EQ(again.value().phases.size(), application.phases.size());
    for (size_t i = 0; i < application.phases.size(); ++i) {
      EXPECT_EQ(again.value().phases[i].shifts, application.phases[i].shifts);
    }
  }
}

TEST_F(ApplicationFile, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(fault("fields = 2\nperiodik = [true]\n"),
              HasSubstr("app.toml, line 2: there is no key 'periodik' | Did you mean 'periodic'?"));
  EXPECT_THAT(fault("fields = -1\nperiodic = [true]\n"), HasSubstr("line 1: 'fields' is to be"));
  EXPECT_THAT(fault("periodic = [true]\n"), HasSubstr("'fields' is missing"));
  EXPECT_THAT(fault("fields = 1\n"), HasSubstr("'periodic' is to be a list"));
  EXPECT_THAT(fault("fields = 1\nperiodic = [true, true, true, true]\n"),
              HasSubstr("one to 3 axes"));
  EXPECT_THAT(fault("fields = 1\nperiodic = [true]\n"), HasSubstr("it does nothing in a step"));
  EXPECT_THAT(fault("fields = 1\nperiodic = [true]\n[[phases]]\nshifts = [{ axis = \"y\", to = "
                    "\"up\" }]\n"),
              HasSubstr("line 4: axis is 'y', expected one of x"));
  EXPECT_THAT(fault("fields = 1\nperiodic = [true]\n[[phases]]\nshifts = [{ axis = \"x\", to = "
                    "\"left\" }]\n"),
              HasSubstr("to is 'left', expected up or down"));
  EXPECT_THAT(fault("fields = 1\nperiodic = [true]\n[[phases]]\nshifts = [{ axis = \"x\", to = "
                    "\"up\", layout = \"odd\" }]\n"),
              HasSubstr("layout 'odd'"));
  EXPECT_THAT(fault("fields = 1\nperiodic = [true]\n[[phases]]\nkernels = [{ name = \"a\", "
                    "seconds_per_cell = nan }]\n"),
              HasSubstr("'seconds_per_cell' is to be"));
  EXPECT_THAT(fault("fields = 1\nperiodic = [true]\nphases = 3\n"),
              HasSubstr("line 3: 'phases' is to be a list of tables"));
  EXPECT_THAT(fault("fields = [\n"), HasSubstr("app.toml, line"));
  EXPECT_THAT(read_application(folder_.path() / "none.toml").error().message,
              HasSubstr("none.toml"));
}

}  // namespace
}  // namespace pathline::app
