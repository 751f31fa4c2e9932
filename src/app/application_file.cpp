// SPDX-License-Identifier: BSD-3-Clause
#include "app/application_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "base/file.hpp"
#include "base/text.hpp"

namespace pathline::app {
namespace {

constexpr std::string_view kAxes = "xyz";
constexpr uint64_t kMost = 1'000'000;  // Of any number in it.

/// Reads one file; the first mistake ends it.
class Reader {
 public:
  explicit Reader(std::filesystem::path path) : path_(std::move(path)) {}

  base::Result<predict::Application> read() {
    const auto file = base::MappedFile::open(path_);
    if (!file) return file.error();
    toml::table table;
    try {
      table = toml::parse(file.value().text());
    } catch (const toml::parse_error& error) {
      return wrong(error.source(), base::printable(error.description()));
    }
    predict::Application application;
    if (read(table, application); error_) return *error_;
    if (auto status = predict::check(application); !status) {
      return base::Error{status.error().code,
                         fmt::format("{}: {}", path_.string(), status.error().message),
                         status.error().advice};
    }
    return application;
  }

 private:
  [[nodiscard]] base::Error wrong(const toml::source_region& where, std::string_view what,
                                  std::string advice = {}) const {
    return {base::ErrorCode::kInvalidArgument,
            fmt::format("{}, line {}: {}", path_.string(), where.begin.line, what),
            std::move(advice)};
  }
  void fail(const toml::node& at, std::string_view what, std::string advice = {}) {
    if (!error_) error_ = wrong(at.source(), what, std::move(advice));
  }

  /// Refuses keys that mean nothing.
  void check_keys(const toml::table& table, std::span<const std::string> known) {
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string_view meant = base::nearest(name, known);
      if (error_) return;
      error_ = wrong(key.source(), fmt::format("there is no key '{}'", base::printable(name)),
                     meant.empty() ? fmt::format("Expected {}.", fmt::join(known, ", "))
                                   : fmt::format("Did you mean '{}'?", meant));
    }
  }

