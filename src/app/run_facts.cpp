// SPDX-License-Identifier: BSD-3-Clause
#include "app/run_facts.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/run_json.hpp"
#include "base/text.hpp"
#include "campaign/folder.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? base::printable(found->get<std::string>())
                                                   : "";
}

std::vector<std::string> texts_of(const Json& json, const char* key) {
  std::vector<std::string> texts;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return texts;
  for (const Json& item : *found) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

/// "rank 3 lost 120 events (largest size)"; an entry that is none says nothing.
std::string loss_text(const Json& loss) {
  if (!loss.is_object()) return "";
  const auto number = [&](const char* key) {
    const auto found = loss.find(key);
    return found != loss.end() && found->is_number() ? std::clamp(found->get<double>(), 0.0, 1e18)
                                                     : 0;
  };
  const auto rank = static_cast<uint64_t>(number("rank"));
  const std::string reason = text_of(loss, "reason");
  const std::string why = reason.empty() || reason == "none" ? "" : " (" + reason + ")";
  if (const double events = number("lost_events"); events > 0) {
    return fmt::format("rank {} lost {}{}", rank,
                       base::counted(static_cast<uint64_t>(events), "event", "events"), why);
  }
  if (const double bytes = number("overwritten_bytes"); bytes > 0) {
    return fmt::format("rank {} kept its last events only{}", rank, why);
  }
  return fmt::format("rank {} never finished: its last event is at {:.6f} s{}", rank,
                     number("last_event_s"), why);
}

}  // namespace

std::optional<RunFacts> run_facts(const fs::path& input) {
  std::error_code ignored;
  const fs::path folder = fs::is_directory(input, ignored) ? input : input.parent_path();
  const Json json = run_json(folder);
  if (!json.contains("command") && !json.contains("exit_status")) return std::nullopt;
  RunFacts facts;
  for (const std::string& word : texts_of(json, "command")) {
    facts.command +=
        (facts.command.empty() ? "" : " ") + base::printable(campaign::shell_word(word));
  }
  facts.start_time = text_of(json, "start_time");
  facts.working_directory = text_of(json, "working_directory");
  for (const std::string& host : texts_of(json, "hosts"))
    facts.hosts.push_back(base::printable(host));
  if (const auto status = json.find("exit_status");
      status != json.end() && status->is_number_integer()) {
    facts.exit_status = status->get<int>();
  }
  if (const auto signal = json.find("signal");
      signal != json.end() && signal->is_number_integer()) {
    facts.signal = signal->get<int>();
  }
  if (const auto losses = json.find("losses"); losses != json.end() && losses->is_array()) {
    for (const Json& loss : *losses) {
      if (std::string text = loss_text(loss); !text.empty())
        facts.losses.push_back(std::move(text));
    }
  }
  return facts;
}

std::string ending_text(const RunFacts& facts) {
  if (facts.signal != 0) {
    return fmt::format("was ended by signal {} ({})", facts.signal, ::strsignal(facts.signal));
  }
  if (!facts.exit_status) return "nobody saw its end";
  return *facts.exit_status == 0
             ? "ended well"
             : fmt::format("ended with status {}: the program failed", *facts.exit_status);
}

std::string date_text(const RunFacts& facts) {
  // "2026-11-21T09:30:05" of "2026-11-21T09:30:05.123Z".
  if (facts.start_time.size() < 19 || facts.start_time[10] != 'T') return facts.start_time;
  return facts.start_time.substr(0, 10) + ' ' + facts.start_time.substr(11, 8) + " UTC";
}

std::vector<std::string> next_commands(const std::string& input, bool can_judge, bool has_steps) {
  const std::string run = base::printable(campaign::shell_word(input));
  std::vector<std::string> commands;
  if (can_judge) commands.push_back("pathline findings " + run);
  commands.push_back("pathline profile " + run + " --by rank");
  commands.push_back("pathline waits " + run);
  if (has_steps) commands.push_back("pathline steps " + run + " --summary");
  commands.push_back("pathline report " + run + " -o report.html");
  return commands;
}

}  // namespace pathline::app
