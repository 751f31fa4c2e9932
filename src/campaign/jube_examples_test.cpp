// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/plan.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;

/// Where Debian's package jube has its examples; PATHLINE_JUBE_EXAMPLES names another folder.
fs::path examples() {
  const char* other = std::getenv("PATHLINE_JUBE_EXAMPLES");
  return other != nullptr ? other : "/usr/share/doc/jube/examples";
}

TEST(JubeExamples, AreReadOrRefusedByALine) {
  if (!fs::is_directory(examples())) {
    GTEST_SKIP() << "there is no " << examples() << ": install jube, or set PATHLINE_JUBE_EXAMPLES";
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(examples())) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".xml" || extension == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, bool> read;
  for (const fs::path& file : files) {
    const std::string name = fs::relative(file, examples()).string();
    const auto study = read_study(file, {});
    read[name] = study.ok();
    if (!study) {
      EXPECT_TRUE(std::regex_search(study.error().message, std::regex(", line [0-9]+: "))) << name;
      continue;
    }
    const auto planned = plan(study.value());
    EXPECT_TRUE(planned.ok()) << name << ": " << planned.error().message;
  }
  for (const char* name : {"dependencies", "duplicate", "hello_world", "parallel_workpackages",
                           "parameterspace", "scripting_parameter", "statistic"}) {
    for (const char* extension : {".xml", ".yaml"}) {
      const std::string file = std::string(name) + "/" + name + extension;
      if (!read.contains(file)) continue;
      EXPECT_TRUE(read[file]) << file;
    }
  }
}

}  // namespace
}  // namespace pathline::campaign
