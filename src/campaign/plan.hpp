// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "campaign/study.hpp"

namespace pathline::campaign {

/// One run of a step: with these parameters, in this repetition.
struct Package {
  uint32_t step = 0;            ///< Of the study.
  uint32_t point = 0;           ///< The first combination that needs it.
  uint32_t repetition = 0;      ///< 0 for a step that is not repeated.
  std::vector<uint32_t> after;  ///< Packages that must be done before, ascending.
  /// What tells it from all others, whatever else is planned: "run p=4 n=128 #2". The same when
  /// other combinations come to the study, so that those that are done stay done.
  std::string key;
};

/// What a study comes to.
struct Plan {
  std::vector<std::string> names;  ///< Of the parameters, in the order of the file.
  /// Combinations of parameters, the last set varies fastest: values, one per parameter.
  std::vector<std::vector<std::string>> points;
  std::vector<Package> packages;  ///< Each behind those that it comes after.
  std::vector<bool> varies;       ///< Per parameter: whether it has more than one value.
  std::vector<bool> repeated;     ///< Per step.
  /// Per step: indices of the parameters that make a difference, ascending.
  std::vector<std::vector<uint32_t>> used;

  /// The package of a step for a combination; UINT32_MAX for none.
  [[nodiscard]] uint32_t package_of(uint32_t step, uint32_t point, uint32_t repetition) const;
  std::vector<std::vector<uint32_t>> first_package;  ///< Per step and point.
};

/// errors  kInvalidArgument naming file and line: a name in braces that no parameter has,
///         parameters that refer to one another in a circle, arithmetic without a value, steps that
///         come after one another in a circle or after one that does not exist, a step behind one
///         that tells more parameters apart, more than 1,000,000 packages.
/// cost    O(points x (parameters + steps)).
base::Result<Plan> plan(const Study& study);

/// The text with the values of a point for {name}; other braces stay.
/// more  other names and their values; those of parameters come first.
std::string filled_in(std::string_view text, const Plan& plan, uint32_t point,
                      std::span<const std::pair<std::string, std::string>> more = {});

}  // namespace pathline::campaign
