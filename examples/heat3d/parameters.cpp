// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include <toml++/toml.h>

namespace heat3d {
namespace {

constexpr std::array<std::string_view, 11> kKeys = {
    "ranks", "points",    "spacing_m", "dt_s", "diffusivity_m2_per_s", "walls", "initial",
    "steps", "tolerance", "exchange",  "mesh"};
constexpr std::array<std::string_view, 4> kExchanges = {"isend", "put", "persistent", "neighbor"};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename Range>
std::string joined(const Range& items) {
  std::ostringstream text;
  const char* separator = "";
  for (const auto& item : items) {
    text << separator << item;
    separator = ", ";
  }
  return text.str();
}

/// Without line breaks and of bounded length, whatever the file says.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  constexpr size_t kLongest = 60;
  return line.size() <= kLongest ? line : line.substr(0, kLongest) + "...";
}

std::string shown(const toml::node& node) {
  if (node.is_table()) return "a table";
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return one_line(text.str());
}

class Reader {
 public:
  Reader(const toml::table& first, const toml::table& table, const std::string& file)
      : first_(first), table_(table), file_(file) {}

  void refuse_unknown_keys() const {
    for (const auto& [key, node] : table_) {
      if (std::find(kKeys.begin(), kKeys.end(), key.str()) == kKeys.end()) {
        fail(key.source(),
             "unknown key '" + one_line(key.str()) + "', expected one of " + joined(kKeys));
      }
    }
  }

  [[nodiscard]] double number(std::string_view key, double above) const {
    return number_of(key, node(key), {}, above);
  }

  [[nodiscard]] int64_t count(std::string_view key) const {
    return count_of(key, node(key), {}, std::numeric_limits<int64_t>::max());
  }

  template <size_t n>
  [[nodiscard]] std::array<double, n> numbers(std::string_view key, double above) const {
    std::array<double, n> values{};
    const toml::array& array = list(key, n);
    for (size_t i = 0; i < n; ++i) values[i] = number_of(key, array[i], i, above);
    return values;
  }

  [[nodiscard]] Triple<int> counts(std::string_view key) const {
    Triple<int> values{};
    const toml::array& array = list(key, values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      // Two points more, the halo, must be a number that MPI can count with.
      constexpr int kMost = std::numeric_limits<int>::max() - 2;
      values[i] = static_cast<int>(count_of(key, array[i], i, kMost));
    }
    return values;
  }

  [[nodiscard]] std::string exchange() const {
    const auto name = node("exchange").value_exact<std::string>();
    if (!name || std::find(kExchanges.begin(), kExchanges.end(), *name) == kExchanges.end()) {
      refuse("exchange", node("exchange"), {}, "one of " + joined(kExchanges));
    }
    return *name;
  }

  [[nodiscard]] bool yes_or_no(std::string_view key) const {
    const auto value = node(key).value_exact<bool>();
    if (!value) refuse(key, node(key), {}, "true or false");
    return *value;
  }

  [[nodiscard]] bool has(std::string_view key) const {
    return first_.contains(key) || table_.contains(key);
  }

  /// The value of `key` does not fit to others.
  [[noreturn]] void fail(std::string_view key, const std::string& what) const {
    fail(node(key).source(), std::string(key) + " is " + shown(node(key)) + ", " + what);
  }

 private:
  [[noreturn]] void fail(const toml::source_region& source, const std::string& what) const {
    throw BadParameters((source.path ? *source.path : file_) + ":" +
                        std::to_string(source.begin.line) + ": " + what);
  }

  /// index   of an element of the list `key`, or none if the whole value is wrong.
  [[noreturn]] void refuse(std::string_view key, const toml::node& found,
                           std::optional<size_t> index, const std::string& expected) const {
    std::string name(key);
    if (index) name += "[" + std::to_string(*index) + "]";
    fail(found.source(), name + " is " + shown(found) + ", expected " + expected);
  }

  [[nodiscard]] const toml::node& node(std::string_view key) const {
    const toml::node* found = first_.get(key);
    if (found == nullptr) found = table_.get(key);
    if (found == nullptr)
      throw BadParameters(file_ + ": key '" + std::string(key) + "' is missing");
    return *found;
  }