  template <class T>
  void take(const toml::table& table, const char* key, T& to, std::string_view expected,
            bool required = false) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (required) fail(table, fmt::format("'{}' is missing: {}", key, expected));
      return;
    }
    bool is_good = false;
    if constexpr (std::is_same_v<T, bool>) {
      if (const auto* yes = node->as_boolean()) to = yes->get(), is_good = true;
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (const auto* text = node->as_string()) to = text->get(), is_good = true;
    } else if constexpr (std::is_same_v<T, double>) {
      if (const auto number = node->value<double>()) {
        to = *number;
        is_good = std::isfinite(to) && to >= 0;
      }
    } else {
      const auto* number = node->as_integer();
      if (number != nullptr && number->get() >= 0 &&
          static_cast<uint64_t>(number->get()) <= kMost) {
        to = static_cast<T>(number->get());
        is_good = true;
      }
    }
    if (!is_good) fail(*node, fmt::format("'{}' is to be {}", key, expected));
  }

  /// Calls `each` for the tables in the array `key`, if it is there.
  template <class Each>
  void tables(const toml::table& table, const char* key, Each each) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) return fail(*node, fmt::format("'{}' is to be a list of tables", key));
    for (const toml::node& element : *array) {
      const toml::table* inner = element.as_table();
      if (inner == nullptr) {
        return fail(element, fmt::format("'{}' is to be a list of tables", key));
      }
      each(*inner);
    }
  }

  void read(const toml::table& table, predict::Application& to) {
    static const std::vector<std::string> kKeys = {"name", "fields", "halo", "periodic", "phases"};
    check_keys(table, kKeys);
    to.name = path_.stem().string();
    take(table, "name", to.name, "a text");
    take(table, "fields", to.fields, "the number of arrays that a cell has values in", true);
    take(table, "halo", to.halo, "the number of cells around a local grid");
    const toml::node* periodic = table.get("periodic");
    const toml::array* axes = periodic == nullptr ? nullptr : periodic->as_array();
    const auto expected =
        fmt::format("'periodic' is to be a list of true or false, one for each of one to {} axes",
                    predict::kMaxAxes);
    if (axes == nullptr || axes->empty() || axes->size() > predict::kMaxAxes) {
      return fail(periodic == nullptr ? table : *periodic, expected);
    }
    for (const toml::node& node : *axes) {
      const auto* yes = node.as_boolean();
      if (yes == nullptr) return fail(node, expected);
      to.periodic.push_back(yes->get());
    }
    tables(table, "phases", [&](const toml::table& phase) {
      to.phases.emplace_back();
      read(phase, to.periodic.size(), to.phases.back());
    });
  }

  void read(const toml::table& table, size_t axes, predict::Phase& to) {
    static const std::vector<std::string> kKeys = {"kernels", "shifts", "at_once"};
    check_keys(table, kKeys);
    take(table, "at_once", to.at_once, "true or false");
    tables(table, "kernels", [&](const toml::table& kernel) {
      static const std::vector<std::string> kKernelKeys = {"name", "seconds_per_cell"};
      check_keys(kernel, kKernelKeys);
      predict::Kernel& added = to.kernels.emplace_back();
      take(kernel, "name", added.name, "a text", true);
      take(kernel, "seconds_per_cell", added.seconds_per_cell, "a time in seconds");
    });
    tables(table, "shifts",
           [&](const toml::table& shift) { read(shift, axes, to.shifts.emplace_back()); });
  }

  void read(const toml::table& table, size_t axes, predict::Shift& to) {
    static const std::vector<std::string> kKeys = {"axis", "to", "layout", "values_per_cell",
                                                   "extra"};
    check_keys(table, kKeys);
    std::string axis;
    take(table, "axis", axis, "x, y or z", true);
    const size_t number = axis.size() == 1 ? kAxes.find(axis[0]) : std::string_view::npos;
    if (number >= axes) {
      return fail(table, fmt::format("axis is '{}', expected one of {}", base::printable(axis),
                                     fmt::join(kAxes.substr(0, axes), ", ")));
    }
    to.axis = static_cast<uint32_t>(number);
    std::string way;
    take(table, "to", way, "up (to larger coordinates) or down", true);
    if (way != "up" && way != "down") {
      return fail(table, fmt::format("to is '{}', expected up or down", base::printable(way)));
    }
    to.upwards = way == "up";
    take(table, "layout", to.layout, "contiguous, strided or packed");
    take(table, "values_per_cell", to.values_per_cell, "a number");
    const toml::node* extra = table.get("extra");
    if (extra == nullptr) return;
    const toml::array* sizes = extra->as_array();
    const auto expected =
        fmt::format("'extra' is to be a list of {}", base::counted(axes, "number", "numbers"));
    if (sizes == nullptr || sizes->size() != axes) return fail(*extra, expected);
    for (const toml::node& node : *sizes) {
      const auto* size = node.as_integer();
      if (size == nullptr || size->get() < 0 || static_cast<uint64_t>(size->get()) > kMost) {
        return fail(node, expected);
      }
      to.extra.push_back(static_cast<uint32_t>(size->get()));
    }
  }

  std::filesystem::path path_;
  std::optional<base::Error> error_;
};

/// A text of TOML, whatever it holds.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : base::printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

base::Result<predict::Application> read_application(const std::filesystem::path& path) {
  return Reader(path).read();
}

std::string application_text(const predict::Application& application) {
  std::string text =
      fmt::format("name = {}\nfields = {}\nhalo = {}\nperiodic = [{}]\n", quoted(application.name),
                  application.fields, application.halo, fmt::join(application.periodic, ", "));
  for (const predict::Phase& phase : application.phases) {
    text += "\n[[phases]]\n";
    if (phase.at_once) text += "at_once = true\n";
    if (!phase.kernels.empty()) text += "kernels = [\n";
    for (const predict::Kernel& kernel : phase.kernels) {
      text += fmt::format("  {{ name = {}", quoted(kernel.name));
      if (kernel.seconds_per_cell > 0) {
        text += fmt::format(", seconds_per_cell = {:.9e}", kernel.seconds_per_cell);
      }
      text += " },\n";
    }
    if (!phase.kernels.empty()) text += "]\n";
    if (!phase.shifts.empty()) text += "shifts = [\n";
    for (const predict::Shift& shift : phase.shifts) {
      text += fmt::format("  {{ axis = \"{}\", to = \"{}\", layout = {}", kAxes[shift.axis],
                          shift.upwards ? "up" : "down", quoted(shift.layout));
      if (shift.values_per_cell != 1) {
        text += fmt::format(", values_per_cell = {}", shift.values_per_cell);
      }
      if (!shift.extra.empty()) text += fmt::format(", extra = [{}]", fmt::join(shift.extra, ", "));
      text += " },\n";
    }
    if (!phase.shifts.empty()) text += "]\n";
  }
  return text;
}

}  // namespace pathline::app
