// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/json_lines.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "scaling/read/json_plain.hpp"

namespace pathline::scaling {
namespace {

enum Member : size_t { kParameters, kMetric, kCallPath, kValue, kUnknown };

struct Dialect {
  std::array<std::string_view, 4> members;  ///< By Member.
  bool has_semicolons = false;
  bool has_defaults = false;
};

/// TaLPas separates with `;` what JSON separates with `,`; not so within strings.
void put_commas(std::string_view line, std::string& out) {
  out.assign(line);
  bool in_string = false;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == '"') in_string = !in_string;
    if (out[i] == '\\' && in_string) ++i;
    if (i < out.size() && out[i] == ';' && !in_string) out[i] = ',';
  }
}

/// Adds the measurement of one line after the other to an experiment.
class LineHandler final : public JsonEvents {
 public:
  explicit LineHandler(const Dialect& dialect)
      : dialect_(dialect), plain_(dialect.has_semicolons) {}

  /// Returns false if the line is at fault.
  bool read(std::string_view line) {
    begin();
    if (plain_.scan(line, *this)) return take();
    begin();
    if (dialect_.has_semicolons) {
      put_commas(line, with_commas_);
      line = with_commas_;
    }
    return parse_json(line) && take();
  }
  [[nodiscard]] bool is_empty() const { return !builder_; }
  ExperimentBuilder& builder() { return *builder_; }
  [[nodiscard]] const std::string& unknown_member() const { return unknown_member_; }

  bool number(double value) override {
    if (ignored_depth_ > 0 || (depth_ == 1 && member_ == kUnknown)) return true;
    if (depth_ == 0) return fail("found a number, expected an object");
    if (member_ == kValue) {
      values_.push_back(value);
      return true;
    }
    if (member_ == kParameters && depth_ == 2) {
      x_[at_] = value;
      return true;
    }
    return fail(fmt::format("{}: found a number, expected {}", path(), expected()));
  }

  bool text(std::string& value) override {
    if (ignored_depth_ > 0 || (depth_ == 1 && member_ == kUnknown)) return true;
    if (depth_ == 1 && member_ == kMetric) {
      metric_.assign(value);
      return true;
    }
    if (depth_ == 1 && member_ == kCallPath) {
      call_path_.assign(value);
      return true;
    }
    if (depth_ == 0 || (depth_ == 1 && member_ == kParameters)) return other("a string");
    const auto in_text = number_in(value);
    if (!in_text) return fail(fmt::format("{}: {}", path(), no_number(value)));
    return number(*in_text);
  }

  bool other(std::string_view what) override {
    if (ignored_depth_ > 0 || (depth_ == 1 && member_ == kUnknown)) return true;
    return fail(fmt::format("{}: found {}, expected {}", path(), what, expected()));
  }

  bool start(bool is_array) override {
    if (ignored_depth_ > 0 || (depth_ == 1 && member_ == kUnknown)) {
      constexpr uint32_t kMaxDepth = 64;
      return ++ignored_depth_ <= kMaxDepth ||
             fail(fmt::format("it is nested deeper than {} levels", kMaxDepth));
    }
    const bool fits = depth_ == 0                             ? !is_array
                      : depth_ == 1 && member_ == kValue      ? is_array
                      : depth_ == 1 && member_ == kParameters ? !is_array
                                                              : false;
    if (!fits) return other(is_array ? "an array" : "an object");
    ++depth_;
    return true;
  }

  bool end() override {
    if (ignored_depth_ > 0) {
      --ignored_depth_;
    } else {
      --depth_;
    }
    return true;
  }

  bool key(std::string& name) override {
    if (ignored_depth_ > 0) return true;
    if (depth_ == 2) return begin_parameter(name);
    const auto found = std::ranges::find(dialect_.members, name);
    member_ = Member(found - dialect_.members.begin());
    if (member_ == kUnknown) {
      if (unknown_member_.empty()) unknown_member_ = name;
      return true;
    }
    if (seen_[member_]) return fail(fmt::format("'{}' is there twice", *found));
    seen_[member_] = true;
    return true;
  }

 private:
  [[nodiscard]] std::string path() const {
    if (depth_ == 0) return "the line";
    if (member_ == kParameters && depth_ == 2) {
      return fmt::format("{}/{}", dialect_.members[kParameters], shown(names_[at_]));
    }
    return std::string(dialect_.members[member_]);
  }
  [[nodiscard]] std::string_view expected() const {
    if (depth_ == 0) return "an object";
    if (member_ == kMetric || member_ == kCallPath) return "a string";
    if (depth_ == 1 && member_ == kParameters) return "an object";
    return depth_ == 1 ? "a number or an array of numbers" : "a number";
  }

