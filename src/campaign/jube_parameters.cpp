// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_parameters.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "campaign/formula.hpp"
#include "campaign/jube_python.hpp"
#include "campaign/jube_support.hpp"
#include "campaign/jube_text.hpp"

namespace pathline::campaign {
namespace {

constexpr size_t kMostRows = 10'000;
constexpr int kMostDependent = 200;
constexpr size_t kMostParameters = 5'000;
constexpr size_t kMostLetters = 20'000;

struct Definition {
  std::string name;
  std::vector<std::string> values;  ///< As in the file.
  std::string separator;
  std::string duplicate;
  bool is_python = false;
  const JubeNode* node = nullptr;
  std::vector<std::string> needs;

  [[nodiscard]] bool is_like(const Definition& other) const {
    return values == other.values && is_python == other.is_python && separator == other.separator;
  }
};

/// Parameters that vary together, with their values.
struct Table {
  size_t first = 0;  ///< Definition, for the order.
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

bool is_name(std::string_view text) { return names_in(fmt::format("{{{}}}", text)).size() == 1; }

class Maker {
 public:
  explicit Maker(const JubeConstants& constants) : constants_(constants) {}

  base::Result<JubeParameters> run(const std::vector<const JubeNode*>& sets) {
    for (const JubeNode* set : sets) {
      if (auto status = add_set(*set); !status) return status.error();
    }
    if (auto status = find_needs(); !status) return status.error();
    for (size_t i = 0; i < all_.size(); ++i) {
      if (!all_[i].is_python || result_.run_texts.contains(all_[i].name)) continue;
      if (auto status = make_table(i, 0); !status) return status.error();
    }
    if (auto status = make_sets(); !status) return status.error();
    return std::move(result_);
  }

 private:
  static base::Result<Definition> definition(const JubeNode& node) {
    Definition parameter{.name = node.attribute("name", ""), .node = &node};
    if (!is_name(parameter.name)) {
      return wrong(node, fmt::format("'{}' cannot be the name of a parameter: letters, digits and "
                                     "_ are",
                                     parameter.name));
    }
    const std::string mode = node.attribute("mode", "text");
    if (mode != "text" && mode != "python") {
      return unsupported(node, fmt::format("mode=\"{}\" of parameter '{}'", mode, parameter.name),
                         "reading a study starts no program and looks at no variable",
                         "Write the value, or let a step before make it.");
    }
    parameter.is_python = mode == "python";
    parameter.separator = ",";
    for (const auto& [key, value] : node.attributes) {
      if (key == "separator") parameter.separator = value;
    }
    parameter.duplicate = node.attribute("duplicate", "none");
    parameter.values = parameter.is_python ? std::vector<std::string>{node.text}
                                           : split(node.text, parameter.separator);
    return parameter;
  }

  /// What JUBE makes of two of a name in a set.
  static base::Status combine(Definition& old, Definition other, const std::string& of_set) {
    const std::string how = other.duplicate == "none" ? of_set : other.duplicate;
    if (how == "error") {
      return wrong(*other.node, fmt::format("there are two parameters '{}', the other in {}",
                                            other.name, old.node->place.text()));
    }
    if (how == "concat" && !old.is_like(other)) {
      if (old.is_python || other.is_python) {
        return unsupported(*other.node, "duplicate=\"concat\" with mode=\"python\"",
                           "what is added has no values yet", "Write the values themselves.");
      }
      std::set<std::string> both(old.values.begin(), old.values.end());
      both.insert(other.values.begin(), other.values.end());
      other.values.assign(both.begin(), both.end());
    }
    old = std::move(other);
    return {};
  }

  base::Status add_set(const JubeNode& set) {
    if (auto status = jube_supported(set); !status) return status;
    std::vector<Definition> own;
    if (set.children.size() + all_.size() > kMostParameters) {
      return wrong(set, fmt::format("there are more than {} parameters", kMostParameters));
    }
    for (const JubeNode& node : set.children) {
      auto made = definition(node);
      if (!made) return made.error();
      const auto old = std::find_if(own.begin(), own.end(), [&](const Definition& one) {
        return one.name == made.value().name;
      });
      if (old == own.end()) {
        own.push_back(std::move(made).value());
        continue;
      }
      auto status = combine(*old, std::move(made).value(), set.attribute("duplicate", "replace"));
      if (!status) return status;
    }
    std::vector<std::string>& names = result_.of_set[set.attribute("name", "")];
    for (Definition& one : own) {
      names.push_back(one.name);
      const auto [found, is_new] = number_of_.emplace(one.name, all_.size());
      if (is_new) {
        all_.push_back(std::move(one));
      } else if (!all_[found->second].is_like(one)) {
        return unsupported(*one.node, fmt::format("a second parameter '{}'", one.name),
                           fmt::format("another with other values is in {}",
                                       all_[found->second].node->place.text()),
                           "Give one of the two another name.");
      }
    }
    return {};
  }

