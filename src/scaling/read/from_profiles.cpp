// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/from_profiles.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::scaling {
namespace {

using profile::Combine;
using profile::MetricTable;

constexpr uint32_t kNone = UINT32_MAX;
constexpr size_t kMaxNameBytes = size_t{256} << 20;
constexpr const char* kElsewhere = "<not in all runs>";

/// The call paths of all profiles in one tree; siblings of the same name are one.
class CallTree {
 public:
  /// Of every call path of `table`, its place in the tree.
  std::vector<uint32_t> add(const MetricTable& table) {
    std::vector<uint32_t> places;
    places.reserve(table.call_paths.size());
    for (const profile::MetricNode& node : table.call_paths) {
      const bool is_root = node.parent == profile::MetricNode::kNoParent;
      assert(is_root || node.parent < places.size());
      places.push_back(child(is_root ? kNone : places[node.parent], node.region));
    }
    return places;
  }
  [[nodiscard]] size_t size() const { return parents_.size(); }
  /// kNone for a root. A parent is smaller than its children.
  [[nodiscard]] uint32_t parent(uint32_t place) const { return parents_[place]; }
  [[nodiscard]] const std::string& region(uint32_t place) const {
    return region_names_[regions_[place]];
  }

 private:
  uint32_t child(uint32_t parent, const std::string& region) {
    const auto [name, is_new_name] =
        region_ids_.try_emplace(region, uint32_t(region_names_.size()));
    if (is_new_name) region_names_.push_back(region);
    const auto [at, is_new] =
        children_.try_emplace(uint64_t{parent} << 32 | name->second, uint32_t(parents_.size()));
    if (is_new) {
      parents_.push_back(parent);
      regions_.push_back(name->second);
    }
    return at->second;
  }

  std::vector<uint32_t> parents_;
  std::vector<uint32_t> regions_;
  std::vector<std::string> region_names_;
  std::unordered_map<std::string, uint32_t> region_ids_;
  std::unordered_map<uint64_t, uint32_t> children_;  // By parent << 32 | region.
};

struct Metric {
  profile::Metric as_listed;
  std::string first;  ///< Name of the profile that lists it first.
  bool has_data = false;
  uint32_t id = 0;  ///< In the experiment, if it has data.
};

base::Error unusable(const std::string& name, std::string_view fact) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("cannot use {}: {}", base::printable(name), fact)};
}

base::Status check(const ProfileAt& profile, size_t parameters) {
  if (profile.coordinates.size() != parameters) {
    return unusable(profile.name, fmt::format("it has values of {}, expected {}",
                                              base::counted(profile.coordinates.size(), "parameter",
                                                            "parameters"),
                                              parameters));
  }
  if (!std::ranges::all_of(profile.coordinates, [](double x) { return std::isfinite(x); })) {
    return unusable(profile.name, "a parameter's value is not a finite number");
  }
  if (profile.table.location_count == 0) return unusable(profile.name, "it has no location");
  return {};
}

class Merger {
 public:
  Merger(std::vector<std::string> parameters, const FromProfilesOptions& options)
      : options_(options), builder_(std::move(parameters)) {}

  base::Result<Experiment> merge(size_t count, const VisitProfile& visit) {
    for (size_t i = 0; i < count; ++i) {
      const auto status = visit(i, [&](const ProfileAt& profile) { return list(profile); });
      if (!status) return status.error();
    }
    name_metrics();
    find_common_paths();
    const base::Status status = name_common_paths();
    if (!status) return status.error();
    for (size_t i = 0; i < count; ++i) {
      const auto added = visit(i, [&](const ProfileAt& profile) { return add(profile, i); });
      if (!added) return added.error();
    }
    Experiment experiment = std::move(builder_).finish();
    experiment.value_is = value_is();
    return experiment;
  }

 private:
  /// What of a profile must be known before values are added.
  base::Status list(const ProfileAt& profile) {
    if (auto status = check(profile, builder_.parameters().size()); !status) return status;
    names_.push_back(profile.name);
    point_of_.push_back(builder_.point(profile.coordinates));
    places_.push_back(tree_.add(profile.table));
    return list_metrics(profile);
  }

