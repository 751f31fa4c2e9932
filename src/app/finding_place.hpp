// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "findings/finding.hpp"
#include "findings/model.hpp"

namespace pathline::app {

/// Where in a call path its time is spent: a call path that calls MPI itself, as that of a program
/// without regions, does not say so.
struct FindingPlace {
  /// Of the time in the call path, 0 to 1; of some ranks, of what they have there beyond the mean
  /// of all.
  double share = 0;
  std::string before;   ///< "MPI_Irecv in halo (plant.h:30)", the call behind it.
  std::string between;  ///< "MPI_Waitall in halo (plant.h:33) and MPI_Irecv in halo (plant.h:30)"
};

/// The neighbouring calls of MPI between which those who cause a finding spend most of its call
/// path's time. Nothing for a call path that calls no MPI, or is one, and where it is less than a
/// quarter.
///
/// cost  O(pieces).
std::optional<FindingPlace> finding_place(const findings::Model& model,
                                          const findings::Finding& finding);

}  // namespace pathline::app
