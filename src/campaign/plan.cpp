// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "campaign/formula.hpp"

namespace pathline::campaign {
namespace {

constexpr uint64_t kMostPackages = 1'000'000;
constexpr size_t kMostLetters = 65'536;  // Of a value: those that name others could double forever.

base::Error wrong(const Place& place, std::string_view what, std::string advice = "") {
  return {base::ErrorCode::kInvalidArgument, fmt::format("{}: {}", place.text(), what),
          std::move(advice)};
}

/// An order in which each comes behind those it needs, or a circle that makes it impossible.
struct Order {
  std::vector<uint32_t> items;
  std::vector<uint32_t> circle;  ///< Each needs the next one, the last the first; empty: none.
};

/// needs  per item.
Order ordered(const std::vector<std::vector<uint32_t>>& needs) {
  Order order;
  std::vector<bool> is_done(needs.size(), false);
  const auto undone = [&](uint32_t item) {
    return std::find_if(needs[item].begin(), needs[item].end(),
                        [&](uint32_t need) { return !is_done[need]; });
  };
  while (order.items.size() < needs.size()) {
    const size_t before = order.items.size();
    for (uint32_t i = 0; i < needs.size(); ++i) {
      if (is_done[i] || undone(i) != needs[i].end()) continue;
      is_done[i] = true;
      order.items.push_back(i);
    }
    if (order.items.size() > before) continue;
    // What is left needs something that is left: following it leads round the circle.
    std::vector<uint32_t>& way = order.circle;
    auto item =
        static_cast<uint32_t>(std::find(is_done.begin(), is_done.end(), false) - is_done.begin());
    while (std::find(way.begin(), way.end(), item) == way.end()) {
      way.push_back(item);
      item = *undone(item);
    }
    way.erase(way.begin(), std::find(way.begin(), way.end(), item));
    return order;
  }
  return order;
}

class Planner {
 public:
  explicit Planner(const Study& study) : study_(study) {}

  base::Result<Plan> run() {
    if (auto status = name_parameters(); !status) return status.error();
    if (auto status = make_points(); !status) return status.error();
    find_varying();
    if (auto status = order_steps(); !status) return status.error();
    if (auto status = choose_parameters(); !status) return status.error();
    choose_repetitions();
    if (auto status = make_packages(); !status) return status.error();
    return std::move(plan_);
  }

 private:
  base::Status name_parameters() {
    for (const ParameterSet& set : study_.sets) {
      for (const Parameter& parameter : set.parameters) {
        const auto number = static_cast<uint32_t>(parameters_.size());
        if (!number_of_.emplace(parameter.name, number).second) {
          return wrong(parameter.place,
                       fmt::format("there are two parameters '{}'", parameter.name));
        }
        plan_.names.push_back(parameter.name);
        parameters_.push_back(&parameter);
      }
    }
    return {};
  }

  /// Of a text that has the names of parameters in braces.
  base::Result<std::vector<uint32_t>> parameters_in(std::string_view text, const Place& place,
                                                    std::string_view whose) const {
    std::vector<uint32_t> found;
    for (const std::string& name : names_in(text)) {
      const auto parameter = number_of_.find(name);
      if (parameter == number_of_.end()) {
        const std::string_view meant = base::nearest(name, plan_.names);
        return wrong(place,
                     fmt::format("{} names {{{}}}, and there is no such parameter", whose, name),
                     meant.empty() ? "" : fmt::format("Did you mean {{{}}}?", meant));
      }
      found.push_back(parameter->second);
    }
    return found;
  }

  base::Status make_points() {
    std::vector<std::vector<uint32_t>> needs(parameters_.size());
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Parameter& parameter = *parameters_[i];
      for (const std::string& value : parameter.values) {
        auto found =
            parameters_in(value, parameter.place, fmt::format("parameter '{}'", parameter.name));
        if (!found) return found.error();
        needs[i].insert(needs[i].end(), found.value().begin(), found.value().end());
      }
    }
    const Order order = ordered(needs);
    if (!order.circle.empty()) {
      const auto name = [&](uint32_t i) { return plan_.names[i]; };
      return wrong(parameters_[order.circle[0]]->place,
                   "parameters depend on one another: " + circle_text(order.circle, name, " of "));
    }
    uint64_t count = 1;
    for (const ParameterSet& set : study_.sets) {
      count *= set.size();
      if (count > kMostPackages) return too_many(count);
    }
    plan_.points.reserve(count);
    std::vector<size_t> chosen(study_.sets.size(), 0);
    for (uint64_t point = 0; point < count; ++point) {
      auto values = values_of(chosen, order.items);
      if (!values) return values.error();
      plan_.points.push_back(std::move(values).value());
      for (size_t set = chosen.size(); set-- > 0;) {
        if (++chosen[set] < study_.sets[set].size()) break;
        chosen[set] = 0;
      }
    }
    return {};
  }

