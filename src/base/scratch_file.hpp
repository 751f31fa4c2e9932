// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace pathline::base {

/// A file in that folder, open for reading and writing, that has no name and is gone when it is
/// closed.
///
/// errors  kNotFound, kIo.
Result<int> open_scratch_file(const std::filesystem::path& folder);

}  // namespace pathline::base
