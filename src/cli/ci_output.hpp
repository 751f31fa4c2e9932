// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pathline::cli {

/// Comparisons for continuous integration, in the forms that it shows.

/// A cell of a Markdown table, in which a bar would end it.
std::string markdown_cell(std::string_view text);

struct TestCase {
  std::string group;
  std::string name;
  std::string facts;
  bool failed = false;
};

/// A test suite as JUnit writes it.
std::string junit_text(std::string_view suite, const std::vector<TestCase>& cases);

}  // namespace pathline::cli