  base::Status list_metrics(const ProfileAt& profile) {
    for (size_t m = 0; m < profile.table.metrics.size(); ++m) {
      const profile::Metric& listed = profile.table.metrics[m];
      const auto [at, is_new] = metric_ids_.try_emplace(listed.name, metrics_.size());
      if (is_new) metrics_.push_back({listed, profile.name});
      Metric& metric = metrics_[at->second];
      metric.has_data = metric.has_data || !profile.table.values[m].empty();
      if (metric.as_listed.unit.empty()) metric.as_listed.unit = listed.unit;
      const bool same_unit = listed.unit.empty() || metric.as_listed.unit == listed.unit;
      if (same_unit && metric.as_listed.combine == listed.combine) continue;
      return base::Error{
          base::ErrorCode::kInvalidArgument,
          fmt::format("metric {} is not the same in {} and {}: {}", base::printable(listed.name),
                      base::printable(metric.first), base::printable(profile.name),
                      same_unit ? "one adds up, the other is a minimum or maximum"
                                : fmt::format("the unit is '{}' and '{}'",
                                              base::printable(metric.as_listed.unit),
                                              base::printable(listed.unit)))};
    }
    return {};
  }

  void name_metrics() {
    std::vector<std::string> empty;
    for (Metric& metric : metrics_) {
      if (metric.has_data) {
        metric.id = builder_.metric(metric.as_listed.name);
        builder_.set_unit(metric.id, metric.as_listed.unit);
      } else {
        empty.push_back(base::printable(metric.as_listed.name));
      }
    }
    if (empty.empty()) return;
    builder_.warn(fmt::format("metrics without data in any profile are left out: {}",
                              fmt::join(empty, ", ")));
  }

  /// Keeps the call paths that some profile of every point has, and finds where the others go.
  void find_common_paths() {
    std::map<uint32_t, std::vector<size_t>> profiles_of_point;
    for (size_t i = 0; i < point_of_.size(); ++i) profiles_of_point[point_of_[i]].push_back(i);
    std::vector<uint32_t> points_with(tree_.size());
    std::vector<uint32_t> last_point;
    last_point.resize(tree_.size(), kNone);
    for (const auto& [point, profiles] : profiles_of_point) {
      for (const size_t i : profiles) {
        for (const uint32_t place : places_[i]) {
          if (last_point[place] == point) continue;
          last_point[place] = point;
          ++points_with[place];
        }
      }
    }
    for (uint32_t place = 0; place < tree_.size(); ++place) {
      const uint32_t parent = tree_.parent(place);
      uint32_t target = parent == kNone ? kNone : targets_[parent];
      if (points_with[place] == profiles_of_point.size()) {
        target = uint32_t(kept_.size());
        kept_.push_back(place);
      } else if (target == kNone) {
        lost_root_ = lost_root_ == kNone ? place : lost_root_;
      }
      targets_.push_back(target);
    }
  }

  /// Gives the kept call paths their ids; the last is that of costs without a kept ancestor.
  base::Status name_common_paths() {
    if (kept_.empty()) return no_common_path();
    if (!check_names()) {
      return base::Error{base::ErrorCode::kUnsupported,
                         fmt::format("the names of the {} common call paths take more than {}",
                                     kept_.size(), base::human_bytes(double(kMaxNameBytes)))};
    }
    std::vector<std::string> names;
    for (const uint32_t place : kept_) {
      const uint32_t parent = tree_.parent(place);
      std::string name = parent == kNone ? "" : names[targets_[parent]] + "->";
      names.push_back(name + tree_.region(place));
    }
    merge_equal_names(names);
    if (lost_root_ == kNone) return {};
    call_path_ids_.push_back(builder_.call_path(kElsewhere));
    builder_.warn(fmt::format("not all runs begin with {}: what is below it is found as {}",
                              base::printable(tree_.region(lost_root_)), kElsewhere));
    return {};
  }

