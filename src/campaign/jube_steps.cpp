// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_steps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "campaign/jube_python.hpp"
#include "campaign/jube_support.hpp"
#include "campaign/jube_text.hpp"

namespace pathline::campaign {
namespace {

constexpr int kMostTextsInEachOther = 5;  // As JUBE.
constexpr size_t kMostLetters = size_t{1} << 20;
constexpr size_t kMostSteps = 256;

/// What only the run knows; its names stay, in braces.
bool is_of_run(std::string_view name) {
  return name == "jube_wp_id" || name == "jube_wp_padid" || name == "jube_wp_iteration" ||
         name == "jube_wp_abspath" || name == "jube_benchmark_home";
}

class Reader {
 public:
  Reader(const JubeBenchmark& benchmark, std::string home)
      : benchmark_(benchmark), home_(std::move(home)) {}

  base::Result<JubeSteps> run() {
    result_.benchmark = benchmark_.node.attribute("name", "");
    for (const JubeNode& node : benchmark_.node.children) {
      if (node.name != "step") continue;
      if (auto status = add(node); !status) return status.error();
    }
    if (auto status = read_parameters(); !status) return status.error();
    if (auto status = leave_out(); !status) return status.error();
    // Sets of steps that are left out do not vary.
    if (auto status = read_parameters(); !status) return status.error();
    find_ancestors();
    for (JubeStep& step : result_.steps) {
      if (auto status = find_uses(step); !status) return status.error();
    }
    return std::move(result_);
  }

 private:
  base::Status add(const JubeNode& node) {
    JubeStep step{.node = &node, .name = node.attribute("name", "")};
    if (step.name.empty()) return wrong(node, "a <step> needs a 'name'");
    if (result_.steps.size() >= kMostSteps) {
      return wrong(node, fmt::format("there are more than {} steps", kMostSteps));
    }
    if (const JubeStep* same = result_.find(step.name)) {
      return wrong(node, fmt::format("there are two steps '{}', the other in {}", step.name,
                                     same->node->place.text()));
    }
    for (const std::string& before : split(node.attribute("depend", ""))) {
      if (!before.empty()) step.after.push_back(before);
    }
    const std::string count = node.attribute("iterations", "1");
    const auto iterations = base::number_in<uint32_t>(count);
    if (!iterations || *iterations < 1 || *iterations > 1'000'000) {
      return wrong(node, fmt::format("'iterations' is '{}', expected a whole number from 1 to "
                                     "1000000",
                                     count));
    }
    step.iterations = *iterations;
    for (const JubeNode& use : node.children) {
      if (use.name != "use") continue;
      for (const std::string& name : split(use.text)) {
        if (auto status = add_use(use, name, step); !status) return status;
      }
    }
    result_.steps.push_back(std::move(step));
    return {};
  }

  base::Status add_use(const JubeNode& use, const std::string& name, JubeStep& step) {
    if (name.find('$') != std::string::npos) {
      return unsupported(use, "a parameter in the name of a set",
                         "all runs of a step use the same sets",
                         "Name all sets, or choose one by a tag.");
    }
    const auto found = benchmark_.sets.find(name);
    if (found == benchmark_.sets.end()) {
      std::vector<std::string> names;
      for (const auto& [other, set] : benchmark_.sets) names.push_back(other);
      const std::string_view meant = base::nearest(name, names);
      return wrong(use, fmt::format("there is no set '{}'", name),
                   meant.empty() ? "" : fmt::format("Did you mean '{}'?", meant));
    }
    const JubeNode& set = found->second;
    if (set.name == "parameterset") step.sets.push_back(&set);
    if (set.name == "fileset") step.files.push_back(&set);
    if (set.name == "substituteset") step.substitutes.push_back(&set);
    if (set.name == "patternset") {
      return wrong(use, fmt::format("'{}' is a patternset, which an <analyser> uses", name));
    }
    return {};
  }

