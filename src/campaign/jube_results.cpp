// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_results.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "campaign/jube_support.hpp"
#include "campaign/jube_text.hpp"

namespace pathline::campaign {
namespace {

/// A pattern and where it is looked for.
struct Pattern {
  const JubeNode* node = nullptr;
  std::set<std::pair<const JubeStep*, std::string>> places;  ///< Steps and files.

  [[nodiscard]] const JubeStep& step() const { return *places.begin()->first; }
};

/// Ends the translation; it does not leave this file.
struct Failed {
  base::Error error;
};

class Translator {
 public:
  Translator(const JubeBenchmark& benchmark, const JubeSteps& steps, Study& study)
      : benchmark_(benchmark), steps_(steps), study_(study) {}

  void run() {
    const JubeNode* table = find_table();
    if (table == nullptr) return;
    find_patterns(*analyser());
    const JubeStep& last = last_step(*table);
    for (const JubeNode& node : table->children) add_column(node, last);
    for (const std::string& name : split(table->attribute("sort", ""))) {
      if (!name.empty()) study_.sorted_by.push_back(name);
    }
    give_rows(last);
  }

 private:
  static void check(const base::Status& status) {
    if (!status) throw Failed{status.error()};
  }

  const JubeNode* find_table() {
    const JubeNode* table = nullptr;
    for (const JubeNode& result : benchmark_.node.children) {
      if (result.name != "result") continue;
      for (const JubeNode& node : result.children) {
        if (node.name == "use") continue;
        if (table != nullptr) {
          throw Failed{
              unsupported(node, fmt::format("a second <{}>", node.name),
                          fmt::format("a study has one, the other is in {}", table->place.text()),
                          "Leave one of them out by a tag.")};
        }
        table = &node;
        for (const JubeNode& use : result.children) {
          if (use.name != "use") continue;
          for (const std::string& name : split(use.text)) uses_.emplace_back(&use, name);
        }
      }
    }
    if (table == nullptr) return nullptr;
    if (uses_.empty()) throw Failed{wrong(*table, "the <result> uses no analyser")};
    if (uses_.size() > 1) {
      throw Failed{unsupported(*uses_[1].first, "a second analyser in a <result>",
                               "a table has the rows of one", "Leave one of them out by a tag.")};
    }
    return table;
  }

  const JubeNode* analyser() {
    const auto& [use, name] = uses_[0];
    for (const JubeNode& node : benchmark_.node.children) {
      const bool is_one = node.name == "analyser" || node.name == "analyzer";
      if (is_one && node.attribute("name") == name) return &node;
    }
    throw Failed{wrong(*use, fmt::format("there is no analyser '{}'", name))};
  }

  const JubeNode& patternset(const JubeNode& asks, const std::string& name) const {
    const auto found = benchmark_.sets.find(name);
    if (found == benchmark_.sets.end() || found->second.name != "patternset") {
      throw Failed{wrong(asks, fmt::format("there is no patternset '{}'", name))};
    }
    check(jube_supported(found->second));
    return found->second;
  }

  void find_patterns(const JubeNode& analyser) {
    std::vector<const JubeNode*> common;
    for (const JubeNode& use : analyser.children) {
      if (use.name != "use") continue;
      for (const std::string& name : split(use.text)) common.push_back(&patternset(use, name));
    }
    for (const JubeNode& analyse : analyser.children) {
      if (analyse.name != "analyse") continue;
      const std::string name = analyse.attribute("step", "");
      const JubeStep* step = steps_.find(name);
      if (step == nullptr) {
        throw Failed{wrong(analyse, fmt::format("there is no step '{}'", name))};
      }
      analysed_.insert(step);
      for (const JubeNode& file : analyse.children) {
        std::vector<const JubeNode*> sets = common;
        if (const auto use = file.attribute("use")) {
          for (const std::string& set : split(*use)) sets.push_back(&patternset(file, set));
        }
        for (const std::string& path : split(file.text)) add_file(file, path, *step, sets);
      }
    }
    if (analysed_.empty()) throw Failed{wrong(analyser, "the analyser analyses no step")};
  }

