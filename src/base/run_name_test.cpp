// SPDX-License-Identifier: BSD-3-Clause
#include "base/run_name.hpp"

#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace pathline::base {
namespace {

/// No batch system while a test runs.
class RunName : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"}) ::unsetenv(name);
  }

  std::string filled(std::string_view pattern, const char* rank = nullptr) {
    std::string name;
    unknown_ = fill_in_run_name(pattern, rank, [&](std::string_view piece) { name += piece; });
    return name;
  }

  std::string unknown_;
};

TEST_F(RunName, JobIsThatOfTheBatchSystemAndElseTheProcess) {
  const std::string process = std::to_string(::getpid());
  EXPECT_EQ(filled("run-%j-%p"), "run-" + process + '-' + process);
  ::setenv("JOB_ID", "", 1);
  EXPECT_EQ(filled("%j"), process);
  ::setenv("JOB_ID", "4", 1);
  EXPECT_EQ(filled("%j"), "4");
  ::setenv("LSB_JOBID", "3", 1);
  EXPECT_EQ(filled("%j"), "3");
  ::setenv("PBS_JOBID", "2.server", 1);
  EXPECT_EQ(filled("%j"), "2.server");
  ::setenv("SLURM_JOB_ID", "1", 1);
  EXPECT_EQ(filled("%j"), "1");
}

TEST_F(RunName, HostAndPercent) {
  char host[256] = "";
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  EXPECT_EQ(filled("%h/100%%/%%h"), host + std::string("/100%/%h"));
  EXPECT_EQ(unknown_, "");
  EXPECT_EQ(filled(""), "");
}

TEST_F(RunName, WhatStandsForNothingStaysAndIsTold) {
  EXPECT_EQ(filled("a%xb%y"), "a%xb%y");
  EXPECT_EQ(unknown_, "%x");
  EXPECT_EQ(filled("a%"), "a%");
  EXPECT_EQ(unknown_, "%");
  EXPECT_EQ(filled("%r"), "%r");
  EXPECT_EQ(unknown_, "%r");
  EXPECT_EQ(filled("%r", "0"), "0");
  EXPECT_EQ(unknown_, "");
}

}  // namespace
}  // namespace pathline::base
