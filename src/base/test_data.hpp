// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace pathline::base {

/// The project's own test data, which every clone has. CTest says where (test/environment.cmake); a
/// test that is started by hand finds them from the source folder.
inline std::filesystem::path own_data(std::string_view name) {
  const char* folder = std::getenv("PATHLINE_OWN_DATA");
  return std::filesystem::path(folder == nullptr ? "test/data" : folder) / name;
}

/// A file or folder of the third-party data, which not every machine has: a path that does not
/// exist if there are none. Tests that need it say kNeedsThirdPartyData and skip.
inline std::filesystem::path third_party_data(std::string_view name) {
  const char* folder = std::getenv("PATHLINE_TEST_DATA");
  return folder == nullptr ? std::filesystem::path() : std::filesystem::path(folder) / name;
}

/// tools/test counts the lines with these words.
inline constexpr std::string_view kNeedsThirdPartyData =
    "needs third-party data (PATHLINE_TEST_DATA)";

}  // namespace pathline::base