  void add_file(const JubeNode& node, const std::string& raw, const JubeStep& step,
                const std::vector<const JubeNode*>& sets) {
    const std::string path = text(node, raw, step);
    if (path.find_first_of("*?[$~") != std::string::npos) {
      throw Failed{unsupported(node, fmt::format("the file '{}'", raw),
                               "neither patterns of names nor variables are looked up",
                               "Name the file, or let the command put several into one.")};
    }
    for (const JubeNode* set : sets) {
      // Of two of a name the later one counts, as in a set that begins with another.
      for (const JubeNode& pattern : set->children) {
        Pattern& one = patterns_[pattern.attribute("name", "")];
        one.node = &pattern;
        one.places.emplace(&step, path);
      }
    }
  }

  std::string text(const JubeNode& node, std::string_view raw, const JubeStep& step) const {
    auto filled = jube_text_of_step(node, raw, steps_, step);
    if (!filled) throw Failed{filled.error()};
    return std::move(filled).value();
  }

  /// The step of which each run is a row: all others are before it.
  const JubeStep& last_step(const JubeNode& table) const {
    for (const JubeStep* step : analysed_) {
      const bool is_last =
          std::all_of(analysed_.begin(), analysed_.end(), [&](const JubeStep* other) {
            return other == step || step->ancestors.contains(other->name);
          });
      if (is_last) return *step;
    }
    throw Failed{unsupported(table, "a table of steps that do not come after one another",
                             "a row has one run of each step",
                             "Analyse one of them, chosen by a tag.")};
  }

  void add_column(const JubeNode& node, const JubeStep& last) {
    const std::string& name = node.text;
    if (name.empty()) throw Failed{wrong(node, "a <column> without a name")};
    Shown shown{.name = name, .title = node.attribute("title", "")};
    if (const auto format = node.attribute("format")) {
      static const std::regex kFormat("[-+ #0]{0,3}[0-9]{0,2}(\\.[0-9]{1,2})?[defgEG]");
      if (format->size() > 12 || !std::regex_match(*format, kFormat)) {
        throw Failed{unsupported(node, fmt::format("format=\"{}\"", *format),
                                 "a format is one for numbers, as .2f")};
      }
      shown.format = *format;
    }
    if (steps_.parameters.run_texts.contains(name) && last.uses.contains(name)) {
      throw Failed{unsupported(node, fmt::format("parameter '{}' as <column>", name),
                               "its text is of the run, not of what varies")};
    }
    if (!last.uses.contains(name)) {
      const std::string unit = add_value(node, name);
      if (!unit.empty() && shown.title.empty()) shown.title = fmt::format("{}[{}]", name, unit);
    }
    study_.shown.push_back(std::move(shown));
  }

  /// returns  its unit.
  std::string add_value(const JubeNode& node, const std::string& name) {
    static constexpr std::pair<std::string_view, const char*> kSuffixes[] = {
        {"_first", "first"}, {"_last", "last"}, {"_min", "min"}, {"_max", "max"},
        {"_sum", "sum"},     {"_avg", "mean"},  {"_std", "std"}, {"_cnt", "count"}};
    std::string pattern = name;
    const char* reduce = "first";
    if (!patterns_.contains(name)) {
      for (const auto& [suffix, how] : kSuffixes) {
        if (!name.ends_with(suffix)) continue;
        pattern = name.substr(0, name.size() - suffix.size());
        reduce = how;
      }
    }
    const auto found = patterns_.find(pattern);
    if (found == patterns_.end()) refuse_column(node, name);
    add_to_study(name, found->second, reduce);
    return reduce == std::string_view("count") ? "" : found->second.node->attribute("unit", "");
  }