  void find_varying() {
    plan_.varies.assign(plan_.names.size(), false);
    for (const std::vector<std::string>& point : plan_.points) {
      for (size_t i = 0; i < point.size(); ++i) {
        if (point[i] != plan_.points[0][i]) plan_.varies[i] = true;
      }
    }
  }

  /// chosen  which value of each set.
  base::Result<std::vector<std::string>> values_of(const std::vector<size_t>& chosen,
                                                   const std::vector<uint32_t>& order) const {
    std::vector<std::string> values(parameters_.size());
    std::vector<size_t> which;
    for (size_t set = 0; set < study_.sets.size(); ++set) {
      which.insert(which.end(), study_.sets[set].parameters.size(), chosen[set]);
    }
    for (const uint32_t i : order) {
      const Parameter& parameter = *parameters_[i];
      const std::string& text = parameter.values[which[i]];
      const bool is_plain = text.find('{') == std::string::npos;
      values[i] = is_plain ? text : replaced(text, [&](std::string_view name) {
        return std::optional<std::string_view>(values[number_of_.find(std::string(name))->second]);
      });
      if (values[i].size() > kMostLetters) {
        return wrong(parameter.place,
                     fmt::format("a value of parameter '{}' has more than {} letters",
                                 parameter.name, kMostLetters));
      }
      if (parameter.is_text || is_plain) continue;
      auto value = calculated(values[i]);
      if (!value) {
        return wrong(parameter.place,
                     fmt::format("parameter '{}': {}", parameter.name, value.error().message));
      }
      values[i] = std::move(value).value();
    }
    return values;
  }

  base::Error too_many(uint64_t count) const {
    return {base::ErrorCode::kInvalidArgument,
            fmt::format("{}: the study comes to {} runs and more, and 1,000,000 can be planned",
                        study_.file.string(), base::human_count(count)),
            "Leave values out, or cut the study in parts by tags."};
  }

  base::Status order_steps() {
    std::map<std::string, uint32_t> numbers;
    std::vector<std::string> names;
    for (uint32_t i = 0; i < study_.steps.size(); ++i) {
      numbers[study_.steps[i].name] = i;
      names.push_back(study_.steps[i].name);
    }
    after_.resize(study_.steps.size());
    for (uint32_t i = 0; i < study_.steps.size(); ++i) {
      const Step& step = study_.steps[i];
      for (const std::string& name : step.after) {
        const auto found = numbers.find(name);
        if (found == numbers.end()) {
          const std::string_view meant = base::nearest(name, names);
          return wrong(
              step.place,
              fmt::format("step '{}' comes after '{}', and there is no such step", step.name, name),
              meant.empty() ? "" : fmt::format("Did you mean '{}'?", meant));
        }
        after_[i].push_back(found->second);
      }
    }
    Order order = ordered(after_);
    if (!order.circle.empty()) {
      const auto name = [&](uint32_t i) { return study_.steps[i].name; };
      return wrong(study_.steps[order.circle[0]].place,
                   "steps wait for one another: " + circle_text(order.circle, name, " after "));
    }
    order_ = std::move(order.items);
    return {};
  }

  /// "a after b after a".
  template <class Name>
  static std::string circle_text(const std::vector<uint32_t>& circle, const Name& name,
                                 const char* word) {
    std::string text;
    for (const uint32_t item : circle) text += name(item) + word;
    return text + name(circle[0]);
  }

  base::Status choose_parameters() {
    plan_.used.resize(study_.steps.size());
    for (const uint32_t i : order_) {
      const Step& step = study_.steps[i];
      std::vector<uint32_t>& used = plan_.used[i];
      if (step.uses) {
        for (const std::string& name : *step.uses) {
          const auto found = number_of_.find(name);
          if (found == number_of_.end()) {
            return wrong(step.place, fmt::format("step '{}' uses '{}', and there is no such "
                                                 "parameter",
                                                 step.name, name));
          }
          used.push_back(found->second);
        }
      } else {
        used.resize(parameters_.size());
        std::iota(used.begin(), used.end(), 0U);
      }
      std::sort(used.begin(), used.end());
      used.erase(std::unique(used.begin(), used.end()), used.end());
      if (auto status = check_texts(step, used); !status) return status.error();
      for (const uint32_t before : after_[i]) {
        for (const uint32_t parameter : plan_.used[before]) {
          if (std::binary_search(used.begin(), used.end(), parameter)) continue;
          return wrong(
              step.place,
              fmt::format("step '{}' comes after '{}', which uses parameter '{}', and does "
                          "not use it itself",
                          step.name, study_.steps[before].name, plan_.names[parameter]),
              "A step uses what the steps before it use; 'uses' may add to it.");
        }
      }
    }
    return {};
  }

