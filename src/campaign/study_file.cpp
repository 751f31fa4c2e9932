// SPDX-License-Identifier: BSD-3-Clause
//
// toml++ is known to this file and to toml_keys.hpp.
#include <algorithm>
#include <functional>
#include <span>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/choice.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "campaign/jube.hpp"
#include "campaign/plan.hpp"
#include "campaign/study.hpp"
#include "campaign/toml_keys.hpp"

namespace pathline::campaign {
namespace {

constexpr int kMostIncludes = 16;  // Inside each other.

class Reader : TomlKeys {
 public:
  /// kept  the texts of files as they were; empty: they are read.
  Reader(Study& study, const std::vector<std::string>& tags, const std::vector<StudyText>& kept)
      : study_(study), tags_(tags), kept_(kept) {}

  base::Status read(const std::filesystem::path& file, int depth) {
    if (depth > kMostIncludes) {
      return base::Error{
          base::ErrorCode::kInvalidArgument,
          fmt::format("{}: files include one another without an end", file.string())};
    }
    auto text = content_of(file);
    if (!text) return text.error();
    study_.texts.push_back({file.string(), std::move(text).value()});
    toml::table table;
    try {
      table = toml::parse(std::string_view(study_.texts.back().text));
    } catch (const toml::parse_error& error) {
      return wrong(file, error.source(), error.description());
    }
    // Each included file has its own name in messages.
    const auto previous = std::exchange(file_, file);
    base::Status status = read_tables(table, depth);
    file_ = previous;
    return status;
  }

 private:
  [[nodiscard]] base::Result<std::string> content_of(const std::filesystem::path& file) const {
    if (kept_.empty()) {
      const auto text = base::MappedFile::open(file);
      if (!text) return text.error();
      return std::string(text.value().text());
    }
    const auto kept = std::find_if(kept_.begin(), kept_.end(),
                                   [&](const StudyText& one) { return one.path == file; });
    if (kept != kept_.end()) return kept->text;
    return base::Error{base::ErrorCode::kCorrupt,
                       fmt::format("{} is not among the texts that were kept", file.string())};
  }

  [[nodiscard]] bool is_chosen(const std::vector<std::string>& tags) const {
    if (tags.empty()) return true;
    const auto has = [&](std::string_view tag) {
      return std::find(tags_.begin(), tags_.end(), tag) != tags_.end();
    };
    return std::any_of(tags.begin(), tags.end(), [&](const std::string& tag) {
      return tag.starts_with('!') ? !has(std::string_view(tag).substr(1)) : has(tag);
    });
  }

  base::Status read_tables(const toml::table& table, int depth) {
    // What is included stands before what includes it.
    const auto include = [&](const toml::node& node) -> base::Status {
      std::vector<std::string> files;
      if (auto status = texts("include", files, *this).take(node); !status) return status;
      for (const std::string& file : files) {
        auto status = read(file_.parent_path() / file, depth + 1);
        if (!status) return status;
      }
      return {};
    };
    if (const toml::node* node = table.get("include")) {
      if (auto status = include(*node); !status) return status;
    }
    const Key keys[] = {
        {"include", [](const toml::node&) { return base::Status(); }},
        {"campaign", [&](const toml::node& node) { return read_campaign(node); }},
        {"parameters", [&](const toml::node& node) { return read_parameters(node); }},
        {"together", [&](const toml::node& node) { return each(node, "together"); }},
        {"steps", [&](const toml::node& node) { return each(node, "steps"); }},
        {"results", [&](const toml::node& node) { return read_results(node); }}};
    return take(table, "a campaign", keys);
  }

  [[nodiscard]] base::Result<const toml::table*> table_of(const toml::node& node,
                                                          const char* what) const {
    if (const toml::table* table = node.as_table()) return table;
    return wrong(node, fmt::format("'{}' is to be a table", what));
  }

  base::Status read_campaign(const toml::node& node) {
    const auto table = table_of(node, "campaign");
    if (!table) return table.error();
    const Key keys[] = {text("name", study_.name, *this),
                        count("repetitions", study_.repetitions, 1, *this),
                        count("cores", study_.cores, 1, *this),
                        {"backend", [&](const toml::node& value) -> base::Status {
                           static constexpr std::pair<std::string_view, Backend> kNames[] = {
                               {"local", Backend::kLocal}, {"slurm", Backend::kSlurm}};
                           const auto chosen =
                               base::choose("backend", text_of(value).value_or(""), kNames);
                           if (!chosen) return wrong(value, chosen.error().message);
                           study_.backend = chosen.value();
                           return {};
                         }}};
    return take(*table.value(), "[campaign]", keys);
  }

