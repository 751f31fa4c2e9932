// SPDX-License-Identifier: BSD-3-Clause
#include "app/whole_run.hpp"

#include <fmt/format.h>

#include "input/input.hpp"

namespace pathline::app {

base::Error no_window(const std::filesystem::path& path, std::string_view kind) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("{} is a {} of a whole run: --from and --until belong to a trace",
                      path.string(), kind)};
}

base::Error needs_events(const std::filesystem::path& path, const summary::RunSummary& summary,
                         std::string_view what) {
  return {
      base::ErrorCode::kInvalidArgument,
      fmt::format("{} is a summary of a whole run: {} belongs to a trace", path.string(), what),
      fmt::format("The events of this run are in {}.", input::events_of(summary, path).string())};
}

}  // namespace pathline::app