  [[nodiscard]] const toml::array& list(std::string_view key, size_t length) const {
    const toml::array* found = node(key).as_array();
    if (found == nullptr || found->size() != length) {
      refuse(key, node(key), {}, "a list of " + std::to_string(length) + " numbers");
    }
    return *found;
  }

  [[nodiscard]] double number_of(std::string_view key, const toml::node& found,
                                 std::optional<size_t> index, double above) const {
    // A whole number will do; "true" is none, though value() would make one of it.
    const auto value = found.is_number() ? found.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value) || *value <= above) {
      refuse(key, found, index, above == 0 ? "a number greater than 0" : "a finite number");
    }
    return *value;
  }

  [[nodiscard]] int64_t count_of(std::string_view key, const toml::node& found,
                                 std::optional<size_t> index, int64_t most) const {
    const auto value = found.value_exact<int64_t>();
    if (!value || *value < 1 || *value > most) {
      refuse(key, found, index, "a whole number from 1 to " + std::to_string(most));
    }
    return *value;
  }

  const toml::table& first_;  // Counts before the other.
  const toml::table& table_;
  const std::string& file_;
};

void check_division(const Reader& reader, const Parameters& parameters, int processes) {
  double ranks = 1;  // may exceed every integer
  double values = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (parameters.points[i] % parameters.ranks[i] != 0) {
      reader.fail("points", "expected multiples of ranks = [" + joined(parameters.ranks) + "]");
    }
    ranks *= parameters.ranks[i];
    const int own_points = parameters.points[i] / parameters.ranks[i];
    values *= own_points + 2.0;
  }
  if (ranks != processes) {
    reader.fail("ranks", "but the program was started with " + std::to_string(processes) +
                             (processes == 1 ? " process" : " processes"));
  }
  if (values > std::numeric_limits<int>::max()) {
    reader.fail("points", "expected less than 2^31 points for each rank");
  }
}

/// A step moves each value towards the mean of its neighbours, and must not overshoot: the sum of
/// the weights, 2 a dt / h^2 for each direction, may not exceed 1.
void check_stability(const Reader& reader, const Parameters& parameters) {
  double sum = 0;
  for (const double h : parameters.spacing_m) sum += 1 / (h * h);
  const double limit_s = 1 / (2 * parameters.diffusivity_m2_per_s * sum);
  if (!(parameters.dt_s <= limit_s)) {
    std::ostringstream what;
    what << "but with this spacing and diffusivity the scheme is stable only up to " << limit_s
         << " s";
    reader.fail("dt_s", what.str());
  }
}

}  // namespace

Parameters parse_parameters(const std::string& text, const std::string& file,
                            const std::string& instead, int processes) {
  const auto parse = [](const std::string& toml, const std::string& name) {
    try {
      return toml::parse(toml, name);
    } catch (const toml::parse_error& error) {
      throw BadParameters(name + ":" + std::to_string(error.source().begin.line) + ": " +
                          std::string(error.description()));
    }
  };
  const toml::table table = parse(text, file);
  const toml::table first = parse(instead, "command line");

  const Reader reader(first, table, file);
  reader.refuse_unknown_keys();
  Parameters parameters = {
      .ranks = reader.counts("ranks"),
      .points = reader.counts("points"),
      .spacing_m = reader.numbers<3>("spacing_m", 0),
      .dt_s = reader.number("dt_s", 0),
      .diffusivity_m2_per_s = reader.number("diffusivity_m2_per_s", 0),
      .initial = reader.number("initial", -kInfinity),
      .walls = reader.numbers<6>("walls", -kInfinity),
      .steps = reader.count("steps"),
  };
  if (reader.has("tolerance")) {
    parameters.tolerance = reader.number("tolerance", -kInfinity);
    if (parameters.tolerance < 0) reader.fail("tolerance", "expected 0 or more");
  }
  if (reader.has("exchange")) parameters.exchange = reader.exchange();
  if (reader.has("mesh")) parameters.mesh = reader.yes_or_no("mesh");
  check_division(reader, parameters, processes);
  check_stability(reader, parameters);
  return parameters;
}

}  // namespace heat3d