  /// A list of values, one value, or { values = [..], text = true, tags = [..] }.
  base::Result<std::optional<Parameter>> read_parameter(const std::string& name,
                                                        const toml::node& node) const {
    Parameter parameter{.name = name, .place = place(node)};
    std::vector<std::string> tags;
    if (const toml::table* table = node.as_table()) {
      const Key keys[] = {texts("values", parameter.values, *this), texts("tags", tags, *this),
                          yes(
                              "text", [&](bool is) { parameter.is_text = is; }, *this)};
      auto status = take(*table, fmt::format("parameter '{}'", name), keys);
      if (!status) return status.error();
    } else if (auto status = texts(name.c_str(), parameter.values, *this).take(node); !status) {
      return status.error();
    }
    const bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                         std::all_of(name.begin(), name.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '_';
                         });
    if (!is_name) {
      return wrong(node,
                   fmt::format("'{}' cannot be the name of a parameter: letters, digits and _ "
                               "are",
                               name));
    }
    if (parameter.values.empty()) {
      return wrong(node, fmt::format("parameter '{}' has no values", name));
    }
    if (!is_chosen(tags)) return std::optional<Parameter>();
    return std::optional(std::move(parameter));
  }

  /// In the order of the file, which toml++ forgets.
  static std::vector<std::pair<std::string, const toml::node*>> in_order(const toml::table& table) {
    std::vector<std::pair<std::string, const toml::node*>> entries;
    for (const auto& [name, node] : table) entries.emplace_back(name.str(), &node);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      const auto& x = a.second->source().begin;
      const auto& y = b.second->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    return entries;
  }

  base::Status read_parameters(const toml::node& node) {
    const auto table = table_of(node, "parameters");
    if (!table) return table.error();
    for (const auto& [name, value] : in_order(*table.value())) {
      auto parameter = read_parameter(name, *value);
      if (!parameter) return parameter.error();
      if (!parameter.value()) continue;
      study_.sets.push_back({{std::move(*parameter.value())}});
    }
    return {};
  }

  /// [[together]] or [[steps]].
  base::Status each(const toml::node& node, const char* what) {
    const toml::array* list = node.as_array();
    if (list == nullptr || !list->is_array_of_tables()) {
      return wrong(node, fmt::format("'{0}' is to be a list of tables, [[{0}]]", what));
    }
    for (const toml::node& item : *list) {
      const toml::table& table = *item.as_table();
      auto status = std::string_view(what) == "steps" ? read_step(table) : read_together(table);
      if (!status) return status;
    }
    return {};
  }

  base::Status read_together(const toml::table& table) {
    ParameterSet set;
    std::vector<std::string> tags;
    for (const auto& [name, value] : in_order(table)) {
      if (name == "tags") {
        if (auto status = texts("tags", tags, *this).take(*value); !status) return status;
        continue;
      }
      auto parameter = read_parameter(name, *value);
      if (!parameter) return parameter.error();
      if (parameter.value()) set.parameters.push_back(std::move(*parameter.value()));
    }
    if (set.parameters.empty() || !is_chosen(tags)) return {};
    for (const Parameter& parameter : set.parameters) {
      if (parameter.values.size() == set.size()) continue;
      return wrong(table, fmt::format("parameters that vary together have as many values: '{}' has "
                                      "{}, '{}' has {}",
                                      set.parameters[0].name, set.size(), parameter.name,
                                      parameter.values.size()));
    }
    study_.sets.push_back(std::move(set));
    return {};
  }

