// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "base/result.hpp"
#include "base/text.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

/// A value of a table, and what is to be done with it.
struct Key {
  const char* name;
  std::function<base::Status(const toml::node&)> take;
};

/// Reads the tables of a TOML file key by key; what is wrong is said with file and line.
class TomlKeys {
 protected:
  static base::Error wrong(const std::filesystem::path& file, const toml::source_region& where,
                           std::string_view what, std::string advice = "") {
    return {base::ErrorCode::kInvalidArgument,
            fmt::format("{}, line {}: {}", file.string(), where.begin.line, what),
            std::move(advice)};
  }
  [[nodiscard]] base::Error wrong(const toml::node& node, std::string_view what) const {
    return wrong(file_, node.source(), what);
  }
  [[nodiscard]] Place place(const toml::node& node) const {
    return {file_.string(), node.source().begin.line};
  }

  /// Hands each value to its key. errors  for a key that there is none of.
  base::Status take(const toml::table& table, const std::string& what,
                    std::span<const Key> keys) const {
    for (const auto& [name, node] : table) {
      const auto key =
          std::find_if(keys.begin(), keys.end(),
                       [&, n = std::string_view(name)](const Key& of) { return n == of.name; });
      if (key == keys.end()) {
        std::vector<std::string> names;
        for (const Key& of : keys) names.emplace_back(of.name);
        const std::string_view meant = base::nearest(name.str(), names);
        return wrong(file_, name.source(),
                     fmt::format("there is no key '{}' in {}", name.str(), what),
                     meant.empty() ? fmt::format("There are {}.", fmt::join(names, ", "))
                                   : fmt::format("Did you mean '{}'?", meant));
      }
      if (auto status = key->take(node); !status) return status;
    }
    return {};
  }

  // Values of a kind, each with the name of what it is for.
  static Key text(const char* name, std::string& to, const TomlKeys& reader) {
    return {name, [name, &to, &reader](const toml::node& node) -> base::Status {
              auto value = reader.text_of(node);
              if (!value) return reader.wrong(node, fmt::format("'{}' is to be a text", name));
              to = std::move(*value);
              return {};
            }};
  }
  static Key texts(const char* name, std::vector<std::string>& to, const TomlKeys& reader) {
    return {name, [name, &to, &reader](const toml::node& node) -> base::Status {
              if (auto only = reader.text_of(node)) {
                to = {std::move(*only)};
                return {};
              }
              const toml::array* list = node.as_array();
              if (list == nullptr) {
                return reader.wrong(node, fmt::format("'{}' is to be a list of texts", name));
              }
              to.clear();
              for (const toml::node& item : *list) {
                auto value = reader.text_of(item);
                if (!value) {
                  return reader.wrong(item, fmt::format("'{}' is to be a list of texts", name));
                }
                to.push_back(std::move(*value));
              }
              return {};
            }};
  }
  static Key yes(const char* name, std::function<void(bool)> set, const TomlKeys& reader) {
    return {name, [name, set = std::move(set), &reader](const toml::node& node) -> base::Status {
              const auto value = node.value_exact<bool>();
              if (!value) {
                return reader.wrong(node, fmt::format("'{}' is to be true or false", name));
              }
              set(*value);
              return {};
            }};
  }
  static Key count(const char* name, uint32_t& to, uint32_t least, const TomlKeys& reader) {
    return {name, [name, &to, least, &reader](const toml::node& node) -> base::Status {
              const auto value = node.value_exact<int64_t>();
              if (!value || *value < least || *value > 1'000'000) {
                return reader.wrong(node, fmt::format("'{}' is to be a whole number from {} to "
                                                      "1000000",
                                                      name, least));
              }
              to = static_cast<uint32_t>(*value);
              return {};
            }};
  }

  static Key seconds(const char* name, double& to, const TomlKeys& reader) {
    return {name, [name, &to, &reader](const toml::node& node) -> base::Status {
              const auto value = node.value<double>();
              if (!node.is_number() || !(*value > 0) || *value > 1e9) {
                return reader.wrong(node, fmt::format("'{}' is to be a number of seconds", name));
              }
              to = *value;
              return {};
            }};
  }

  /// Numbers as they stand in the file: 0.10 stays 0.10.
  [[nodiscard]] std::optional<std::string> text_of(const toml::node& node) const {
    if (const auto* value = node.as_string()) return value->get();
    if (const auto* value = node.as_integer()) return std::to_string(value->get());
    if (const auto* value = node.as_floating_point()) return fmt::format("{}", value->get());
    if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
    return std::nullopt;
  }

  std::filesystem::path file_;  // That is read now.
};

}  // namespace pathline::campaign
