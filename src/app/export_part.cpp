// SPDX-License-Identifier: BSD-3-Clause
#include "app/export_part.hpp"

#include <string>

#include <fmt/format.h>

#include "trace/outer_calls.hpp"

namespace pathline::app {
namespace {

/// '*' stands for any characters, also none.
bool matches(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t star = std::string_view::npos;  // The last one seen; what it covers ends before `covered`.
  size_t covered = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      covered = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++covered;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

base::Result<std::vector<bool>> regions_left_out(const trace::Definitions& definitions,
                                                 std::string_view list) {
  const auto& regions = definitions.regions;
  if (list.empty()) return std::vector<bool>();
  const std::vector<trace::CallClass> classes = trace::call_classes(definitions);
  std::vector<bool> wanted(regions.size());
  std::vector<bool> refused(regions.size());
  bool only_refused = true;
  std::string_view rest = list;
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    rest = more ? rest.substr(comma + 1) : "";
    const bool is_refusal = part.starts_with('!');
    const std::string_view pattern = part.substr(is_refusal ? 1 : 0);
    if (pattern.empty()) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("cannot read region list '{}': found '{}', expected names as "
                                     "in 'solve*,!MPI_Test'",
                                     list, part)};
    }
    only_refused = only_refused && is_refusal;
    bool any = false;
    for (size_t i = 0; i < regions.size(); ++i) {
      if (!matches(pattern, regions[i].name)) continue;
      (is_refusal ? refused : wanted)[i] = true;
      any = true;
    }
    if (!any) {
      return base::Error{base::ErrorCode::kNotFound,
                         fmt::format("no region of the run is called '{}'", pattern),
                         "'pathline profile' lists the regions."};
    }
  }
  std::vector<bool> left_out(regions.size());
  for (size_t i = 0; i < regions.size(); ++i) {
    const bool stays = only_refused || wanted[i] || classes[i] == trace::CallClass::kMpi ||
                       regions[i].name.starts_with("MPI_") || regions[i].name == "time step";
    left_out[i] = refused[i] || !stays;
  }
  return left_out;
}

}  // namespace pathline::app
