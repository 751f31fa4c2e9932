// SPDX-License-Identifier: BSD-3-Clause
#include "app/diff.hpp"

#include <array>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "comm/matrix.hpp"
#include "profile/profile.hpp"

namespace pathline::app {
namespace {

/// What is compared: (kind, name, metric) to its value as text.
using Numbers = std::map<std::array<std::string, 3>, std::string>;

Numbers numbers_of(const RunPart& run, base::ThreadPool& pool) {
  const trace::Trace& trace = run.trace;
  Numbers numbers;
  const auto profile = profile::from_trace(trace, run.selection, pool);
  struct Sum {
    uint64_t visits = 0;
    uint64_t inclusive_ticks = 0;
    uint64_t exclusive_ticks = 0;
  };
  std::map<std::string, Sum> regions;
  for (const auto& row : profile::by_region(trace, run.selection, profile)) {
    Sum& sum = regions[base::printable(trace.definitions.regions[row.region].name)];
    sum.visits += row.visits;
    sum.inclusive_ticks += row.inclusive_ticks;
    sum.exclusive_ticks += row.exclusive_ticks;
  }
  for (const auto& [name, sum] : regions) {
    numbers[{"region", name, "visits"}] = fmt::format("{}", sum.visits);
    numbers[{"region", name, "inclusive_s"}] =
        fmt::format("{:.9f}", trace.span_seconds(sum.inclusive_ticks));
    numbers[{"region", name, "exclusive_s"}] =
        fmt::format("{:.9f}", trace.span_seconds(sum.exclusive_ticks));
  }
  const auto matrix = comm::matrix(trace, run.selection, {}, pool);
  for (uint32_t sender = 0; sender < matrix.traffic.rank_count(); ++sender) {
    for (size_t i = matrix.traffic.row[sender]; i < matrix.traffic.row[sender + 1]; ++i) {
      const std::string name = fmt::format("{}->{}", sender, matrix.traffic.receiver[i]);
      numbers[{"pair", name, "messages"}] = fmt::format("{}", matrix.traffic.messages[i]);
      numbers[{"pair", name, "bytes"}] = fmt::format("{}", matrix.traffic.bytes[i]);
    }
  }
  return numbers;
}

}  // namespace

std::vector<Difference> diff(const RunPart& a, const RunPart& b, base::ThreadPool& pool) {
  const Numbers of_a = numbers_of(a, pool);
  const Numbers of_b = numbers_of(b, pool);
  std::vector<Difference> differences;
  const auto add = [&](const auto& key, std::string left, std::string right) {
    if (left == right) return;
    differences.push_back({key[0], key[1], key[2], std::move(left), std::move(right)});
  };
  auto k = of_b.begin();
  for (const auto& [key, value] : of_a) {
    for (; k != of_b.end() && k->first < key; ++k) add(k->first, "", k->second);
    const bool in_both = k != of_b.end() && k->first == key;
    add(key, value, in_both ? k->second : "");
    if (in_both) ++k;
  }
  for (; k != of_b.end(); ++k) add(k->first, "", k->second);
  return differences;
}

}  // namespace pathline::app