  base::Status find_needs() {
    for (Definition& one : all_) {
      for (const std::string& value : one.values) {
        for (const std::string& name : jube_names_in(value)) {
          if (number_of_.contains(name)) {
            one.needs.push_back(name);
          } else if (name.starts_with("jube_") && !constants_.contains(name)) {
            if (one.is_python || one.values.size() > 1) {
              return unsupported(*one.node, fmt::format("${} in parameter '{}'", name, one.name),
                                 "it is not known before there is a run",
                                 "Write the name into the command.");
            }
            result_.run_texts[one.name] = {
                .text = value,
                .update_mode = one.node->attribute("update_mode", "never"),
                .node = *one.node};
          }
        }
      }
      result_.needs[one.name] = one.needs;
    }
    for (const Definition& one : all_) {
      for (const std::string& name : one.needs) {
        if (!result_.run_texts.contains(name) || result_.run_texts.contains(one.name)) continue;
        return unsupported(*one.node, fmt::format("${} in parameter '{}'", name, one.name),
                           "it is not known before there is a run",
                           "Write the name into the command.");
      }
    }
    return {};
  }

  std::string filled(const std::string& text, const Table& table,
                     const std::vector<std::string>& row) const {
    return with_jube_names(text, [&](std::string_view name) -> std::optional<std::string> {
      const auto found = std::find(table.names.begin(), table.names.end(), name);
      if (found != table.names.end()) return row[static_cast<size_t>(found - table.names.begin())];
      const auto constant = constants_.find(name);
      return constant == constants_.end() ? std::nullopt : std::optional(constant->second);
    });
  }

  /// All combinations of what tables have, the last one fastest.
  static base::Result<Table> product(std::vector<Table> tables, const Definition& one) {
    std::sort(tables.begin(), tables.end(),
              [](const Table& a, const Table& b) { return a.first < b.first; });
    Table all{.first = tables.empty() ? 0 : tables.front().first, .rows = {{}}};
    for (const Table& table : tables) {
      all.names.insert(all.names.end(), table.names.begin(), table.names.end());
      std::vector<std::vector<std::string>> rows;
      if (all.rows.size() * table.rows.size() > kMostRows) return too_many(one);
      for (const auto& a : all.rows) {
        for (const auto& b : table.rows) {
          rows.push_back(a);
          rows.back().insert(rows.back().end(), b.begin(), b.end());
        }
      }
      all.rows = std::move(rows);
    }
    return all;
  }
  static base::Error too_many(const Definition& one) {
    return unsupported(
        *one.node, fmt::format("mode=\"python\" of parameter '{}'", one.name),
        fmt::format("it is to be calculated for more than {} combinations", kMostRows),
        "Write the values themselves.");
  }

  base::Result<std::vector<std::string>> values_of(const Definition& one, const Table& table,
                                                   const std::vector<std::string>& row) const {
    std::vector<std::string> values;
    for (const std::string& text : one.values) {
      values.push_back(filled(text, table, row));
      if (values.back().size() <= kMostLetters) continue;
      return wrong(*one.node, fmt::format("a value of parameter '{}' is too long", one.name));
    }
    if (!one.is_python) return values;
    const std::string& expression = values[0];
    const auto value = python_value(expression);
    if (value) return split(value.value(), one.separator);
    return unsupported(*one.node, fmt::format("mode=\"python\" of parameter '{}'", one.name),
                       fmt::format("{} in '{}'", value.error().message, expression.substr(0, 200)),
                       "Arithmetic, texts, lists and 'for' in them are; else write the values.");
  }