  base::Status read_parameters() {
    std::vector<const JubeNode*> sets;
    for (const JubeStep& step : result_.steps) {
      for (const JubeNode* set : step.sets) {
        if (std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(set);
      }
    }
    auto parameters = jube_parameters(
        sets, {{"jube_benchmark_name", result_.benchmark}, {"jube_benchmark_home", home_}});
    if (!parameters) return parameters.error();
    result_.parameters = std::move(parameters).value();
    return {};
  }

  /// Steps that are not active, and those behind them.
  base::Status leave_out() {
    std::set<std::string> gone;
    for (const JubeStep& step : result_.steps) {
      const auto is_active = jube_is_active(*step.node, result_.parameters);
      if (!is_active) return is_active.error();
      if (!is_active.value()) gone.insert(step.name);
    }
    for (size_t before = 0; before != gone.size();) {
      before = gone.size();
      for (const JubeStep& step : result_.steps) {
        if (std::any_of(step.after.begin(), step.after.end(),
                        [&](const std::string& name) { return gone.contains(name); })) {
          gone.insert(step.name);
        }
      }
    }
    std::erase_if(result_.steps, [&](const JubeStep& step) { return gone.contains(step.name); });
    return {};
  }

  void find_ancestors() {
    for (bool more = true; more;) {
      more = false;
      for (JubeStep& step : result_.steps) {
        const size_t before = step.ancestors.size();
        for (const std::string& name : step.after) {
          step.ancestors.insert(name);
          if (const JubeStep* other = result_.find(name)) {
            const std::set<std::string> theirs = other->ancestors;
            step.ancestors.insert(theirs.begin(), theirs.end());
          }
        }
        more = more || step.ancestors.size() != before;
      }
    }
  }

  base::Status find_uses(JubeStep& step) {
    const auto add_sets = [&](const JubeStep& of, std::set<std::string>& to) {
      for (const JubeNode* set : of.sets) {
        const auto& names = result_.parameters.of_set.at(set->attribute("name", ""));
        to.insert(names.begin(), names.end());
      }
    };
    add_sets(step, step.own);
    step.uses = step.own;
    for (const std::string& name : step.ancestors) {
      const JubeStep* before = result_.find(name);
      if (before == nullptr) continue;  // plan() says so.
      add_sets(*before, step.uses);
      if (step.iterations > 1 && before->iterations > 1 && before != &step) {
        return unsupported(
            *step.node, fmt::format("attribute 'iterations' of <step> behind '{}'", name),
            fmt::format("'{}' is repeated itself, and a repetition has one run of each step", name),
            "Take 'iterations' out of one of the two.");
      }
    }
    for (const std::string& name : step.uses) {
      for (const std::string& needed : result_.parameters.needs.at(name)) {
        if (step.uses.contains(needed)) continue;
        return wrong(*step.node,
                     fmt::format("step '{}' uses parameter '{}', which is made of '{}', "
                                 "and not the set of that",
                                 step.name, name, needed));
      }
    }
    return {};
  }

  const JubeBenchmark& benchmark_;
  std::string home_;
  JubeSteps result_;
};

/// Texts of a step, with the parameters that are written where they are used.
class StepText {
 public:
  StepText(const JubeNode& node, const JubeSteps& steps, const JubeStep& step, JubeReader reader)
      : node_(node), steps_(steps), step_(step), reader_(reader) {}

  base::Result<std::string> of(std::string_view text) {
    if (auto status = no_names_in_braces(node_, text, steps_.parameters); !status) {
      return status.error();
    }
    std::string result = braced(text, 0);
    if (error_) return *error_;
    return result;
  }

 private:
  std::string braced(std::string_view text, int depth) {
    std::string all =
        with_jube_names(text, [&](std::string_view name) -> std::optional<std::string> {
          if (error_) return "";
          return one(name, depth);
        });
    letters_ += all.size();
    if (letters_ > kMostLetters)
      fail("a text of this length", "it has more than a million letters", "");
    return all;
  }

