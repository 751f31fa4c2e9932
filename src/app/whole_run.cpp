// SPDX-License-Identifier: BSD-3-Clause
#include "app/whole_run.hpp"

#include <fmt/format.h>

namespace pathline::app {

base::Error no_window(const std::filesystem::path& path) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("{} is a profile of a whole run: --from and --until belong to a trace",
                      path.string())};
}

}  // namespace pathline::app
