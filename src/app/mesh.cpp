// SPDX-License-Identifier: BSD-3-Clause
#include "app/mesh.hpp"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "app/follow.hpp"
#include "app/run_directory.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "mesh/case.hpp"
#include "mesh/run_grids.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

base::Result<std::vector<uint32_t>> ranks_in(const std::vector<std::string>& lists,
                                             uint32_t rank_count) {
  std::vector<uint32_t> ranks;
  for (const std::string& list : lists) {
    std::string_view wrong;
    const auto ranges = base::ranges_in(list, &wrong);
    if (!ranges) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("'{}' in --to is no rank, expected a list as in 0,3,8-15",
                                     base::printable(wrong))};
    }
    for (const auto [first, last] : *ranges) {
      if (last >= rank_count) {
        return base::Error{base::ErrorCode::kInvalidArgument,
                           fmt::format("--to names rank {}, but the run has the ranks 0 to {}",
                                       last, rank_count - 1)};
      }
      for (uint64_t rank = first; rank <= last; ++rank) {
        ranks.push_back(static_cast<uint32_t>(rank));
      }
    }
  }
  return ranks;
}

/// The mesh that is named, or else the run's own.
base::Result<mesh::Case> mesh_of(const fs::path& run, const MeshRequest& request,
                                 size_t rank_count) {
  if (request.parts.empty() && request.rank_field.empty()) {
    return mesh::find_run_grids(run / mesh::kRunGrids, rank_count);
  }
  if (request.parts.empty()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        "--rank-field is for the .case of an EnSight result, but there is no --case"};
  }
  auto mesh = mesh::find_case(request.parts, request.rank_field);
  if (!mesh) return mesh.error();
  const size_t parts = mesh.value().parts.size();
  if (parts == rank_count) return mesh;
  const bool is_foam = mesh.value().kind == mesh::Case::Kind::kOpenFoam;
  return base::Error{
      base::ErrorCode::kInvalidArgument,
      fmt::format("{} has the mesh of {}, but the run has {}", request.parts.front(),
                  is_foam ? base::counted(parts, "processor folder", "processor folders")
                          : base::counted(parts, "part", "parts"),
                  base::counted(rank_count, "rank", "ranks")),
      "The mesh must be cut as it was in this run."};
}

/// Ranks without a mesh in the first or the last step.
std::vector<std::string> remarks_on(const mesh::Case& mesh, const insitu::Figures& figures) {
  std::vector<std::string> remarks;
  if (mesh.kind != mesh::Case::Kind::kRun || figures.steps.empty()) return remarks;
  std::vector<size_t> never;
  std::vector<size_t> late;
  for (size_t rank = 0; rank < mesh.parts.size(); ++rank) {
    if (mesh.part_at(rank, figures.steps.back().number).empty()) {
      never.push_back(rank);
    } else if (mesh.part_at(rank, figures.steps.front().number).empty()) {
      late.push_back(rank);
    }
  }
  const auto add = [&](const std::vector<size_t>& ranks, const char* when) {
    if (ranks.empty()) return;
    remarks.push_back(fmt::format("{} handed over no mesh{} (rank {}{}): {} block{} without cells",
                                  base::counted(ranks.size(), "rank", "ranks"), when, ranks.front(),
                                  ranks.size() > 1 ? " and others" : "",
                                  ranks.size() > 1 ? "their" : "its",
                                  ranks.size() > 1 ? "s are" : " is"));
  };
  add(never, "");
  add(late, " before a later step");
  return remarks;
}

/// The steps of a run that goes on, on its mesh.
class MeshFollower : public StepWriter {
 public:
  MeshFollower(const fs::path& run, const MeshRequest& request, const fs::path& folder,
               base::ThreadPool& pool, base::Progress& progress)
      : run_(run), request_(request), folder_(folder), pool_(pool), progress_(progress) {}

  base::Result<bool> prepare(const raw::Run& raw) override {
    if (writer_ && mesh_.kind != mesh::Case::Kind::kRun) return true;
    auto found = mesh_of(run_, request_, raw.trace.rank_count);
    if (!found && request_.parts.empty() && found.error().code == base::ErrorCode::kNotFound) {
      return false;
    }
    if (!found) return found.error();
    mesh_ = std::move(found).value();
    if (writer_) return true;
    auto destinations = ranks_in(request_.to_ranks, raw.trace.rank_count);
    if (!destinations) return destinations.error();
    destinations_ = std::move(destinations).value();
    writer_.emplace(mesh_, destinations_, folder_, pool_);
    return true;
  }

  base::Status add(const insitu::Figures& figures, const insitu::Step& step) override {
    return writer_->add(figures, {&step, 1}, progress_);
  }

 private:
  const fs::path run_;
  const MeshRequest& request_;
  const fs::path folder_;
  base::ThreadPool& pool_;
  base::Progress& progress_;
  mesh::Case mesh_;
  std::vector<uint32_t> destinations_;
  std::optional<insitu::MeshWriter> writer_;
};

}  // namespace

base::Result<MeshFiles> write_mesh(const fs::path& input, const trace::Trace& trace,
                                   const MeshRequest& request, const fs::path& folder,
                                   base::ThreadPool& pool, base::Progress& progress) {
  const auto mesh = mesh_of(run_folder(input), request, trace.rank_count);
  if (!mesh) return mesh.error();
  const auto destinations = ranks_in(request.to_ranks, trace.rank_count);
  if (!destinations) return destinations.error();
  const auto steps = find_steps(trace, request.steps, pool);
  if (!steps) return steps.error();
  const auto figures = insitu::figures_of(trace, steps.value().windows, request.figures, pool);
  if (!figures) return figures.error();
  const auto report = insitu::write_mesh(mesh.value(), figures.value(), destinations.value(),
                                         folder, pool, progress);
  if (!report) return report.error();
  return MeshFiles{.mesh = report.value(),
                   .steps = figures.value().steps.size(),
                   .ranks = mesh.value().parts.size(),
                   .has_steps = steps.value().any(),
                   .remarks = remarks_on(mesh.value(), figures.value())};
}

base::Status follow_mesh(const fs::path& run, const MeshRequest& request, const fs::path& folder,
                         base::ThreadPool& pool, base::Progress& progress) {
  MeshFollower writer(run, request, folder, pool, progress);
  return follow_run(run, {.figures = request.figures, .steps = request.steps}, writer, pool,
                    progress);
}

}  // namespace pathline::app
