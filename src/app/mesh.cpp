// SPDX-License-Identifier: BSD-3-Clause
#include "app/mesh.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "mesh/case.hpp"

namespace pathline::app {
namespace {

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

}  // namespace

base::Result<MeshFiles> write_mesh(const trace::Trace& trace, const MeshRequest& request,
                                   const std::filesystem::path& folder, base::ThreadPool& pool,
                                   base::Progress& progress) {
  const auto mesh = mesh::find_case(request.parts, request.rank_field);
  if (!mesh) return mesh.error();
  const size_t parts = mesh.value().parts.size();
  if (parts != trace.rank_count) {
    const bool is_foam = mesh.value().kind == mesh::Case::Kind::kOpenFoam;
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("{} has the mesh of {}, but the run has {}", request.parts.front(),
                    is_foam ? base::counted(parts, "processor folder", "processor folders")
                            : base::counted(parts, "part", "parts"),
                    base::counted(trace.rank_count, "rank", "ranks")),
        "The mesh must be cut as it was in this run."};
  }
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
                   .ranks = parts,
                   .has_steps = steps.value().any()};
}

}  // namespace pathline::app
