// SPDX-License-Identifier: BSD-3-Clause
#include "app/diff.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "campaign/compare.hpp"

namespace pathline::app {
namespace {

using Key = std::array<std::string, 3>;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool is_time(const Difference& row) { return row.metric.ends_with("_s"); }

/// What MPI and the launcher need to start and to end says nothing of the program.
bool is_start_or_end(const std::string& name) {
  return name.starts_with("MPI_Init") || name == "MPI_Finalize";
}

bool polls(const std::string& name) {
  return name.starts_with("MPI_Test") || name == "MPI_Iprobe" || name == "MPI_Improbe";
}

/// One side: the values of each number in its runs.
class Side {
 public:
  explicit Side(const std::vector<RunNumbers>& runs, const std::string& root,
                const std::string& common_root)
      : runs_(runs) {
    for (const RunNumbers& run : runs) {
      for (const auto& [key, number] : run.numbers) {
        Key named = key;
        if (!common_root.empty() && key[0] == "region" && key[1] == root) named[1] = common_root;
        numbers_[named].push_back(&number);
      }
    }
  }
  [[nodiscard]] const auto& numbers() const { return numbers_; }
  /// Ascending; 0 for runs that lack it.
  [[nodiscard]] std::vector<double> values(const Key& key) const {
    std::vector<double> values(runs_.size());
    if (const auto found = numbers_.find(key); found != numbers_.end()) {
      for (size_t i = 0; i < found->second.size(); ++i) values[i] = found->second[i]->value;
    }
    std::sort(values.begin(), values.end());
    return values;
  }
  /// That of the middle run; "" if no run has it.
  [[nodiscard]] std::string text(const Key& key) const {
    const auto found = numbers_.find(key);
    if (found == numbers_.end()) return "";
    std::vector<const RunNumbers::Number*> all = found->second;
    std::sort(all.begin(), all.end(),
              [](const auto* x, const auto* y) { return x->value < y->value; });
    return all[(all.size() - 1) / 2]->text;
  }
  [[nodiscard]] double rank_seconds() const {
    double sum = 0;
    for (const RunNumbers& run : runs_) sum += run.inside_s * run.ranks;
    return sum / static_cast<double>(runs_.size());
  }
  [[nodiscard]] double middle_wall() const {
    std::vector<double> walls;
    for (const RunNumbers& run : runs_) walls.push_back(run.wall_s);
    std::sort(walls.begin(), walls.end());
    return walls[(walls.size() - 1) / 2];
  }

 private:
  const std::vector<RunNumbers>& runs_;
  std::map<Key, std::vector<const RunNumbers::Number*>> numbers_;
};

/// The root region that all runs of a side have; "" if they differ.
std::string root_of(const std::vector<RunNumbers>& runs) {
  for (const RunNumbers& run : runs) {
    if (run.root != runs.front().root) return "";
  }
  return runs.front().root;
}

bool has_region(const std::vector<RunNumbers>& runs, const std::string& name) {
  return std::any_of(runs.begin(), runs.end(), [&](const RunNumbers& run) {
    return run.numbers.contains({"region", name, "visits"});
  });
}

/// "before | after" for roots that only one side each has; "" otherwise.
std::string common_root(const std::vector<RunNumbers>& a, const std::vector<RunNumbers>& b) {
  const std::string root_a = root_of(a);
  const std::string root_b = root_of(b);
  if (root_a.empty() || root_b.empty() || root_a == root_b) return "";
  if (has_region(a, root_b) || has_region(b, root_a)) return "";
  return root_a + " | " + root_b;
}

class Differ {
 public:
  Differ(const std::vector<RunNumbers>& a, const std::vector<RunNumbers>& b,
         const DiffOptions& options)
      : common_root_(common_root(a, b)),
        a_(a, root_of(a), common_root_),
        b_(b, root_of(b), common_root_),
        several_(a.size() + b.size() > 2),
        exact_(options.min_change < 0 && !several_),
        min_change_(options.min_change < 0 ? 0.01 : options.min_change) {}

  DiffReport run() {
    report_.renamed = common_root_;
    report_.wall_a_s = a_.middle_wall();
    report_.wall_b_s = b_.middle_wall();
    std::set<Key> keys;
    for (const auto& [key, numbers] : a_.numbers()) keys.insert(key);
    for (const auto& [key, numbers] : b_.numbers()) keys.insert(key);
    for (const Key& key : keys) add(key);
    if (several_) {
      judge_together();
    } else {
      for (Difference& row : report_.rows) judge_alone(row);
    }
    sort();
    return std::move(report_);
  }

 private:
  void add(const Key& key) {
    Difference row{.kind = key[0], .name = key[1], .metric = key[2]};
    row.a = a_.text(key);
    row.b = b_.text(key);
    row.of_a = a_.values(key);
    row.of_b = b_.values(key);
    if (!several_ && row.a == row.b) return;
    const double from = mean(row.of_a);
    row.difference = mean(row.of_b) - from;
    row.percent = from != 0             ? 100 * row.difference / std::abs(from)
                  : row.difference == 0 ? 0
                                        : std::numeric_limits<double>::infinity();
    report_.rows.push_back(std::move(row));
  }

