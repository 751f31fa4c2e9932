// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace pathline::app {

/// The scripts of ParaView Catalyst that the setting "catalyst" names, as the recorder takes them:
/// paths with colons between them, "default" and "default-legacy" being those that are installed
/// beside the recorder.
///
/// recorder  libpathline.so
/// errors    kUnsupported if there is no library for Catalyst beside it
base::Result<std::string> catalyst_scripts(const std::string& setting,
                                           const std::filesystem::path& recorder);

}  // namespace pathline::app
