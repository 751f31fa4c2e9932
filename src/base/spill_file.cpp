// SPDX-License-Identifier: BSD-3-Clause
#include "base/spill_file.hpp"

#include <cerrno>
#include <stdexcept>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/scratch_file.hpp"

namespace pathline::base {
Result<std::unique_ptr<SpillFile>> SpillFile::make(const std::filesystem::path& folder) {
  const auto file = open_scratch_file(folder);
  if (!file) return file.error();
  return std::unique_ptr<SpillFile>(new SpillFile(folder, file.value()));
}

SpillFile::~SpillFile() { ::close(file_); }

Status SpillFile::flush() {
  const int failed = writer_.flush();
  if (failed == 0) return {};
  return Error{ErrorCode::kIo, fmt::format("cannot write a scratch file in {}: {}",
                                           folder_.string(), system_reason(failed))};
}

void SpillFile::read(uint64_t offset, std::span<uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw std::runtime_error(fmt::format("cannot read a scratch file in {}: {}", folder_.string(),
                                           count < 0 ? system_reason(errno) : "it ends early"));
    }
    offset += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

}  // namespace pathline::base