  /// Names of regions may hold arrows, so that two call paths read the same: they become one.
  void merge_equal_names(const std::vector<std::string>& names) {
    std::vector<uint32_t> merged_into;
    std::vector<uint32_t> different;
    for (uint32_t k = 0; k < names.size(); ++k) {
      const uint32_t id = builder_.call_path(names[k]);
      merged_into.push_back(id);
      if (id < different.size()) continue;
      different.push_back(kept_[k]);
      call_path_ids_.push_back(id);
    }
    kept_ = std::move(different);
    for (uint32_t& target : targets_) {
      if (target != kNone) target = merged_into[target];
    }
  }

  /// A path is as long as it is deep, and a recursion may be very deep.
  [[nodiscard]] bool check_names() const {
    std::vector<size_t> lengths;
    size_t bytes = 0;
    for (const uint32_t place : kept_) {
      const uint32_t parent = tree_.parent(place);
      const size_t before = parent == kNone ? 0 : lengths[targets_[parent]] + 2;
      lengths.push_back(before + tree_.region(place).size());
      bytes += lengths.back();
      if (bytes > kMaxNameBytes) return false;
    }
    return true;
  }

  [[nodiscard]] base::Error no_common_path() const {
    for (size_t i = 1; i < names_.size(); ++i) {
      if (places_[0].empty() || places_[i].empty() || places_[0][0] == places_[i][0]) continue;
      return {base::ErrorCode::kInvalidArgument,
              fmt::format("the profiles have no call path in common: {} begins with {}, {} with {}",
                          base::printable(names_[0]), base::printable(tree_.region(places_[0][0])),
                          base::printable(names_[i]), base::printable(tree_.region(places_[i][0]))),
              "Profiles must be of one program."};
    }
    const auto empty =
        std::ranges::find_if(places_, [](const auto& places) { return places.empty(); });
    return {base::ErrorCode::kInvalidArgument,
            fmt::format("the profiles have no call path in common{}",
                        empty == places_.end()
                            ? ""
                            : ": " + base::printable(names_[size_t(empty - places_.begin())]) +
                                  " has none at all")};
  }

  /// Adds a sample of every metric and kept call path.
  base::Status add(const ProfileAt& profile, size_t number) {
    const std::vector<uint32_t>& places = places_[number];
    std::vector<uint32_t> target_of;
    std::vector<bool> has(call_path_ids_.size());
    for (const uint32_t place : places) {
      target_of.push_back(targets_[place] == kNone ? uint32_t(kept_.size()) : targets_[place]);
      has[target_of.back()] = true;
    }
    const MetricTable& table = profile.table;
    std::vector<std::vector<double>> samples(table.metrics.size());
    std::vector<const Metric*> metric_of;
    for (size_t m = 0; m < table.metrics.size(); ++m) {
      metric_of.push_back(&metrics_[metric_ids_.at(table.metrics[m].name)]);
      if (table.values[m].empty()) continue;
      const base::Status status = reduce(profile, m, target_of, has, samples[m]);
      if (!status) return status;
    }
    const uint32_t point = point_of_[number];
    for (size_t p = 0; p < call_path_ids_.size(); ++p) {
      for (size_t m = 0; m < table.metrics.size(); ++m) {
        if (!metric_of[m]->has_data || !has_value(table, m, p, has[p])) continue;
        builder_.add(call_path_ids_[p], metric_of[m]->id, point,
                     samples[m].empty() ? 0 : samples[m][p]);
      }
    }
    return {};
  }

  /// What is absent adds 0 to a sum; a minimum or maximum of nothing is no number.
  [[nodiscard]] bool has_value(const MetricTable& table, size_t m, size_t path,
                               bool is_there) const {
    if (table.metrics[m].combine == Combine::kSum) return true;
    return is_there && path < kept_.size() && !table.values[m].empty();
  }

