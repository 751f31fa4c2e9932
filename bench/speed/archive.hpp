// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "trace/trace.hpp"

namespace pathline::bench {

/// A shape of pathline-synth ("wrf", "fd4", ...) in its default size. Written below build/bench
/// when it is not there yet; ends the program with a message when that fails.
std::filesystem::path shape_archive(const char* shape);

/// The `fd4` shape: 1,024 ranks, 2.2 million messages, 20 million events.
std::filesystem::path fd4_archive();

/// The whole archive in memory; ends the program with a message when that fails.
trace::Trace read_trace(const std::filesystem::path& anchor, unsigned threads);

/// Bytes of all files of an archive.
uint64_t archive_bytes(const std::filesystem::path& anchor);

/// A program beside this one: "pathline".
std::filesystem::path program(const char* name);

}  // namespace pathline::bench
