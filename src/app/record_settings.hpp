// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::app {

/// A setting of the recorder. It is an option of `pathline record`, a variable of the environment
/// (PATHLINE_BUFFER_SIZE for "buffer_size") and a name in a file of settings.
struct RecordSetting {
  std::string_view name;   ///< "buffer_size".
  std::string_view value;  ///< What it takes, for help: "SIZE".
  std::string_view help;
  /// Brings a value into the form that the recorder reads; relative paths count from `folder`.
  base::Result<std::string> (*check)(const std::string& text, const std::filesystem::path& folder);
  std::span<const std::string_view> words = {};  ///< All that it takes, if that is few words.
};

/// All of them, in the order of the help.
std::span<const RecordSetting> record_settings();

/// "PATHLINE_BUFFER_SIZE" for "buffer_size".
std::string variable_name(std::string_view setting);

using SettingTexts = std::map<std::string, std::string>;  ///< By name: {"buffer_size", "4M"}.

struct EffectiveSettings {
  SettingTexts values;                ///< What is set, checked and in the recorder's form.
  std::vector<std::string> warnings;  ///< Unknown variables, settings without effect.
};

/// Joins what was said: the command line counts more than the environment, and that more than the
/// file that either of them names ("config").
///
/// environment  all variables of this process, by their full names
/// errors       kInvalidArgument naming the option, variable or line, and what it should be;
///              what makes the file unreadable
base::Result<EffectiveSettings> effective_settings(
    const SettingTexts& command_line, const std::map<std::string, std::string>& environment);

/// The settings in a TOML file, as texts: `steps = "100:200:10"`, `io = true`, `every = 10`.
/// errors  kNotFound, kIo; kInvalidArgument naming file, line and what is wrong there.
base::Result<SettingTexts> read_settings_file(const std::filesystem::path& path);

}  // namespace pathline::app
