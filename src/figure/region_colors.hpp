// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "layout/theme.hpp"
#include "trace/definitions.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::figure {

/// Which of MPI's shades a function has, by its name: MPI_Wait and all that only waits or asks
/// kWait, MPI_Isend kStart ...
layout::RegionShades::Mpi mpi_shade(std::string_view name);

/// The colour of every region of a run, the same in all its figures and in every part of it.
///
/// A function of MPI has the shade of what it does, a function of the program and of file I/O one
/// of its family that follows from its name, so that another run of the program looks alike. Where
/// two would have the same, the regions with most time in the run choose first, in the order of
/// their names; the other takes the next free shade of the family, in MPI a lighter one of what it
/// does. When all shades of a family are taken they come again lighter, darker and so on.
class RegionColors {
 public:
  /// run_ticks  exclusive time of each region in the whole run.
  RegionColors(const trace::Definitions& definitions, std::vector<uint64_t> run_ticks,
               const layout::Theme& theme);

  [[nodiscard]] layout::Color of(uint32_t region) const { return colors_[region]; }
  [[nodiscard]] trace::CallClass family_of(uint32_t region) const { return families_[region]; }

 private:
  std::vector<layout::Color> colors_;
  std::vector<trace::CallClass> families_;
};

}  // namespace pathline::figure
