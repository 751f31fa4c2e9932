// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "base/scratch_folder.hpp"
#include "campaign/folder.hpp"
#include "campaign/plan.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

/// A study that a test writes itself, read and planned; study.toml in a folder of its own. For
/// tests only. Neither copied nor moved, as extractors and orders hold on to it.
class TestStudy {
 public:
  explicit TestStudy(std::string_view text) { change(text); }
  TestStudy(const TestStudy&) = delete;
  TestStudy& operator=(const TestStudy&) = delete;

  /// The file says something else from now on.
  void change(std::string_view text) {
    study = made(read_study(folder.write("study.toml", text), {}));
    plan = made(campaign::plan(study));
  }

  /// How a package is run, in the folder runs/NAME beside the study.
  [[nodiscard]] WorkOrder order(size_t package, const std::string& name = "1") const {
    std::filesystem::create_directories(folder.path() / "runs");
    return {.study = &study,
            .plan = &plan,
            .package = &plan.packages[package],
            .folder = folder.path() / "runs" / name,
            .before = {},
            .record = {"/opt/my tools/pathline", "record"},
            .id = 7};
  }

  base::ScratchFolder folder;
  Study study;
  Plan plan;

 private:
  template <class T>
  static T made(base::Result<T> result) {
    if (result) return std::move(result).value();
    std::fprintf(stderr, "the study of a test: %s\n", result.error().message.c_str());
    std::abort();
  }
};

}  // namespace pathline::campaign
