// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace pathline::bench {

/// The `fd4` shape in its default size: 1,024 ranks, 2.2 million messages, 20 million events.
/// Written by pathline-synth below build/bench when it is not there yet; ends the program with a
/// message when that fails.
std::filesystem::path fd4_archive();

/// Bytes of all files of an archive.
uint64_t archive_bytes(const std::filesystem::path& anchor);

/// A program beside this one: "pathline".
std::filesystem::path program(const char* name);

}  // namespace pathline::bench
