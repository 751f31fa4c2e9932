// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "mesh/piece.hpp"

namespace pathline::mesh {

/// The decomposed mesh of a simulation: where the part of each rank lies.
struct Case {
  enum class Kind : uint8_t { kOpenFoam, kVtk, kEnsight, kRun };

  Kind kind = Kind::kVtk;
  /// processorN folders, or files, rank by rank; of EnSight the same file for all.
  std::vector<std::filesystem::path> parts;
  std::vector<vtk::Grid> grids = {};  ///< Of EnSight, which has them all in one file.
  /// Of a run's own meshes, which may change and where `parts` are empty: the file of each rank by
  /// the step from which on it counts.
  std::vector<std::map<uint32_t, std::filesystem::path>> versions = {};

  /// The part of a rank in a time step; "" while it has none.
  [[nodiscard]] std::filesystem::path part_at(size_t rank, uint32_t step) const;
};

/// What `names` name:
///
/// - a folder with processor0, processor1 ...: a decomposed case of OpenFOAM, rank N in processorN;
/// - the index of a parallel VTK file, .pvtu, .pvtp, .pvts, .pvtr, .pvti or .vtm: its pieces in
///   their order;
/// - a folder with one such index, or with a VTK file for each rank, whose number stands in its
/// name;
/// - several files, rank by rank;
/// - the .case of an EnSight Gold result that has the ranks of its cells as a field, `rank_field`.
///
/// errors  kNotFound for what does not exist; kInvalidArgument, naming the folder and the first
///         files, when it does not tell which file is whose, and for a
///         `rank_field` that nothing else has; those of read_ensight_grids(); kCorrupt and
///         kUnsupported for an index.
base::Result<Case> find_case(const std::vector<std::string>& names,
                             const std::string& rank_field = {});

/// What Code_Saturne calls the field of ranks.
inline constexpr const char* kRankField = "mpi_rank_id";

/// The part of a rank in a time step, which is the same in all steps that have the same part_at();
/// without cells where that is "".
/// errors  those of read_foam_grid(), Piece::read() and read_run_grid().
base::Result<Piece> read_part(const Case& of, size_t rank, uint32_t step = 0);

/// The ranks of files of a folder by the one number in their names that runs from 0 upwards; the
/// rest must be the same. returns  the names rank by rank. errors  kInvalidArgument, without the
/// folder.
base::Result<std::vector<std::string>> by_rank(std::vector<std::string> names);

/// The files that the text of an index names, in its order. errors  kCorrupt, kUnsupported.
base::Result<std::vector<std::string>> files_in_index(std::string_view text,
                                                      const std::string& name);

}  // namespace pathline::mesh
