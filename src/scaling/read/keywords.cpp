// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/keywords.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "scaling/read/read_parts.hpp"

namespace pathline::scaling {
namespace {

class KeywordReader {
 public:
  KeywordReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  base::Result<Experiment> read() {
    while (!text_.empty()) {
      std::string_view line = take_line(text_);
      ++line_;
      const std::string_view keyword = take_word(line);
      if (keyword.empty() || keyword.starts_with('#')) continue;
      const base::Status status = obey(keyword, line);
      if (!status) return status.error();
    }
    return finish();
  }

 private:
  /// A METRIC or REGION line, and whether DATA followed it.
  struct Heading {
    std::string name;
    size_t line = 0;
    bool has_data = false;
    size_t empty_count = 0;
    size_t first_empty_line = 0;
  };

  [[nodiscard]] base::Error fault(std::string_view fact, std::string advice = {}) const {
    return cannot_read(name_, std::max<size_t>(line_, 1), fact, std::move(advice));
  }

  base::Status obey(std::string_view keyword, std::string_view rest) {
    if (keyword == "DATA") return add_data(rest);
    if (keyword == "REGION") return begin(region_, keyword, rest);
    if (keyword == "METRIC") return begin(metric_, keyword, rest);
    if (keyword == "POINTS") return add_points(rest);
    if (keyword == "PARAMETER") return add_parameters(rest);
    return unknown(keyword);
  }

  [[nodiscard]] base::Error unknown(std::string_view keyword) const {
    static const std::array<std::string, 5> kKeywords = {"PARAMETER", "POINTS", "METRIC", "REGION",
                                                         "DATA"};
    std::string upper(keyword.substr(0, 64));
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    const std::string_view meant = base::nearest(upper, kKeywords);
    return fault(
        fmt::format("'{}' is no keyword, expected {}", shown(keyword), fmt::join(kKeywords, ", ")),
        meant.empty() ? "" : fmt::format("Did you mean {}?", meant));
  }

  base::Status add_parameters(std::string_view rest) {
    if (builder_) return fault("PARAMETER behind POINTS, expected before");
    std::string_view word = take_word(rest);
    if (word.empty()) return fault("PARAMETER without a name");
    for (; !word.empty(); word = take_word(rest)) {
      if (!known_.emplace(word).second) {
        return fault(fmt::format("parameter '{}' is there already", shown(word)));
      }
      parameters_.emplace_back(word);
    }
    return {};
  }

  base::Status add_points(std::string_view rest) {
    if (parameters_.empty()) return fault("POINTS, but no PARAMETER before");
    if (!builder_) builder_.emplace(parameters_);
    const size_t before = points_.size();
    bool is_open = false;
    while (true) {
      while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
      if (rest.empty()) break;
      if (rest.front() == '(' || rest.front() == ')') {
        const bool opens = rest.front() == '(';
        rest.remove_prefix(1);
        if (opens == is_open) return fault(opens ? "'(' within a point" : "')' without a '('");
        is_open = opens;
        if (is_open) continue;
      } else {
        const std::string_view word = rest.substr(0, rest.find_first_of("() \t\r\f\v"));
        rest.remove_prefix(word.size());
        const auto number = number_in(word);
        if (!number) return fault(no_number(word) + ", expected a value of a parameter");
        x_.push_back(*number);
        if (is_open) continue;
        if (parameters_.size() > 1) {
          return fault(
              fmt::format("'{}' stands outside of parentheses, expected points of {} "
                          "values in parentheses",
                          shown(word), parameters_.size()));
        }
      }
      const base::Status status = add_point();
      if (!status) return status;
    }
    if (is_open) return fault("the line ends within a point, expected ')'");
    if (points_.size() == before) return fault("POINTS without a point");
    return {};
  }

  base::Status add_point() {
    if (x_.size() != parameters_.size()) {
      return fault(fmt::format("a point has {}, expected one for each of {}",
                               base::counted(x_.size(), "value", "values"),
                               base::counted(parameters_.size(), "parameter", "parameters")));
    }
    points_.push_back(builder_->point(x_));
    x_.clear();
    return {};
  }

  base::Status begin(Heading& heading, std::string_view keyword, std::string_view rest) {
    end(heading);
    heading.name.clear();
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      if (!heading.name.empty()) heading.name += ' ';
      heading.name += word;
    }
    if (heading.name.empty()) return fault(fmt::format("{} without a name", keyword));
    heading.line = line_;
    heading.has_data = false;
    next_point_ = 0;
    return {};
  }

  static void end(Heading& heading) {
    if (heading.line == 0 || heading.has_data) return;
    if (heading.empty_count++ == 0) heading.first_empty_line = heading.line;
  }

  base::Status add_data(std::string_view rest) {
    if (!builder_) return fault("DATA, but no POINTS before");
    if (next_point_ == points_.size()) {
      return fault(fmt::format("DATA line {} of region '{}', but there are {}", next_point_ + 1,
                               shown(region_.line == 0 ? kNoRegion : region_.name),
                               base::counted(points_.size(), "point", "points")));
    }
    if (next_point_ == 0) {
      call_path_id_ = builder_->call_path(region_.line == 0 ? kNoRegion : region_.name);
      metric_id_ = builder_->metric(metric_.name);
      region_.has_data = metric_.has_data = has_data_ = true;
    }
    const uint32_t point = points_[next_point_++];
    std::string_view word = take_word(rest);
    if (word.empty()) return fault("DATA without a value");
    for (; !word.empty(); word = take_word(rest)) {
      const auto value = number_in(word);
      if (!value) return fault(no_number(word) + ", expected a measured value");
      builder_->add(call_path_id_, metric_id_, point, *value);
    }
    return {};
  }

  base::Result<Experiment> finish() {
    if (parameters_.empty()) return fault("the text ends without a PARAMETER");
    if (!builder_) return fault("the text ends without POINTS");
    if (!has_data_) return fault("the text ends without DATA");
    for (auto [heading, keyword] : {std::pair{&region_, "REGION"}, {&metric_, "METRIC"}}) {
      end(*heading);
      if (heading->empty_count == 0) continue;
      builder_->warn(fmt::format(
          "{} without DATA left out, the first in line {}",
          base::counted(heading->empty_count, keyword, fmt::format("{} lines", keyword)),
          heading->first_empty_line));
    }
    return std::move(*builder_).finish();
  }

  static constexpr std::string_view kNoRegion = "<root>";

  std::string_view text_;
  const std::string& name_;
  size_t line_ = 0;
  std::vector<std::string> parameters_;
  std::unordered_set<std::string> known_;
  std::optional<ExperimentBuilder> builder_;
  std::vector<uint32_t> points_;
  std::vector<double> x_;
  Heading region_;
  Heading metric_;
  uint32_t call_path_id_ = 0;
  uint32_t metric_id_ = 0;
  size_t next_point_ = 0;
  bool has_data_ = false;
};

}  // namespace

base::Result<Experiment> read_keywords(std::string_view text, const std::string& name) {
  return KeywordReader(text, name).read();
}

}  // namespace pathline::scaling
