// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "predict/application.hpp"

namespace pathline::app {

/// Reads what a program does in a time step, in TOML:
///
///   name = "heat3d"
///   fields = 2                          # arrays of 8 bytes a cell
///   halo = 1                            # cells around a local grid
///   periodic = [false, false, false]    # for each axis
///
///   [[phases]]
///   at_once = true                      # MPI_Isend, MPI_Irecv, MPI_Waitall; else one after
///   another shifts = [{ axis = "x", to = "up", layout = "strided", values_per_cell = 1, extra =
///   [0, 0, 0] }]
///
///   [[phases]]
///   kernels = [{ name = "update", seconds_per_cell = 1.2e-9 }]   # without: as it was measured
///
/// errors  kNotFound, kIo; kInvalidArgument naming file, line, what is there and what is expected
base::Result<predict::Application> read_application(const std::filesystem::path& path);

/// The text of such a file. read_application() makes the same of it again.
std::string application_text(const predict::Application& application);

}  // namespace pathline::app