  [[noreturn]] void refuse_column(const JubeNode& node, const std::string& name) const {
    if (name.starts_with("jube_")) {
      throw Failed{unsupported(node, fmt::format("<column>{}</column>", name),
                               "columns are parameters and patterns",
                               "Rows of repetitions are numbered anyway.")};
    }
    std::vector<std::string> names;
    for (const auto& [other, pattern] : patterns_) names.push_back(other);
    for (const auto& [other, needs] : steps_.parameters.needs) names.push_back(other);
    const std::string_view meant = base::nearest(name, names);
    throw Failed{wrong(node,
                       fmt::format("'{}' is neither a parameter of the steps that are analysed nor "
                                   "a pattern",
                                   name),
                       meant.empty() ? "" : fmt::format("Did you mean '{}'?", meant))};
  }

  void add_to_study(const std::string& name, const Pattern& pattern, const char* reduce) {
    const JubeNode& node = *pattern.node;
    if (std::any_of(study_.columns.begin(), study_.columns.end(),
                    [&](const Column& column) { return column.name == name; })) {
      return;
    }
    if (pattern.places.size() > 1) {
      throw Failed{unsupported(node,
                               fmt::format("pattern '{}' in {} files", node.attribute("name", ""),
                                           pattern.places.size()),
                               "a value is read out of one",
                               "Give its patternset to one file: <file use=\"..\">.")};
    }
    const std::string expression = text(node, node.text, pattern.step());
    const bool is_plain_first =
        std::string_view(reduce) == "first" && expression.find('|') == std::string::npos;
    if (!is_plain_first && groups_in(expression) > 1) {
      throw Failed{unsupported(
          node, fmt::format("pattern '{}' with several groups", node.attribute("name", "")),
          "the first one is its value",
          "Write (?:..) for the others, and $jube_pat_nint for $jube_pat_int.")};
    }
    Column column{.name = name,
                  .step = pattern.step().name,
                  .file = pattern.places.begin()->second,
                  .pattern = expression};
    const std::string dotall = node.attribute("dotall", "false");
    if (dotall == "true" || dotall == "True") {
      column.pattern = "(?s)" + column.pattern;
    }
    column.reduce = reduce;
    column.place = node.place;
    study_.columns.push_back(std::move(column));
  }

  /// The runs of the last step are the rows, whether something of it is shown or not.
  void give_rows(const JubeStep& last) {
    const auto is_of_last = [&](const Column& column) { return column.step == last.name; };
    if (std::any_of(study_.columns.begin(), study_.columns.end(), is_of_last)) return;
    for (const auto& [name, pattern] : patterns_) {
      if (&pattern.step() != &last || pattern.places.size() > 1) continue;
      add_to_study(name, pattern, "first");
      return;
    }
    if (!study_.columns.empty()) {
      throw Failed{unsupported(
          *last.node, fmt::format("a table without a value of step '{}'", last.name),
          "its runs are the rows", "Analyse only the steps of which something is shown.")};
    }
    // Without any values the rows are those of the step that stands last.
    const auto step = std::find_if(study_.steps.begin(), study_.steps.end(),
                                   [&](const Step& one) { return one.name == last.name; });
    if (step != study_.steps.end()) std::rotate(step, step + 1, study_.steps.end());
  }

  const JubeBenchmark& benchmark_;
  const JubeSteps& steps_;
  Study& study_;
  std::vector<std::pair<const JubeNode*, std::string>> uses_;  // Analysers of the result.
  std::set<const JubeStep*> analysed_;
  std::map<std::string, Pattern> patterns_;
};

}  // namespace

base::Status jube_results(const JubeBenchmark& benchmark, const JubeSteps& steps, Study& study) {
  try {
    Translator(benchmark, steps, study).run();
    return {};
  } catch (const Failed& failed) {
    return failed.error;
  }
}

}  // namespace pathline::campaign
