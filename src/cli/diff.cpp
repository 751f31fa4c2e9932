// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"
#include "comm/matrix.hpp"
#include "profile/profile.hpp"

namespace pathline::cli {
namespace {

struct DiffOptions : CommonOptions {
  std::string other;
};

/// What is compared: (kind, name, metric) to its value as text.
using Numbers = std::map<std::array<std::string, 3>, std::string>;

Numbers numbers_of(Opened& opened) {
  const trace::Trace& trace = opened.trace;
  Numbers numbers;
  const auto profile = profile::from_trace(trace, opened.selection, opened.pool);
  struct Sum {
    uint64_t visits = 0;
    uint64_t inclusive_ticks = 0;
    uint64_t exclusive_ticks = 0;
  };
  // By name, the only thing that regions of two runs have in common; several may share one.
  std::map<std::string, Sum> regions;
  for (const auto& row : profile::by_region(trace, opened.selection, profile)) {
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
  const auto matrix = comm::matrix(trace, opened.selection, {}, opened.pool);
  for (uint32_t sender = 0; sender < matrix.traffic.rank_count(); ++sender) {
    for (size_t i = matrix.traffic.row[sender]; i < matrix.traffic.row[sender + 1]; ++i) {
      const std::string name = fmt::format("{}->{}", sender, matrix.traffic.receiver[i]);
      numbers[{"pair", name, "messages"}] = fmt::format("{}", matrix.traffic.messages[i]);
      numbers[{"pair", name, "bytes"}] = fmt::format("{}", matrix.traffic.bytes[i]);
    }
  }
  return numbers;
}

base::Result<int> run_diff(const DiffOptions& options) {
  CommonOptions second = options;
  second.input = options.other;
  auto opened_a = open(options);
  if (!opened_a) return opened_a.error();
  auto opened_b = open(second);
  if (!opened_b) return opened_b.error();
  const Numbers a = numbers_of(*opened_a.value());
  const Numbers b = numbers_of(*opened_b.value());

  Table table(options, {{"kind", true}, {"name", true}, {"metric", true}, {"a"}, {"b"}});
  bool differs = false;
  const auto compare = [&](const auto& key, const std::string& left, const std::string& right) {
    if (left == right) return;
    differs = true;
    table.row({key[0], key[1], key[2], left, right});
  };
  for (auto i = a.begin(), k = b.begin(); i != a.end() || k != b.end();) {
    if (k == b.end() || (i != a.end() && i->first < k->first)) {
      compare(i->first, i->second, "");
      ++i;
    } else if (i == a.end() || k->first < i->first) {
      compare(k->first, "", k->second);
      ++k;
    } else {
      compare(i->first, i->second, k->second);
      ++i;
      ++k;
    }
  }
  if (auto status = table.finish(); !status) return status.error();
  return differs ? kAnswerIsNo : kDone;
}

}  // namespace

void add_diff_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand("diff", "Regions and pairs whose numbers differ");
  add_input(*command, *options);
  command->add_option("OTHER", options->other, "The run to compare with")->required();
  add_output(*command, *options);
  add_format(*command, *options);
  add_selection(*command, *options);
  command->footer(
      "Exit status 1 when something differs. An empty value: only the other run has it. Regions "
      "are "
      "compared by name: those that share one are added up.\n"
      "Examples:\n  pathline diff before after\n"
      "  pathline diff before after --format csv | grep exclusive_s");
  command->callback([options, &action] { action = [options] { return run_diff(*options); }; });
}

}  // namespace pathline::cli
