// SPDX-License-Identifier: BSD-3-Clause
#include "trace/warnings.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace pathline::trace {
namespace {

constexpr std::string_view kProperty = "PATHLINE::WARNING_";

bool says_incomplete(std::string_view warning) { return warning.starts_with("incomplete"); }

}  // namespace

std::string incomplete(std::string_view what) { return fmt::format("incomplete: {}", what); }

void mark_incomplete(Trace& trace, std::string_view what) {
  trace.complete = false;
  trace.warnings.push_back(incomplete(what));
}

std::vector<std::string> missing(const Trace& trace) {
  std::vector<std::string> list;
  std::copy_if(trace.warnings.begin(), trace.warnings.end(), std::back_inserter(list),
               says_incomplete);
  return list;
}

void keep_warnings(Trace& trace, std::span<const std::string> warnings) {
  for (size_t i = 0; i < warnings.size(); ++i) {
    trace.properties.emplace_back(fmt::format("{}{:04}", kProperty, i), warnings[i]);
  }
}

void recall_warnings(Trace& trace) {
  std::vector<std::string> kept;
  for (const auto& [name, value] : trace.properties) {
    if (!name.starts_with(kProperty)) continue;
    kept.push_back(value);
    if (says_incomplete(value)) trace.complete = false;
  }
  trace.warnings.insert(trace.warnings.begin(), kept.begin(), kept.end());
}

}  // namespace pathline::trace
