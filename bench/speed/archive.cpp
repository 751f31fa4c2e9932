// SPDX-License-Identifier: BSD-3-Clause
#include "bench/speed/archive.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "input/input.hpp"

namespace pathline::bench {

std::filesystem::path program(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

std::filesystem::path shape_archive(const char* shape) {
  const auto folder = program("pathline-synth").parent_path().parent_path() / "bench" / shape;
  const auto anchor = folder / "traces.otf2";
  if (std::filesystem::exists(anchor)) return anchor;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder.parent_path());
  const auto command =
      fmt::format("'{}' {} -o '{}'", program("pathline-synth").string(), shape, folder.string());
  if (std::system(command.c_str()) != 0) {
    fmt::print(stderr, "pathline-bench: there is no archive to read, '{}' failed\n", command);
    std::exit(2);
  }
  return anchor;
}

std::filesystem::path fd4_archive() { return shape_archive("fd4"); }

trace::Trace read_trace(const std::filesystem::path& anchor, unsigned threads) {
  base::ThreadPool pool(threads);
  base::Progress progress;
  auto trace = input::need_trace(input::open(anchor, {}, pool, progress), anchor);
  if (!trace) {
    fmt::print(stderr, "pathline-bench: {}\n", trace.error().message);
    std::exit(2);
  }
  return std::move(trace).value();
}

uint64_t archive_bytes(const std::filesystem::path& anchor) {
  uint64_t bytes = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(anchor.parent_path())) {
    if (file.is_regular_file()) bytes += file.file_size();
  }
  return bytes;
}

}  // namespace pathline::bench