  /// One value per kept call path from those of all call paths and locations.
  base::Status reduce(const ProfileAt& profile, size_t m, const std::vector<uint32_t>& target_of,
                      const std::vector<bool>& has, std::vector<double>& samples) {
    const MetricTable& table = profile.table;
    const size_t locations = table.location_count;
    const Combine combine = table.metrics[m].combine;
    std::vector<bool> begun(call_path_ids_.size(), combine == Combine::kSum);
    merged_.assign(call_path_ids_.size() * locations, 0);
    for (size_t c = 0; c < target_of.size(); ++c) {
      const double* row = table.row(m, c);
      double* merged = merged_.data() + target_of[c] * locations;
      for (size_t l = 0; l < locations; ++l) {
        merged[l] = begun[target_of[c]] ? combined(combine, merged[l], row[l]) : row[l];
        if (!std::isfinite(row[l])) return not_finite(profile, m, c);
      }
      begun[target_of[c]] = true;
    }
    samples.resize(call_path_ids_.size());
    for (size_t p = 0; p < samples.size(); ++p) {
      if (!has[p]) continue;
      samples[p] = over_locations(std::span(merged_).subspan(p * locations, locations), combine);
      if (!std::isfinite(samples[p])) return not_finite(profile, m, kNone);
    }
    return {};
  }

  static double combined(Combine combine, double a, double b) {
    if (combine == Combine::kSum) return a + b;
    return combine == Combine::kMin ? std::min(a, b) : std::max(a, b);
  }

  double over_locations(std::span<double> values, Combine combine) const {
    if (options_.locations == LocationRule::kStrong) {
      double whole = values.front();
      for (const double value : values.subspan(1)) whole = combined(combine, whole, value);
      return whole;
    }
    std::ranges::sort(values);
    if (options_.locations == LocationRule::kWeakThreaded) {
      const auto end = std::remove(values.begin(), values.end(), 0.0);
      const auto working = values.first(size_t(end - values.begin()));
      return working.empty() ? 0 : aggregate(working, options_.aggregate);
    }
    return aggregate(values, options_.aggregate);
  }

  static base::Error not_finite(const ProfileAt& profile, size_t m, size_t call_path) {
    const std::string where =
        call_path == kNone
            ? "the sum of values of one call path"
            : fmt::format("a value of call path {} ({})", call_path,
                          base::printable(profile.table.call_paths[call_path].region));
    return {
        base::ErrorCode::kCorrupt,
        fmt::format("cannot use {}: {}: {} is not a finite number", base::printable(profile.name),
                    base::printable(profile.table.metrics[m].name), where)};
  }

  [[nodiscard]] std::string value_is() const {
    if (options_.locations == LocationRule::kStrong) return "sum over locations";
    const char* what = "mean";
    switch (options_.aggregate) {
      case Aggregate::kMean: break;
      case Aggregate::kMedian: what = "median"; break;
      case Aggregate::kMin: what = "minimum"; break;
      case Aggregate::kMax: what = "maximum"; break;
    }
    const bool threaded = options_.locations == LocationRule::kWeakThreaded;
    return fmt::format("{} per location{}", what, threaded ? " with a value" : "");
  }

  const FromProfilesOptions options_;
  ExperimentBuilder builder_;
  std::vector<Metric> metrics_;
  std::unordered_map<std::string, size_t> metric_ids_;
  CallTree tree_;
  std::vector<std::vector<uint32_t>> places_;  // Of each profile's call paths, in tree_.
  std::vector<uint32_t> point_of_;             // Of each profile.
  std::vector<std::string> names_;             // Of each profile.
  std::vector<uint32_t> kept_;                 // Places in tree_; parents first.
  std::vector<uint32_t> targets_;              // Into kept_, by place; kNone: without an ancestor.
  uint32_t lost_root_ = kNone;                 // A place without a kept ancestor.
  std::vector<uint32_t> call_path_ids_;        // By kept_; one more if there is a lost root.
  std::vector<double> merged_;                 // Kept call path x location.
};

}  // namespace

base::Result<Experiment> from_profiles(std::vector<std::string> parameters, size_t count,
                                       const VisitProfile& visit,
                                       const FromProfilesOptions& options) {
  if (parameters.empty()) return unusable("the profiles", "there is no parameter");
  if (count == 0) return unusable("the profiles", "there are none");
  return Merger(std::move(parameters), options).merge(count, visit);
}

base::Result<Experiment> from_profiles(std::vector<std::string> parameters,
                                       std::vector<ProfileAt> profiles,
                                       const FromProfilesOptions& options) {
  return from_profiles(
      std::move(parameters), profiles.size(),
      [&](size_t i, const auto& take) { return take(profiles[i]); }, options);
}

}  // namespace pathline::scaling
