// SPDX-License-Identifier: BSD-3-Clause
#include "cli/ci_output.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::cli {

std::string markdown_cell(std::string_view text) {
  std::string escaped;
  for (const char c : base::printable(text)) {
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  }
  return escaped;
}

std::string junit_text(std::string_view suite, const std::vector<TestCase>& cases) {
  const auto escaped = [](std::string_view text) {
    return base::html_escaped(base::printable(text));
  };
  const auto failures =
      std::count_if(cases.begin(), cases.end(), [](const TestCase& test) { return test.failed; });
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\">\n",
      escaped(suite), cases.size(), failures);
  for (const TestCase& test : cases) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\">\n", escaped(test.group),
                        escaped(test.name));
    text += test.failed ? fmt::format("    <failure message=\"{}\"/>\n", escaped(test.facts))
                        : fmt::format("    <system-out>{}</system-out>\n", escaped(test.facts));
    text += "  </testcase>\n";
  }
  return text + "</testsuite>\n";
}

}  // namespace pathline::cli
