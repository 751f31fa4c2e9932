// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace pathline::app {

/// What a profile, which knows the whole run only, says to a question about a part of its time.
base::Error no_window(const std::filesystem::path& path);

}  // namespace pathline::app
