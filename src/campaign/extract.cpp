// SPDX-License-Identifier: BSD-3-Clause
//
// The only file of this layer that knows PCRE2 and JSON.
#include "campaign/extract.hpp"

#include <algorithm>

#include <fmt/format.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/progress.hpp"
#include "campaign/formula.hpp"
#include "campaign/profile_value.hpp"
#include "campaign/value.hpp"
#include "input/input.hpp"
#include "profile/profile.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostJsonBytes = size_t{256} << 20;
constexpr uint32_t kMostBacktracks = 10'000'000;
constexpr uint32_t kMostHeapKib = 1U << 20;
constexpr size_t kMostMatches = 1'000'000;

base::Error wrong(const Column& column, std::string_view what, std::string advice = "") {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("{}: result '{}': {}", column.place.text(), column.name, what),
          std::move(advice)};
}

std::string text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return "";
}

std::optional<nlohmann::json::json_pointer> pointer_to(const std::string& place) {
  try {
    return nlohmann::json::json_pointer(place);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// nullptr where there is nothing.
const nlohmann::json* value_at(const nlohmann::json& json,
                               const nlohmann::json::json_pointer& place) {
  try {
    return json.contains(place) ? &json.at(place) : nullptr;
  } catch (const nlohmann::json::exception&) {  // An index that no integer holds.
    return nullptr;
  }
}

}  // namespace

struct Extractor::Pattern {
  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  };
  std::unique_ptr<pcre2_code, Free> code;
  std::unique_ptr<pcre2_match_data, Free> found;
  std::unique_ptr<pcre2_match_context, Free> limits;

  /// All matches: of each the first group, or the whole if there is none. False if it took too
  /// long.
  [[nodiscard]] bool match(std::string_view text, std::vector<std::string>& matches) const {
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    size_t begin = 0;
    while (begin <= text.size() && matches.size() < kMostMatches) {
      int count =
          pcre2_match(code.get(), subject, text.size(), begin, 0, found.get(), limits.get());
      if (count == PCRE2_ERROR_JIT_STACKLIMIT) {
        count = pcre2_match(code.get(), subject, text.size(), begin, PCRE2_NO_JIT, found.get(),
                            limits.get());
      }
      if (count == PCRE2_ERROR_NOMATCH) return true;
      if (count < 0) return false;
      const size_t* ends = pcre2_get_ovector_pointer(found.get());
      const size_t group = count > 1 && ends[2] != PCRE2_UNSET ? 1 : 0;
      matches.emplace_back(text.substr(ends[2 * group], ends[2 * group + 1] - ends[2 * group]));
      // Behind an empty match, which would be found again; \K can move a begin behind the end.
      begin = std::max(begin + 1, ends[1] > ends[0] ? ends[1] : ends[1] + 1);
    }
    return true;
  }
};

Extractor::Extractor(const Study& study, const Plan& plan) : study_(&study), plan_(&plan) {}
Extractor::~Extractor() = default;
Extractor::Extractor(Extractor&&) noexcept = default;

uint64_t Extractor::definition(const Column& column) {
  const std::string_view texts[] = {column.step,    column.file,  column.pattern, column.json,
                                    column.profile, column.value, column.reduce};
  return definition_of(texts);
}

base::Result<std::unique_ptr<Extractor::Pattern>> Extractor::compiled(const Column& column,
                                                                      uint32_t point) const {
  const std::string text = filled_in(column.pattern, *plan_, point);
  int code = 0;
  size_t place = 0;
  auto pattern = std::make_unique<Pattern>();
  pattern->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                    PCRE2_MULTILINE, &code, &place, nullptr));
  if (pattern->code == nullptr) {
    unsigned char said[256] = "";
    pcre2_get_error_message(code, said, sizeof said);
    return wrong(column, fmt::format("'{}' is no regular expression: {} at letter {}", text,
                                     reinterpret_cast<const char*>(said), place + 1));
  }
  pcre2_jit_compile(pattern->code.get(), PCRE2_JIT_COMPLETE);  // Slower without, else the same.
  pattern->found.reset(pcre2_match_data_create_from_pattern(pattern->code.get(), nullptr));
  pattern->limits.reset(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(pattern->limits.get(), kMostBacktracks);
  pcre2_set_heap_limit(pattern->limits.get(), kMostHeapKib);
  return pattern;
}

