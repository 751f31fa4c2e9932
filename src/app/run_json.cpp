// SPDX-License-Identifier: BSD-3-Clause
#include "app/run_json.hpp"

#include <chrono>
#include <ctime>
#include <iomanip>
#include <sstream>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path path_in(const fs::path& run) { return run / "run.json"; }

uint64_t parse_utc_time(const std::string& words) {
  std::tm utc{};
  std::istringstream text(words);
  text >> std::get_time(&utc, "%Y-%m-%dT%H:%M:%S");
  const std::time_t seconds = text.fail() ? -1 : ::timegm(&utc);
  if (seconds < 0) return 1;
  double fraction = 0;
  if (text.peek() == '.') text >> fraction;
  return static_cast<uint64_t>(seconds) * 1'000'000'000 + static_cast<uint64_t>(fraction * 1e9);
}

}  // namespace

Json run_json(const fs::path& run) {
  const auto file = base::MappedFile::open(path_in(run));
  Json json = file ? Json::parse(file.value().text(), nullptr, false) : Json::object();
  return json.is_object() ? json : Json::object();
}

RunState read_run_json(const fs::path& run) {
  std::error_code ignored;
  const Json json = run_json(run);
  RunState state{.described = fs::exists(path_in(run), ignored)};
  if (const auto found = json.find("finished"); found != json.end() && found->is_boolean()) {
    state.finished = found->get<bool>();
  }
  if (const auto found = json.find("end_time"); found != json.end() && found->is_string()) {
    state.command_end_ns = parse_utc_time(found->get<std::string>());
  }
  return state;
}

base::Status write_run_json(const fs::path& run, const Json& entries) {
  Json json = run_json(run);
  for (const auto& [key, value] : entries.items()) json[key] = value;
  // Arguments need not be UTF-8.
  return base::write_file(path_in(run),
                          json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

void remove_run_json(const fs::path& run) {
  std::error_code ignored;
  fs::remove(path_in(run), ignored);
}

std::optional<std::string> utc_time(int64_t since_1970_ns) {
  const std::time_t seconds = since_1970_ns / 1'000'000'000;
  std::tm utc{};
  if (since_1970_ns < 0 || ::gmtime_r(&seconds, &utc) == nullptr) return std::nullopt;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", utc, since_1970_ns / 1'000'000 % 1000);
}

std::string utc_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return utc_time(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()).value_or("");
}

}  // namespace pathline::app
