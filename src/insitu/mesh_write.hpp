// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "insitu/figures.hpp"
#include "mesh/case.hpp"
#include "vtk/grid.hpp"
#include "vtk/write.hpp"

namespace pathline::insitu {

/// What stands on the cells of a rank, with one value for each rank: "rank", all of rank_arrays(),
/// and for each of `destinations` and each of Figures::functions "FUNCTION to DESTINATION :
/// counter" and ": bytes". Only of those that are asked for: all would be as many as the square of
/// the ranks.
std::vector<vtk::Array> mesh_arrays(const Figures& figures, const Step& step,
                                    std::span<const uint32_t> destinations);

/// Of a mesh that changes, in the last step.
struct MeshReport {
  uint64_t cells = 0;
  uint64_t least_cells = 0;  ///< Of a rank.
  uint64_t most_cells = 0;
};

/// Puts the figures of steps on the mesh:
///
///   mesh.pvd                        what ParaView opens
///   mesh.py                         the same in colours: a state for ParaView, pictures by
///   pvpython mesh/step_NNNNNN.vtm            a block for each rank mesh/step_NNNNNN/rank_N.vtu the
///   mesh of the rank; the suffix is that of its kind
///
/// What was written stays readable when a later step fails.
class MeshWriter {
 public:
  /// mesh  has a part for each rank of the figures. It and the destinations must outlive this;
  /// parts
  ///       of later steps may be added to it.
  MeshWriter(const mesh::Case& mesh, std::span<const uint32_t> destinations,
             std::filesystem::path folder, base::ThreadPool& pool);

  /// Writes steps behind those before. mesh.py has the limits of all steps of `figures`.
  ///
  /// As many parts of the mesh are held as fit in half a gibibyte, also until the next call where
  /// all of them do; each is read once, or again in a step in which it is another one.
  ///
  /// errors  those of mesh::read_part(); kUnsupported for a part whose arrays would take more than
  ///         2 GiB; kIo.
  base::Status add(const Figures& figures, std::span<const Step> steps, base::Progress& progress);

  [[nodiscard]] MeshReport report() const;

 private:
  struct Held {
    std::filesystem::path part;
    std::optional<mesh::Piece> piece;
  };

  base::Status begin(const Figures& figures);
  [[nodiscard]] size_t next() const;
  [[nodiscard]] bool has_all() const;
  /// Reads parts from `first` on, as many as may be held.
  base::Status read(size_t first, uint32_t step);
  /// Of those that are held, what `step` has other ones of.
  base::Status read_parts(size_t begin, size_t count, uint32_t step);
  /// The step of the parts that are held, and the files over them if these were the last.
  base::Status write(const Figures& figures, const Step& step);
  base::Status write_part(size_t index, const std::string& step,
                          const std::vector<vtk::Array>& arrays);

  const mesh::Case& mesh_;
  const std::span<const uint32_t> destinations_;
  const std::filesystem::path folder_;
  base::ThreadPool& pool_;
  size_t first_ = 0;
  std::vector<Held> held_;
  std::vector<uint64_t> cells_;
  std::vector<std::string> files_;
  std::vector<vtk::TimeStep> steps_;
};

/// The same for all steps of the figures.
base::Result<MeshReport> write_mesh(const mesh::Case& mesh, const Figures& figures,
                                    std::span<const uint32_t> destinations,
                                    const std::filesystem::path& folder, base::ThreadPool& pool,
                                    base::Progress& progress);

}  // namespace pathline::insitu