base::Result<Extractor> Extractor::make(const Study& study, const Plan& plan) {
  Extractor extractor(study, plan);
  for (const Column& column : study.columns) {
    extractor.patterns_.emplace_back();
    if (!column.pattern.empty()) {
      auto pattern = extractor.compiled(column, 0);
      if (!pattern) return pattern.error();
      if (names_in(column.pattern).empty()) {
        extractor.patterns_.back() = std::move(pattern).value();
      }
    }
    if (!column.json.empty()) {
      if (!pointer_to(column.json)) {
        return wrong(column, fmt::format("'{}' is no place in JSON", column.json),
                     "As in \"/timings/0/solve_s\": names and numbers, each behind a '/'.");
      }
    }
    if (column.profile.empty()) continue;
    if (const std::string advice = advice_on_value(column.value); !advice.empty()) {
      return wrong(column, fmt::format("profiles have no value '{}'", column.value), advice);
    }
    const auto step = std::find_if(study.steps.begin(), study.steps.end(),
                                   [&](const Step& one) { return one.name == column.step; });
    if (step != study.steps.end() && !step->record) {
      return wrong(column, fmt::format("step '{}' is not recorded", column.step),
                   "Give the step 'record = true'.");
    }
  }
  return extractor;
}

std::string Extractor::by_pattern(size_t column, const Package& package, const fs::path& folder,
                                  std::vector<std::string>& warnings) const {
  const Column& wanted = study_->columns[column];
  const fs::path path = folder / filled_in(wanted.file, *plan_, package.point);
  const auto file = base::MappedFile::open(path);
  if (!file) {
    warnings.push_back(fmt::format("{}: {}", wanted.name, file.error().message));
    return reduced({}, wanted.reduce);
  }
  std::unique_ptr<Pattern> own;
  if (patterns_[column] == nullptr) {
    auto made = compiled(wanted, package.point);
    if (!made) {
      warnings.push_back(made.error().message);
      return "";
    }
    own = std::move(made).value();
  }
  const Pattern& pattern = own != nullptr ? *own : *patterns_[column];
  std::vector<std::string> matches;
  if (!pattern.match(file.value().text(), matches)) {
    warnings.push_back(
        fmt::format("{}: the pattern takes too long on {}", wanted.name, path.string()));
    return "";
  }
  return reduced(matches, wanted.reduce);
}

std::string Extractor::by_json(const Column& column, const Package& package, const fs::path& folder,
                               std::vector<std::string>& warnings) const {
  const fs::path path = folder / filled_in(column.file, *plan_, package.point);
  const auto file = base::MappedFile::open(path);
  if (!file) {
    warnings.push_back(fmt::format("{}: {}", column.name, file.error().message));
    return "";
  }
  const std::string_view text = file.value().text();
  const auto json = text.size() > kMostJsonBytes
                        ? nlohmann::json(nlohmann::json::value_t::discarded)
                        : nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    warnings.push_back(fmt::format("{}: {} is {}", column.name, path.string(),
                                   text.size() > kMostJsonBytes ? "too large" : "no JSON"));
    return "";
  }
  const std::string place = filled_in(column.json, *plan_, package.point);
  const auto pointer = pointer_to(place);
  if (!pointer) {
    warnings.push_back(fmt::format("{}: '{}' is no place in JSON", column.name, place));
    return "";
  }
  std::vector<std::string> values;
  const nlohmann::json* value = value_at(json, *pointer);
  if (value != nullptr && value->is_array()) {
    for (const nlohmann::json& item : *value) values.push_back(text_of(item));
  } else if (value != nullptr) {
    values.push_back(text_of(*value));
  }
  std::erase(values, "");
  return reduced(values, column.reduce);
}

Extracted Extractor::read(const Package& package, const fs::path& folder,
                          base::ThreadPool& pool) const {
  const Step& step = study_->steps[package.step];
  Extracted result;
  if (step.record) {
    base::Progress unseen;
    auto input = input::open(folder / kRecordedRun, {.partial = true}, pool, unseen);
    if (!input) {
      result.warnings.push_back(input.error().message);
    } else if (auto* trace = std::get_if<trace::Trace>(&input.value())) {
      result.profile =
          profile::metric_table(*trace, profile::from_trace(*trace, trace::Selection{}, pool));
      if (!trace->complete) result.warnings.emplace_back("the recording is not complete");
    } else if (auto* file = std::get_if<profile::ProfileFile>(&input.value())) {
      result.profile = std::move(file->table);
    }
  }
  for (size_t i = 0; i < study_->columns.size(); ++i) {
    const Column& column = study_->columns[i];
    if (column.step != step.name) continue;
    Value value{.column = column.name, .definition = definition(column)};
    if (!column.pattern.empty()) {
      value.text = by_pattern(i, package, folder, result.warnings);
    } else if (!column.json.empty()) {
      value.text = by_json(column, package, folder, result.warnings);
    } else if (result.profile) {
      const std::string regions = filled_in(column.profile, *plan_, package.point);
      const auto number = profile_value(*result.profile, regions, column.value);
      if (number) value.text = fmt::format("{:.9g}", *number);
    }
    result.values.push_back(std::move(value));
  }
  return result;
}

}  // namespace pathline::campaign
