// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.hpp"

#include <new>

#include <gtest/gtest.h>

namespace pathline::cli {
namespace {

TEST(WithProgress, LetsWhatIsThrownPass) {
  base::Progress progress;
  progress.begin("reading", "B", 1);
  for (const bool quiet : {false, true}) {
    EXPECT_THROW(with_progress(progress, quiet, [] { throw std::bad_alloc(); }), std::bad_alloc);
  }
}

}  // namespace
}  // namespace pathline::cli