  base::Status make_table(size_t i, int depth) {
    const Definition& one = all_[i];
    if (table_of_.contains(one.name)) return {};
    if (depth > kMostDependent || !in_work_.insert(i).second) {
      return wrong(*one.node, fmt::format("parameter '{}' depends on itself", one.name));
    }
    std::set<size_t> needed;
    for (const std::string& name : one.needs) {
      if (auto status = make_table(number_of_.at(name), depth + 1); !status) return status;
    }
    for (const std::string& name : one.needs) needed.insert(table_of_.at(name));
    std::vector<Table> parts;
    for (const size_t table : needed) parts.push_back(std::move(tables_[table]));
    auto made = product(std::move(parts), one);
    if (!made) return made.error();
    Table all{.first = needed.empty() ? i : std::min(i, made.value().first),
              .names = made.value().names};
    all.names.push_back(one.name);
    for (const auto& row : made.value().rows) {
      const auto values = values_of(one, made.value(), row);
      if (!values) return values.error();
      if (all.rows.size() + values.value().size() > kMostRows) return too_many(one);
      for (const std::string& value : values.value()) {
        all.rows.push_back(row);
        all.rows.back().push_back(value);
      }
    }
    for (const std::string& name : all.names) table_of_[name] = tables_.size();
    for (const size_t table : needed) tables_[table] = {};
    tables_.push_back(std::move(all));
    in_work_.erase(i);
    return {};
  }

  base::Status make_sets() {
    for (size_t i = 0; i < all_.size(); ++i) {
      const Definition& one = all_[i];
      if (result_.run_texts.contains(one.name)) continue;
      const auto table = table_of_.find(one.name);
      if (table == table_of_.end()) {
        Parameter parameter{.name = one.name, .is_text = true, .place = one.node->place};
        for (const std::string& value : one.values) parameter.values.push_back(braced(value));
        result_.sets.push_back({{std::move(parameter)}});
      } else if (tables_[table->second].first == i) {
        add_table(tables_[table->second]);
      }
    }
    for (const ParameterSet& set : result_.sets) {
      for (const Parameter& parameter : set.parameters) {
        const bool is_fixed = set.size() == 1 && names_in(parameter.values.front()).empty();
        if (is_fixed) result_.fixed[parameter.name] = parameter.values.front();
        const Definition& one = all_[number_of_.at(parameter.name)];
        for (const std::string& text : one.is_python ? parameter.values : one.values) {
          if (auto status = no_names_in_braces(*one.node, text, result_); !status) return status;
        }
      }
    }
    return {};
  }

  std::string braced(const std::string& text) const {
    return with_jube_names(text, [&](std::string_view name) -> std::optional<std::string> {
      if (number_of_.contains(std::string(name))) return fmt::format("{{{}}}", name);
      const auto constant = constants_.find(name);
      return constant == constants_.end() ? std::nullopt : std::optional(constant->second);
    });
  }

  void add_table(const Table& table) {
    ParameterSet& set = result_.sets.emplace_back();
    for (size_t column = 0; column < table.names.size(); ++column) {
      Parameter parameter{.name = table.names[column],
                          .is_text = true,
                          .place = all_[number_of_.at(table.names[column])].node->place};
      for (const auto& row : table.rows) parameter.values.push_back(row[column]);
      set.parameters.push_back(std::move(parameter));
    }
  }

  const JubeConstants& constants_;
  JubeParameters result_;
  std::vector<Definition> all_;
  std::map<std::string, size_t> number_of_;
  std::vector<Table> tables_;
  std::map<std::string, size_t> table_of_;
  std::set<size_t> in_work_;
};

}  // namespace

base::Result<JubeParameters> jube_parameters(const std::vector<const JubeNode*>& sets,
                                             const JubeConstants& constants) {
  return Maker(constants).run(sets);
}

base::Status no_names_in_braces(const JubeNode& node, std::string_view text,
                                const JubeParameters& parameters) {
  // The last ones are what Pathline fills in.
  static const std::set<std::string, std::less<>> kFilledIn = {
      "run_id", "repetition", "step", "run_dir", "study_dir", "campaign_dir", "record"};
  const std::string rest =
      with_jube_names(text, [](std::string_view) { return std::optional<std::string>(""); });
  for (const std::string& name : names_in(rest)) {
    if (!parameters.needs.contains(name) && !kFilledIn.contains(name)) continue;
    return unsupported(node, fmt::format("'{{{}}}'", name),
                       "Pathline replaces it by the value of that name",
                       "Write a blank behind the bracket, or give the parameter another name.");
  }
  return {};
}

}  // namespace pathline::campaign