  /// Whether a change of the row would be one of the program, and not too little to matter.
  [[nodiscard]] bool matters(const Difference& row) const {
    if (row.kind == "run") return row.name != "wall time";
    if (row.kind == "traffic") return true;
    if (row.kind == "pair") {
      const Key all = {"traffic", "all", row.metric};
      return std::abs(row.difference) >=
             min_change_ * std::max({mean(a_.values(all)), mean(b_.values(all)), 1.0});
    }
    if (row.kind == "region" && row.metric == "visits") {
      return !is_start_or_end(row.name) && !polls(row.name) && is_large(row.name);
    }
    if (row.metric != "exclusive_s" && row.metric != "wait_s") return false;
    if (is_start_or_end(row.name)) return false;
    const double whole = std::max(a_.rank_seconds(), b_.rank_seconds());
    if (several_) return std::max(row.of_a.back(), row.of_b.back()) >= 0.005 * whole;
    // What a rank does itself is steadier than what it waits for.
    const bool is_own = row.kind == "region" && !row.name.starts_with("MPI_");
    return std::abs(row.difference) >= (is_own ? 0.5 : 1) * min_change_ * whole;
  }
  [[nodiscard]] bool is_large(const std::string& region) const {
    const Key time = {"region", region, "exclusive_s"};
    return std::max(mean(a_.values(time)), mean(b_.values(time))) >=
           0.005 * std::max(a_.rank_seconds(), b_.rank_seconds());
  }

  static std::string word(const Difference& row) {
    if (is_time(row)) return row.difference > 0 ? "slower" : "faster";
    return row.difference > 0 ? "more" : "less";
  }

  void judge_alone(Difference& row) const {
    if (exact_) {
      row.counts = true;
      if (matters(row)) row.verdict = word(row);
      return;
    }
    row.counts = matters(row) && std::abs(row.percent) >= 100 * min_change_;
    if (row.counts) row.verdict = word(row);
  }

  /// Each metric of a kind by itself.
  void judge_together() {
    std::map<std::pair<std::string, std::string>, std::vector<size_t>> groups;
    for (size_t i = 0; i < report_.rows.size(); ++i) {
      const Difference& row = report_.rows[i];
      if (matters(row)) groups[{row.kind, row.metric}].push_back(i);
    }
    for (const auto& [kind, members] : groups) {
      std::vector<campaign::Comparison> rows;
      for (const size_t i : members) {
        rows.push_back({.parameters = {},
                        .column = report_.rows[i].name,
                        .before = report_.rows[i].of_a,
                        .after = report_.rows[i].of_b,
                        .word = {}});
      }
      campaign::judge(rows, {.min_change = min_change_});
      for (size_t k = 0; k < members.size(); ++k) {
        Difference& row = report_.rows[members[k]];
        const campaign::Verdict verdict = rows[k].verdict;
        row.counts = verdict == campaign::Verdict::kLess || verdict == campaign::Verdict::kMore;
        row.verdict = row.counts                            ? word(row)
                      : verdict == campaign::Verdict::kSame ? "same"
                                                            : "cannot tell";
      }
    }
    std::erase_if(report_.rows, [](const Difference& row) {
      return row.of_a.front() == row.of_a.back() && row.of_b.front() == row.of_b.back() &&
             row.of_a.front() == row.of_b.front();
    });
  }

  static size_t place(const Difference& row) {
    constexpr std::array<std::string_view, 5> kKinds = {"run", "region", "wait", "traffic", "pair"};
    return static_cast<size_t>(std::find(kKinds.begin(), kKinds.end(), row.kind) - kKinds.begin());
  }

  /// By kind, name by name: that first whose time (or traffic) changed most.
  void sort() {
    std::map<std::pair<std::string, std::string>, double> size;
    for (const Difference& row : report_.rows) {
      const bool decides = row.metric == "exclusive_s" || row.metric == "wait_s" ||
                           row.metric == "bytes" || row.name == "wall time";
      if (decides) size[{row.kind, row.name}] = std::abs(row.difference);
    }
    if (size.contains({"run", "wall time"})) size[{"run", "wall time"}] = HUGE_VAL;
    std::stable_sort(report_.rows.begin(), report_.rows.end(),
                     [&](const Difference& x, const Difference& y) {
                       const size_t place_x = place(x);
                       const size_t place_y = place(y);
                       if (place_x != place_y) return place_x < place_y;
                       return size[{x.kind, x.name}] > size[{y.kind, y.name}];
                     });
  }

  const std::string common_root_;
  const Side a_;
  const Side b_;
  const bool several_;
  const bool exact_;  // Every difference counts.
  const double min_change_;
  DiffReport report_;
};

}  // namespace

DiffReport diff(const std::vector<RunNumbers>& a, const std::vector<RunNumbers>& b,
                const DiffOptions& options) {
  return Differ(a, b, options).run();
}

}  // namespace pathline::app
