// SPDX-License-Identifier: BSD-3-Clause
#include "bench/speed/archive.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace pathline::bench {

std::filesystem::path program(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

std::filesystem::path fd4_archive() {
  const auto folder = program("pathline-synth").parent_path().parent_path() / "bench" / "fd4";
  const auto anchor = folder / "traces.otf2";
  if (std::filesystem::exists(anchor)) return anchor;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder.parent_path());
  const auto command =
      fmt::format("'{}' fd4 -o '{}'", program("pathline-synth").string(), folder.string());
  if (std::system(command.c_str()) != 0) {
    fmt::print(stderr, "pathline-bench: there is no archive to read, '{}' failed\n", command);
    std::exit(2);
  }
  return anchor;
}

uint64_t archive_bytes(const std::filesystem::path& anchor) {
  uint64_t bytes = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(anchor.parent_path())) {
    if (file.is_regular_file()) bytes += file.file_size();
  }
  return bytes;
}

}  // namespace pathline::bench
