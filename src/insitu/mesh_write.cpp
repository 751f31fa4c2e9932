// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/mesh_write.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "base/file.hpp"
#include "insitu/mesh_script.hpp"
#include "insitu/scene.hpp"
#include "vtk/write.hpp"

namespace pathline::insitu {
namespace {

namespace fs = std::filesystem;

/// How much of a mesh is held at a time.
constexpr uint64_t kMostHeldBytes = uint64_t{1} << 29;
/// What one file may grow to. The sizes of some files have 32 bits.
constexpr uint64_t kMostFileBytes = uint64_t{1} << 31;

vtk::Array value_of(const vtk::Array& array, size_t rank) {
  return std::visit(
      [&](const auto& values) {
        using Values = std::decay_t<decltype(values)>;
        return vtk::Array{.name = array.name, .values = Values{values[rank]}};
      },
      array.values);
}

base::Status make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!failure) return {};
  return base::Error{base::ErrorCode::kIo,
                     fmt::format("cannot make {}: {}", folder.string(), failure.message())};
}

/// The first that is wrong, so that it does not depend on threads.
base::Status first_error(const std::vector<base::Status>& all) {
  for (const base::Status& status : all) {
    if (!status) return status;
  }
  return {};
}

class MeshWriter {
 public:
  MeshWriter(const mesh::Case& mesh, const Figures& figures, std::span<const uint32_t> destinations,
             const fs::path& folder, base::ThreadPool& pool)
      : mesh_(mesh),
        figures_(figures),
        destinations_(destinations),
        folder_(folder),
        pool_(pool),
        files_(mesh.parts.size()) {}

  /// Reads parts from `first` on, as many as may be held.
  base::Status read(size_t first) {
    first_ = first;
    held_.clear();
    uint64_t bytes = 0;
    while (first + held_.size() < mesh_.parts.size() && (held_.empty() || bytes < kMostHeldBytes)) {
      const size_t begin = held_.size();
      const size_t count =
          std::min<size_t>(pool_.thread_count(), mesh_.parts.size() - first - begin);
      std::vector<base::Status> statuses(count);
      std::vector<std::optional<mesh::Piece>> pieces(count);
      pool_.for_each(count, [&](size_t i) {
        auto piece = mesh::read_part(mesh_, first + begin + i);
        if (piece) {
          pieces[i].emplace(std::move(piece).value());
        } else {
          statuses[i] = piece.error();
        }
      });
      if (auto status = first_error(statuses); !status) return status;
      for (auto& piece : pieces) {
        bytes += piece->text().size();
        note_cells(piece->cell_count());
        held_.push_back(std::move(*piece));
      }
    }
    return {};
  }

  /// Writes the step of the parts that are held, and the files over them if these were the last.
  base::Status write(const Step& step) {
    const std::string name = fmt::format("step_{:06}", step.number);
    if (auto status = make_folder(folder_ / "mesh" / name); !status) return status;
    const auto arrays = mesh_arrays(figures_, step, destinations_);
    std::vector<base::Status> statuses(held_.size());
    pool_.for_each(held_.size(), [&](size_t i) { statuses[i] = write_part(i, name, arrays); });
    if (auto status = first_error(statuses); !status) return status;
    if (!has_all()) return {};
    std::vector<vtk::Block> blocks;
    for (size_t rank = 0; rank < files_.size(); ++rank) {
      blocks.push_back({fmt::format("rank_{}", rank), fmt::format("{}/{}", name, files_[rank])});
    }
    const std::string file = fmt::format("mesh/{}.vtm", name);
    if (auto status = vtk::write_blocks(blocks, folder_ / file); !status) return status;
    steps_.push_back({vtk::time_behind(steps_, step.time_s), file});
    return vtk::write_collection(steps_, folder_ / "mesh.pvd");
  }

  [[nodiscard]] size_t next() const { return first_ + held_.size(); }
  [[nodiscard]] bool has_all() const { return next() == mesh_.parts.size(); }
  [[nodiscard]] const MeshReport& report() const { return report_; }

 private:
  void note_cells(uint64_t cells) {
    const bool is_first = first_ + held_.size() == 0;
    report_.cells += cells;
    report_.least_cells = is_first ? cells : std::min(report_.least_cells, cells);
    report_.most_cells = std::max(report_.most_cells, cells);
  }