  void begin() {
    forgive();
    depth_ = ignored_depth_ = 0;
    seen_.fill(false);
    values_.clear();
    next_ = 0;
    std::fill(has_.begin(), has_.end(), false);
    if (builder_) return;
    names_.clear();
    index_.clear();
    x_.clear();
    has_.clear();
  }

  bool begin_parameter(const std::string& name) {
    if (!builder_) {
      if (!index_.try_emplace(name, names_.size()).second) {
        return fail(fmt::format("parameter '{}' is there twice", shown(name)));
      }
      at_ = names_.size();
      names_.push_back(name);
      x_.push_back(0);
      has_.push_back(true);
      return true;
    }
    at_ = next_ < names_.size() && names_[next_] == name ? next_ : find(name);
    if (at_ == names_.size()) {
      return fail(fmt::format("parameter '{}' is none of the first line's", shown(name)));
    }
    if (has_[at_]) return fail(fmt::format("parameter '{}' is there twice", shown(name)));
    has_[at_] = true;
    next_ = at_ + 1;
    return true;
  }
  [[nodiscard]] size_t find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? names_.size() : found->second;
  }

  bool take() {
    for (const Member member : {kParameters, kMetric, kCallPath, kValue}) {
      const bool is_optional = dialect_.has_defaults && (member == kMetric || member == kCallPath);
      if (seen_[member] || is_optional) continue;
      return fail(fmt::format("there is no member '{}'", dialect_.members[member]));
    }
    if (!builder_) {
      if (names_.empty()) {
        return fail(fmt::format("{}: there are none", dialect_.members[kParameters]));
      }
      builder_.emplace(names_);
    }
    const auto lacking = std::find(has_.begin(), has_.end(), false);
    if (lacking != has_.end()) {
      return fail(fmt::format("there is no value of parameter '{}', which the first line has",
                              shown(names_[size_t(lacking - has_.begin())])));
    }
    const uint32_t point = builder_->point(x_);
    const uint32_t call_path = builder_->call_path(seen_[kCallPath] ? call_path_ : "<root>");
    const uint32_t metric = builder_->metric(seen_[kMetric] ? metric_ : "<default>");
    builder_->declare(call_path, metric);
    for (const double value : values_) builder_->add(call_path, metric, point, value);
    return true;
  }

  const Dialect& dialect_;
  std::optional<ExperimentBuilder> builder_;  // From the end of the first line on.
  std::vector<std::string> names_;
  std::unordered_map<std::string, size_t> index_;
  std::string unknown_member_;
  PlainScanner plain_;
  std::string with_commas_;
  // Of this line:
  uint32_t depth_ = 0;
  uint32_t ignored_depth_ = 0;
  Member member_ = kUnknown;
  std::array<bool, 4> seen_{};
  std::string metric_;
  std::string call_path_;
  std::vector<double> values_;
  size_t at_ = 0;    // The parameter whose value comes.
  size_t next_ = 0;  // The one that probably comes after it.
  std::vector<double> x_;
  std::vector<bool> has_;
};

base::Result<Experiment> read_lines(std::string_view text, const std::string& name,
                                    const Dialect& dialect) {
  LineHandler handler(dialect);
  size_t number = 0;
  size_t unknown_line = 0;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    ++number;
    if (std::ranges::all_of(line, is_blank)) continue;
    if (!handler.read(line)) {
      const std::string column =
          handler.position() == 0 ? "" : fmt::format(", column {}", handler.position());
      return cannot_read(name, fmt::format("line {}{}", number, column), handler.fault());
    }
    if (unknown_line == 0 && !handler.unknown_member().empty()) unknown_line = number;
  }
  if (handler.is_empty()) return cannot_read(name, std::max<size_t>(number, 1), "it is empty");
  if (unknown_line != 0) {
    handler.builder().warn(fmt::format(
        "members other than {} are ignored, the first is '{}' in line {}",
        fmt::join(dialect.members, ", "), shown(handler.unknown_member()), unknown_line));
  }
  return std::move(handler.builder()).finish();
}

}  // namespace

base::Result<Experiment> read_json_lines(std::string_view text, const std::string& name) {
  static const Dialect kJsonLines = {{"params", "metric", "callpath", "value"}, false, true};
  return read_lines(text, name, kJsonLines);
}

base::Result<Experiment> read_talpas(std::string_view text, const std::string& name) {
  static const Dialect kTalpas = {{"parameters", "metric", "callpath", "value"}, true, false};
  return read_lines(text, name, kTalpas);
}

}  // namespace pathline::scaling
