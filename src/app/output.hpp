// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace pathline::app {

/// Whether a file can be written there: to be known before the work is done. What there is of that
/// name is replaced, unless it is what is read or looks like a part of a recorded run: neither is
/// ever what somebody wants.
///
/// input   what is read; "" for nothing.
/// output  a file; "-" is none.
/// errors  kInvalidArgument for a file of a run, kIo with the system's reason.
base::Status check_output(const std::filesystem::path& input, const std::filesystem::path& output);

/// The same for a file or a folder, which will be made with all above it.
base::Status check_not_read(const std::filesystem::path& input,
                            const std::filesystem::path& output);

}  // namespace pathline::app