  std::optional<std::string> one(std::string_view view, int depth) {
    const std::string name(view);
    if (step_.uses.contains(name)) {
      const auto of_run = steps_.parameters.run_texts.find(name);
      if (of_run == steps_.parameters.run_texts.end()) return fmt::format("{{{}}}", name);
      return run_text(name, of_run->second, depth);
    }
    // The same to a shell, and no name in braces.
    const bool is_elsewhere = steps_.parameters.needs.contains(name);
    if (is_elsewhere && reader_ == JubeReader::kShell) return fmt::format("${{{}-}}", name);
    if (auto pattern = jube_pattern(name)) return pattern;
    if (name == "jube_step_name") return step_.name;
    if (name == "jube_step_iterations") return std::to_string(step_.iterations);
    if (name == "jube_step_cycles") return "1";
    if (name == "jube_wp_cycle") return "0";
    if (name == "jube_benchmark_name") return steps_.benchmark;
    if (is_of_run(name)) return fmt::format("{{{}}}", name);
    if (name.starts_with("jube_")) {
      fail(fmt::format("${}", name), "a run of Pathline has no such name",
           "There are $jube_wp_id, $jube_wp_iteration, $jube_wp_abspath, $jube_step_name, "
           "$jube_benchmark_name and $jube_benchmark_home.");
    }
    return std::nullopt;
  }

  /// JUBE gives it its value where the step begins that the mode says.
  std::optional<std::string> run_text(const std::string& name, const JubeRunText& text, int depth) {
    const bool is_new = text.update_mode == "step" || text.update_mode == "always" ||
                        (text.update_mode == "use" && step_.own.contains(name));
    for (const std::string& before : step_.ancestors) {
      const JubeStep* other = steps_.find(before);
      if (is_new || other == nullptr || !other->uses.contains(name)) continue;
      fail(fmt::format("${} in step '{}'", name, step_.name),
           fmt::format("its text is of the run of step '{}' (update_mode=\"{}\" in line {})",
                       before, text.update_mode, text.node.place.line),
           "With update_mode=\"step\" it is of the run that names it.");
      return std::nullopt;
    }
    if (depth >= kMostTextsInEachOther) {
      fail(fmt::format("${}", name), "it names itself", "");
      return std::nullopt;
    }
    return braced(text.text, depth + 1);
  }

  void fail(const std::string& what, const std::string& reason, const std::string& advice) {
    if (!error_) error_ = unsupported(node_, what, reason, advice);
  }

  const JubeNode& node_;
  const JubeSteps& steps_;
  const JubeStep& step_;
  const JubeReader reader_;
  size_t letters_ = 0;
  std::optional<base::Error> error_;
};

}  // namespace

const JubeStep* JubeSteps::find(std::string_view name) const {
  const auto found = std::find_if(steps.begin(), steps.end(),
                                  [&](const JubeStep& step) { return step.name == name; });
  return found == steps.end() ? nullptr : &*found;
}

base::Result<JubeSteps> jube_steps(const JubeBenchmark& benchmark, const std::string& home) {
  return Reader(benchmark, home).run();
}

base::Result<std::string> jube_text_of_step(const JubeNode& node, std::string_view text,
                                            const JubeSteps& steps, const JubeStep& step,
                                            JubeReader reader) {
  return StepText(node, steps, step, reader).of(text);
}

base::Result<bool> jube_is_active(const JubeNode& node, const JubeParameters& parameters) {
  const std::string text = node.attribute("active", "true");
  std::string varies;
  const std::string filled =
      with_jube_names(text, [&](std::string_view name) -> std::optional<std::string> {
        const auto found = parameters.fixed.find(std::string(name));
        if (found != parameters.fixed.end()) return found->second;
        if (varies.empty()) varies = name;
        return std::nullopt;
      });
  if (!varies.empty()) {
    return unsupported(node, fmt::format("attribute 'active' with ${}", varies),
                       "what is done is the same for all values of a parameter",
                       "Write 'if' into the command, or cut the study by tags.");
  }
  const auto holds = python_is_true(filled);
  if (holds) return holds;
  return unsupported(node, fmt::format("attribute 'active=\"{}\"'", text), holds.error().message,
                     "Write true or false.");
}

}  // namespace pathline::campaign