  /// What a step says may name only what makes a difference to it.
  base::Status check_texts(const Step& step, const std::vector<uint32_t>& used) const {
    std::vector<const std::string*> texts = {&step.command, &step.check, &step.cores, &step.slurm};
    for (const Template& file : step.templates) {
      texts.push_back(&file.from);
      texts.push_back(&file.to);
      for (const auto& [what, by] : file.replacements) {
        texts.push_back(&what);
        texts.push_back(&by);
      }
    }
    for (const std::string& file : step.copies) texts.push_back(&file);
    for (const std::string& file : step.links) texts.push_back(&file);
    for (const std::string* text : texts) {
      for (const std::string& name : names_in(*text)) {
        const auto parameter = number_of_.find(name);
        if (parameter == number_of_.end()) continue;  // A shell's or awk's own.
        if (std::binary_search(used.begin(), used.end(), parameter->second)) continue;
        return wrong(step.place, fmt::format("step '{}' names {{{}}}, which is not among what it "
                                             "uses",
                                             step.name, name));
      }
    }
    return {};
  }

  /// Those that numbers are read out of are repeated, and with them what comes before a result and
  /// behind another such step.
  void choose_repetitions() {
    plan_.repeated.assign(study_.steps.size(), false);
    for (uint32_t i = 0; i < study_.steps.size(); ++i) {
      const Step& step = study_.steps[i];
      plan_.repeated[i] = step.repeat.value_or(
          std::any_of(study_.columns.begin(), study_.columns.end(),
                      [&](const Column& column) { return column.step == step.name; }));
    }
    for (const uint32_t i : order_) {
      for (const uint32_t before : after_[i]) {
        if (plan_.repeated[before]) plan_.repeated[i] = true;
      }
    }
    if (study_.repetitions == 1) plan_.repeated.assign(study_.steps.size(), false);
  }

  base::Status make_packages() {
    plan_.first_package.resize(study_.steps.size());
    for (const uint32_t i : order_) {
      const uint32_t repetitions = plan_.repeated[i] ? study_.repetitions : 1;
      std::unordered_map<std::string, uint32_t> first_of;
      std::vector<uint32_t>& packages = plan_.first_package[i];
      packages.reserve(plan_.points.size());
      for (uint32_t point = 0; point < plan_.points.size(); ++point) {
        std::string key = study_.steps[i].name;
        for (const uint32_t parameter : plan_.used[i]) {
          key += fmt::format(" {}={}", plan_.names[parameter], plan_.points[point][parameter]);
        }
        const auto [found, is_new] =
            first_of.try_emplace(key, static_cast<uint32_t>(plan_.packages.size()));
        packages.push_back(found->second);
        if (!is_new) continue;
        if (plan_.packages.size() + repetitions > kMostPackages) {
          return too_many(plan_.packages.size() + repetitions);
        }
        for (uint32_t repetition = 0; repetition < repetitions; ++repetition) {
          add_package(i, point, repetition,
                      repetitions > 1 ? fmt::format("{} #{}", key, repetition + 1) : key);
        }
      }
    }
    return {};
  }

  void add_package(uint32_t step, uint32_t point, uint32_t repetition, std::string key) {
    Package package{.step = step, .point = point, .repetition = repetition, .key = std::move(key)};
    for (const uint32_t before : after_[step]) {
      package.after.push_back(plan_.package_of(before, point, repetition));
    }
    std::sort(package.after.begin(), package.after.end());
    plan_.packages.push_back(std::move(package));
  }

  const Study& study_;
  Plan plan_;
  std::vector<const Parameter*> parameters_;
  std::map<std::string, uint32_t> number_of_;
  std::vector<std::vector<uint32_t>> after_;  // Per step.
  std::vector<uint32_t> order_;               // Of the steps.
};

}  // namespace

uint32_t Plan::package_of(uint32_t step, uint32_t point, uint32_t repetition) const {
  if (step >= first_package.size() || point >= first_package[step].size()) return UINT32_MAX;
  return first_package[step][point] + (repeated[step] ? repetition : 0);
}

base::Result<Plan> plan(const Study& study) { return Planner(study).run(); }

std::string filled_in(std::string_view text, const Plan& plan, uint32_t point,
                      std::span<const std::pair<std::string, std::string>> more) {
  return replaced(text, [&](std::string_view name) -> std::optional<std::string_view> {
    const auto found = std::find(plan.names.begin(), plan.names.end(), name);
    if (found != plan.names.end()) {
      return plan.points[point][static_cast<size_t>(found - plan.names.begin())];
    }
    for (const auto& [other, value] : more) {
      if (other == name) return value;
    }
    return std::nullopt;
  });
}

}  // namespace pathline::campaign
