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

MeshWriter::MeshWriter(const mesh::Case& mesh, std::span<const uint32_t> destinations,
                       fs::path folder, base::ThreadPool& pool)
    : mesh_(mesh),
      destinations_(destinations),
      folder_(std::move(folder)),
      pool_(pool),
      cells_(mesh.parts.size()),
      files_(mesh.parts.size()) {}

base::Status MeshWriter::add(const Figures& figures, std::span<const Step> steps,
                             base::Progress& progress) {
  if (steps.empty()) return {};
  bool has_script = false;
  for (size_t first = 0; first < mesh_.parts.size(); first = next()) {
    if (first != 0 || !has_all()) {
      if (auto status = read(first, steps.front().number); !status) return status;
    }
    // Not before: of a mesh that cannot be read nothing remains.
    if (!has_script) {
      if (auto status = begin(figures); !status) return status;
      has_script = true;
    }
    for (const Step& step : steps) {
      if (auto status = write(figures, step); !status) return status;
      progress.done += next() - first;
    }
  }
  return {};
}

MeshReport MeshWriter::report() const {
  MeshReport report;
  if (cells_.empty()) return report;
  report.cells = std::accumulate(cells_.begin(), cells_.end(), uint64_t{0});
  const auto [least, most] = std::minmax_element(cells_.begin(), cells_.end());
  report.least_cells = *least;
  report.most_cells = *most;
  return report;
}

base::Status MeshWriter::begin(const Figures& figures) {
  if (auto status = make_folder(folder_ / "mesh"); !status) return status;
  return base::write_file(folder_ / "mesh.py", mesh_script(figures, destinations_));
}

size_t MeshWriter::next() const { return first_ + held_.size(); }

bool MeshWriter::has_all() const { return first_ == 0 && held_.size() == mesh_.parts.size(); }

base::Status MeshWriter::read_parts(size_t begin, size_t count, uint32_t step) {
  std::vector<base::Status> statuses(count);
  pool_.for_each(count, [&](size_t i) {
    Held& held = held_[begin + i];
    const size_t rank = first_ + begin + i;
    fs::path part = mesh_.part_at(rank, step);
    if (held.piece && held.part == part) return;
    auto piece = mesh::read_part(mesh_, rank, step);
    if (!piece) {
      statuses[i] = piece.error();
      return;
    }
    held.part = std::move(part);
    held.piece.emplace(std::move(piece).value());
    cells_[rank] = held.piece->cell_count();
  });
  return first_error(statuses);
}

base::Status MeshWriter::read(size_t first, uint32_t step) {
  first_ = first;
  held_.clear();
  uint64_t bytes = 0;
  while (next() < mesh_.parts.size() && (held_.empty() || bytes < kMostHeldBytes)) {
    const size_t begin = held_.size();
    const size_t count = std::min<size_t>(pool_.thread_count(), mesh_.parts.size() - next());
    held_.resize(begin + count);
    if (auto status = read_parts(begin, count, step); !status) return status;
    for (size_t i = begin; i < held_.size(); ++i) bytes += held_[i].piece->text().size();
  }
  return {};
}

base::Status MeshWriter::write(const Figures& figures, const Step& step) {
  if (auto status = read_parts(0, held_.size(), step.number); !status) return status;
  const std::string name = fmt::format("step_{:06}", step.number);
  if (auto status = make_folder(folder_ / "mesh" / name); !status) return status;
  const auto arrays = mesh_arrays(figures, step, destinations_);
  std::vector<base::Status> statuses(held_.size());
  pool_.for_each(held_.size(), [&](size_t i) { statuses[i] = write_part(i, name, arrays); });
  if (auto status = first_error(statuses); !status) return status;
  if (next() != mesh_.parts.size()) return {};
  std::vector<vtk::Block> blocks;
  for (size_t rank = 0; rank < files_.size(); ++rank) {
    blocks.push_back({fmt::format("rank_{}", rank), fmt::format("{}/{}", name, files_[rank])});
  }
  const std::string file = fmt::format("mesh/{}.vtm", name);
  if (auto status = vtk::write_blocks(blocks, folder_ / file); !status) return status;
  steps_.push_back({vtk::time_behind(steps_, step.time_s), file});
  return vtk::write_collection(steps_, folder_ / "mesh.pvd");
}

base::Status MeshWriter::write_part(size_t index, const std::string& step,
                                    const std::vector<vtk::Array>& arrays) {
  const mesh::Piece& piece = *held_[index].piece;
  const size_t rank = first_ + index;
  if (piece.bytes_with(arrays.size()) > kMostFileBytes) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("{} arrays on {} cells of {} would take more than 2 GiB",
                                   arrays.size(), piece.cell_count(), held_[index].part.string()),
                       "Write the mesh with compression: then they take next to nothing."};
  }
  std::vector<vtk::Array> constants;
  constants.reserve(arrays.size());
  for (const vtk::Array& array : arrays) constants.push_back(value_of(array, rank));
  files_[rank] = fmt::format("rank_{}{}", rank, piece.suffix());
  return base::write_file(folder_ / "mesh" / step / files_[rank], piece.with_arrays(constants));
}

base::Result<MeshReport> write_mesh(const mesh::Case& mesh, const Figures& figures,
                                    std::span<const uint32_t> destinations, const fs::path& folder,
                                    base::ThreadPool& pool, base::Progress& progress) {
  MeshWriter writer(mesh, destinations, folder, pool);
  progress.begin("writing", "parts", mesh.parts.size() * figures.steps.size());
  if (auto status = writer.add(figures, figures.steps, progress); !status) return status.error();
  return writer.report();
}

}  // namespace pathline::insitu
