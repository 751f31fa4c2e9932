// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "profile/metric_table.hpp"
#include "scaling/experiment.hpp"

namespace pathline::scaling {

/// What one run of a series was: "mm.x20,5.y20,5.z1,5.r2".
struct RunName {
  std::vector<std::pair<std::string, double>> parameters;  ///< In the order of the name.
  std::optional<uint32_t> repetition;
};

/// Reads the name of a folder: `[prefix.]name value [sep name value]... [.rN]`, sep being nothing,
/// `.` or `,`, and `.` or `,` also being the decimal point of a value. `.r` and digits at the very
/// end are the repetition, unless they are all there is. Behind all that may stand `-N`, as record
/// names a run whose directory exists: another repetition.
/// errors  kInvalidArgument for what has no parameter and value.
base::Result<RunName> parse_run_name(std::string_view name);

/// A profile and the values of the parameters it was measured at.
struct ProfileAt {
  std::vector<double> coordinates;
  profile::MetricTable table;
  std::string name;  ///< What errors call it.
};

/// What becomes of the locations of one profile.
enum class LocationRule : uint8_t {
  kWeak,          ///< Aggregate over locations.
  kWeakThreaded,  ///< The same without locations whose value is 0, unless all are.
  kStrong,        ///< Sum over locations.
};

struct FromProfilesOptions {
  Aggregate aggregate = Aggregate::kMean;  ///< Of locations; of repetitions later.
  LocationRule locations = LocationRule::kWeak;
};

/// An experiment from profiles of runs of one program. Profiles with the same coordinates are
/// repetitions. Call trees differ between runs (recursion deepens with the number of processes):
/// kept are the call paths that exist at every point, in one repetition at least, and what others
/// cost is added, repetition by repetition and location by location, to their nearest kept
/// ancestor, so that the sum over kept call paths is the sum over all (Vogel et al., Euro-Par
/// 2015, describe the common tree). Siblings of the same name are added up. Metrics that combine
/// by minimum or maximum are combined so. Every profile gives one sample: the spread over locations
/// is imbalance, not noise.
///
/// A kept call path that a repetition lacks counts 0 there (no sample, where the metric is a
/// minimum or maximum), and so does one of a metric that has no data in a profile. A metric that a
/// profile does not list was not measured in it, and gives no sample. Metrics without data in any
/// profile are left out with a warning. What belongs to roots that are not common to all points is
/// the call path "<not in all runs>", with a warning.
///
/// errors  kInvalidArgument when profiles have no call path in common, differ in the unit or the
///         rule of a metric, or have no location; kCorrupt for values that are not finite;
///         kUnsupported when the names of the call paths take too much memory.
/// cost    O(sum of metrics x call paths x locations).
base::Result<Experiment> from_profiles(std::vector<std::string> parameters,
                                       std::vector<ProfileAt> profiles,
                                       const FromProfilesOptions& options);

/// Hands profile i to `take` and returns what that returns, or an error of reading.
using VisitProfile = std::function<base::Status(
    size_t i, const std::function<base::Status(const ProfileAt&)>& take)>;

/// The same of more profiles than memory holds: each is visited twice, one after the other, and
/// must be the same both times. Memory is that of one profile, the common tree and the samples.
base::Result<Experiment> from_profiles(std::vector<std::string> parameters, size_t count,
                                       const VisitProfile& visit,
                                       const FromProfilesOptions& options);

}  // namespace pathline::scaling