  base::Status write_part(size_t index, const std::string& step,
                          const std::vector<vtk::Array>& arrays) {
    const mesh::Piece& piece = held_[index];
    const size_t rank = first_ + index;
    if (piece.bytes_with(arrays.size()) > kMostFileBytes) {
      return base::Error{base::ErrorCode::kUnsupported,
                         fmt::format("{} arrays on {} cells of {} would take more than 2 GiB",
                                     arrays.size(), piece.cell_count(), mesh_.parts[rank].string()),
                         "Write the mesh with compression: then they take next to nothing."};
    }
    std::vector<vtk::Array> constants;
    constants.reserve(arrays.size());
    for (const vtk::Array& array : arrays) constants.push_back(value_of(array, rank));
    files_[rank] = fmt::format("rank_{}{}", rank, piece.suffix());
    return base::write_file(folder_ / "mesh" / step / files_[rank], piece.with_arrays(constants));
  }

  const mesh::Case& mesh_;
  const Figures& figures_;
  std::span<const uint32_t> destinations_;
  const fs::path& folder_;
  base::ThreadPool& pool_;
  size_t first_ = 0;
  std::vector<mesh::Piece> held_;
  std::vector<std::string> files_;
  std::vector<vtk::TimeStep> steps_;
  MeshReport report_;
};

}  // namespace

std::vector<vtk::Array> mesh_arrays(const Figures& figures, const Step& step,
                                    std::span<const uint32_t> destinations) {
  const size_t ranks = step.ranks.size();
  std::vector<int32_t> numbers(ranks);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<vtk::Array> arrays = {{.name = "rank", .values = std::move(numbers)}};
  for (vtk::Array& array : rank_arrays(figures, step)) arrays.push_back(std::move(array));
  // Columns of all functions for each destination, one rank after the other in each.
  std::map<uint32_t, size_t> index_of;
  for (const uint32_t rank : destinations) index_of.try_emplace(rank, index_of.size());
  const size_t functions = figures.functions.size();
  std::vector<uint32_t> calls(index_of.size() * functions * ranks);
  std::vector<uint64_t> bytes(calls.size());
  for (const PairFigures& pair : step.pairs) {
    const auto found = index_of.find(pair.destination);
    if (found == index_of.end()) continue;
    const size_t at = (found->second * functions + pair.function) * ranks + pair.source;
    calls[at] += pair.calls;
    bytes[at] += pair.bytes;
  }
  for (const auto& [destination, index] : index_of) {
    for (size_t f = 0; f < functions; ++f) {
      const auto begin = static_cast<ptrdiff_t>((index * functions + f) * ranks);
      const auto end = begin + static_cast<ptrdiff_t>(ranks);
      const std::string name = fmt::format("{} to {}", figures.functions[f], destination);
      arrays.push_back(
          {.name = name + " : counter",
           .values = std::vector<uint32_t>(calls.begin() + begin, calls.begin() + end)});
      arrays.push_back(
          {.name = name + " : bytes",
           .values = std::vector<uint64_t>(bytes.begin() + begin, bytes.begin() + end)});
    }
  }
  return arrays;
}

base::Result<MeshReport> write_mesh(const mesh::Case& mesh, const Figures& figures,
                                    std::span<const uint32_t> destinations, const fs::path& folder,
                                    base::ThreadPool& pool, base::Progress& progress) {
  MeshWriter writer(mesh, figures, destinations, folder, pool);
  progress.begin("writing", "parts", mesh.parts.size() * figures.steps.size());
  for (size_t first = 0; first < mesh.parts.size(); first = writer.next()) {
    if (auto status = writer.read(first); !status) return status.error();
    // Not before: of a mesh that cannot be read nothing remains.
    if (first == 0) {
      if (auto status = make_folder(folder / "mesh"); !status) return status.error();
      if (auto status = base::write_file(folder / "mesh.py", mesh_script(figures, destinations));
          !status) {
        return status.error();
      }
    }
    for (const Step& step : figures.steps) {
      if (auto status = writer.write(step); !status) return status.error();
      progress.done += writer.next() - first;
    }
  }
  return writer.report();
}

}  // namespace pathline::insitu
