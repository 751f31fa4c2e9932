// SPDX-License-Identifier: BSD-3-Clause
#include "app/picture.hpp"

#include <fmt/format.h>

#include "base/file.hpp"

namespace pathline::app {

base::Result<FigureKind> parse_figure_kind(std::string_view name) {
  if (name == "timeline") return FigureKind::kTimeline;
  if (name == "matrix") return FigureKind::kMatrix;
  if (name == "profile") return FigureKind::kProfile;
  return base::Error{
      base::ErrorCode::kInvalidArgument,
      fmt::format("there is no figure '{}'; there are timeline, matrix, profile", name)};
}

base::Result<layout::Scene> make_scene(FigureKind kind, const trace::Trace& trace,
                                       const trace::Selection& selection,
                                       const figure::Options& options, std::optional<uint32_t> step,
                                       base::ThreadPool& pool) {
  switch (kind) {
    case FigureKind::kTimeline: return figure::timeline(trace, selection, options, pool);
    case FigureKind::kMatrix:
      return figure::matrix(trace, selection, comm::matrix(trace, selection, step, pool), options);
    case FigureKind::kProfile:
      return figure::profile(trace, selection, profile::from_trace(trace, selection, pool),
                             options);
  }
  return base::Error{base::ErrorCode::kInvalidArgument, "unknown figure"};
}

base::Status write_picture(const layout::Scene& scene, const std::string& path,
                           base::ThreadPool& pool, render::DrawStats* stats) {
  if (path.ends_with(".svg")) {
    const auto svg = render::draw_svg(scene, pool, stats);
    return svg ? base::write_file(path, svg.value()) : base::Status(svg.error());
  }
  if (path.ends_with(".png")) {
    const auto image = render::draw(scene, pool, stats);
    if (!image) return image.error();
    return render::write_png(
        image.value(), path,
        {{"Title", scene.title}, {"Description", scene.description}, {"Software", "Pathline"}});
  }
  return base::Error{base::ErrorCode::kInvalidArgument,
                     fmt::format("cannot write {}: a picture's name ends with .png or .svg", path)};
}

}  // namespace pathline::app