  base::Status read_template(const toml::node& node, Step& step) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) return wrong(node, "'template' is to be { from = \"..\", to = \"..\" }");
    Template file;
    const Key keys[] = {text("from", file.from, *this), text("to", file.to, *this)};
    if (auto status = take(*table, "a template", keys); !status) return status;
    if (file.from.empty()) return wrong(node, "a template needs 'from'");
    if (file.to.empty()) file.to = std::filesystem::path(file.from).filename().string();
    step.templates.push_back(std::move(file));
    return {};
  }

  base::Status read_step(const toml::table& table) {
    Step step{.place = place(table)};
    std::vector<std::string> tags;
    std::vector<std::string> uses;
    const Key keys[] = {text("name", step.name, *this),
                        texts("after", step.after, *this),
                        texts("copy", step.copies, *this),
                        texts("link", step.links, *this),
                        text("command", step.command, *this),
                        text("check", step.check, *this),
                        text("cores", step.cores, *this),
                        seconds("timeout_s", step.timeout_s, *this),
                        text("slurm", step.slurm, *this),
                        texts("tags", tags, *this),
                        yes(
                            "record", [&](bool is) { step.record = is; }, *this),
                        yes(
                            "repeat", [&](bool is) { step.repeat = is; }, *this),
                        {"uses",
                         [&](const toml::node& node) {
                           auto status = texts("uses", uses, *this).take(node);
                           if (status) step.uses = uses;
                           return status;
                         }},
                        {"template", [&](const toml::node& node) -> base::Status {
                           const toml::array* list = node.as_array();
                           if (list == nullptr) return read_template(node, step);
                           for (const toml::node& item : *list) {
                             if (auto status = read_template(item, step); !status) return status;
                           }
                           return {};
                         }}};
    if (auto status = take(table, "a step", keys); !status) return status;
    if (step.name.empty()) return wrong(table, "a step needs a 'name'");
    if (!is_chosen(tags)) return {};
    const auto same = std::find_if(study_.steps.begin(), study_.steps.end(),
                                   [&](const Step& other) { return other.name == step.name; });
    if (same != study_.steps.end()) {
      return wrong(table, fmt::format("there are two steps '{}', the other in {}", step.name,
                                      same->place.text()));
    }
    study_.steps.push_back(std::move(step));
    return {};
  }

  base::Status read_results(const toml::node& node) {
    const auto table = table_of(node, "results");
    if (!table) return table.error();
    for (const auto& [name, value] : in_order(*table.value())) {
      const auto entry = table_of(*value, name.c_str());
      if (!entry) return entry.error();
      Column column{.name = name, .place = place(*value)};
      std::vector<std::string> tags;
      const Key keys[] = {text("step", column.step, *this),
                          text("file", column.file, *this),
                          text("pattern", column.pattern, *this),
                          text("json", column.json, *this),
                          text("profile", column.profile, *this),
                          text("value", column.value, *this),
                          text("reduce", column.reduce, *this),
                          text("better", column.better, *this),
                          texts("tags", tags, *this)};
      if (auto status = take(*entry.value(), fmt::format("result '{}'", name), keys); !status) {
        return status;
      }
      if (!is_chosen(tags)) continue;
      const int sources = (column.pattern.empty() ? 0 : 1) + (column.json.empty() ? 0 : 1) +
                          (column.profile.empty() ? 0 : 1);
      if (sources != 1) {
        return wrong(*value, fmt::format("result '{}' is to have one of 'pattern', 'json' and "
                                         "'profile'",
                                         name));
      }
      static constexpr std::pair<std::string_view, int> kReductions[] = {
          {"first", 0}, {"last", 0}, {"min", 0}, {"max", 0},
          {"sum", 0},   {"mean", 0}, {"std", 0}, {"count", 0}};
      const auto reduce = base::choose("reduce", column.reduce, kReductions);
      if (!reduce) return wrong(*value, reduce.error().message);
      if (!column.better.empty() && column.better != "less" && column.better != "more") {
        return wrong(*value,
                     fmt::format("'better' of result '{}' is to be \"less\" or \"more\"", name));
      }
      study_.columns.push_back(std::move(column));
    }
    return {};
  }

  Study& study_;
  const std::vector<std::string>& tags_;
  const std::vector<StudyText>& kept_;
};

}  // namespace

std::string Place::text() const { return fmt::format("{}, line {}", file, line); }

namespace {

base::Result<Study> read(const std::filesystem::path& file, const std::vector<std::string>& tags,
                         const std::vector<StudyText>& kept) {
  if (is_jube(file)) return read_jube(file, tags, kept);
  Study study;
  study.file = file;
  study.name = file.stem().string();
  if (auto status = Reader(study, tags, kept).read(file, 0); !status) return status.error();
  if (study.steps.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{}: there is no step to run", file.string()),
                       "A [[steps]] has a name and a command."};
  }
  for (const Column& column : study.columns) {
    const bool is_there = std::any_of(study.steps.begin(), study.steps.end(),
                                      [&](const Step& step) { return step.name == column.step; });
    if (is_there) continue;
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{}: result '{}' is of step '{}', and there is no such step",
                                   column.place.text(), column.name, column.step)};
  }
  return study;
}

}  // namespace

base::Result<Study> read_study(const std::filesystem::path& file,
                               const std::vector<std::string>& tags) {
  return read(file, tags, {});
}

base::Result<Study> read_study_again(const std::vector<StudyText>& texts,
                                     const std::vector<std::string>& tags) {
  return read(texts.front().path, tags, texts);
}

}  // namespace pathline::campaign
