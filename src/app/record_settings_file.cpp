// SPDX-License-Identifier: BSD-3-Clause
//
// The only file of this layer that knows toml++.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "app/record_settings.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace pathline::app {
namespace {

base::Error wrong(const std::filesystem::path& path, const toml::source_region& where,
                  std::string_view what, std::string advice = "") {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("{}, line {}: {}", path.string(), where.begin.line, what), std::move(advice)};
}

}  // namespace

base::Result<SettingTexts> read_settings_file(const std::filesystem::path& path) {
  const auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  toml::table table;
  try {
    table = toml::parse(file.value().text());
  } catch (const toml::parse_error& error) {
    return wrong(path, error.source(), error.description());
  }

  std::vector<std::string> names;
  for (const RecordSetting& setting : record_settings()) names.emplace_back(setting.name);
  SettingTexts texts;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(names.begin(), names.end(), name) == names.end() || name == "config") {
      const std::string_view meant = base::nearest(name, names);
      return wrong(path, key.source(), fmt::format("there is no setting '{}'", name),
                   meant.empty() ? "The settings are named as the options of 'pathline record', "
                                   "with _ for -."
                                 : fmt::format("Did you mean '{}'?", meant));
    }
    if (const auto* text = node.as_string()) {
      texts[name] = text->get();
    } else if (const auto* number = node.as_integer()) {
      texts[name] = std::to_string(number->get());
    } else if (const auto* fraction = node.as_floating_point()) {
      texts[name] = fmt::format("{}", fraction->get());
    } else if (const auto* yes = node.as_boolean()) {
      texts[name] = yes->get() ? "1" : "0";
    } else {
      return wrong(path, node.source(),
                   fmt::format("'{}' is to be a text, a number, true or false", name));
    }
  }
  return texts;
}

}  // namespace pathline::app
