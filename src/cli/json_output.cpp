// SPDX-License-Identifier: BSD-3-Clause
#include "cli/json_output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A number as people read it, by what its key says it is.
std::string number_text(const std::string& key, const Json& value) {
  const double number = value.get<double>();
  if (key.find("bytes") != std::string::npos) return base::human_bytes(number);
  if (key.ends_with("_s") || key == "seconds") return base::human_seconds(number);
  if (key.ends_with("_pct")) return fmt::format("{:.1f} %", number);
  if (value.is_number_unsigned()) return base::human_count(value.get<uint64_t>());
  if (value.is_number_float()) return fmt::format("{:.4g}", number);
  return value.dump();
}

/// "events: 120", nested names joined by a blank.
void add_lines(std::string& text, const std::string& prefix, const Json& json) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = json.is_array() ? prefix : prefix.empty() ? key : prefix + ' ' + key;
    if (value.is_structured()) {
      add_lines(text, name, value);
    } else if (!value.is_null()) {
      text += fmt::format("{:<30} {}\n", name,
                          value.is_string()   ? value.get<std::string>()
                          : value.is_number() ? number_text(key, value)
                                              : value.dump());
    }
  }
}

}  // namespace

void add_json_format(Command& command, CommonOptions& options) {
  command.option("--format", options.format, "Default: table on a terminal, json elsewhere")
      .one_of({"table", "json"});
}

base::Status print_json(const CommonOptions& options, const nlohmann::ordered_json& json) {
  std::string text;
  if (is_for_people(options)) {
    add_lines(text, "", json);
  } else {
    text = json.dump(2) + '\n';
  }
  return write_result(options.output, text);
}

}  // namespace pathline::cli
