// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "vtk/grid.hpp"

// The XML files of VTK, as ParaView and VisIt open them: data in little-endian order, appended
// behind the XML and compressed by zlib in blocks. All are written under another name first and
// renamed, so that whoever looks while a program still runs sees whole files.
//
// errors of all: kIo naming the file and the system's reason.

namespace pathline::vtk {

/// `path` (.vtu). The arrays must be as long as what they belong to.
/// cost  O(size); of a repeated array one block.
base::Status write_grid(const Grid& grid, const std::filesystem::path& path);

/// The same as text, for tests and for who puts it elsewhere.
std::string grid_text(const Grid& grid);

/// A part of a .vtm: a file, relative to it, or further parts.
struct Block {
  std::string name;
  std::string file;
  std::vector<Block> blocks = {};
};
/// `path` (.vtm).
base::Status write_blocks(std::span<const Block> blocks, const std::filesystem::path& path);

struct TimeStep {
  double time = 0;
  std::string file;  ///< Relative to the collection.
};
/// When the step behind `steps` is shown: at `time`, or just behind the last where that stood still
/// or went back, as times of simulations may and those of viewers may not.
double time_behind(std::span<const TimeStep> steps, double time);

/// `path` (.pvd): one file for each time, what ParaView opens as a whole.
base::Status write_collection(std::span<const TimeStep> steps, const std::filesystem::path& path);

}  // namespace pathline::vtk
