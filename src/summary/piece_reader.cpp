// SPDX-License-Identifier: BSD-3-Clause
#include "summary/piece_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.hpp"
#include "otf2/anchor.hpp"

namespace pathline::summary {
namespace {
// O_NONBLOCK: a pipe without a writer would wait for one; it has no pieces.
constexpr int kForPieces = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
}  // namespace

base::Status PieceReader::open(const std::filesystem::path& path) {
  close();
  failure_ = 0;
  descriptor_ = ::open(path.c_str(), kForPieces);
  if (descriptor_ >= 0) return {};
  const int reason = errno;
  return base::Error{reason == ENOENT ? base::ErrorCode::kNotFound : base::ErrorCode::kIo,
                     fmt::format("cannot open {}: {}", path.string(), base::system_reason(reason))};
}

EventFolder::EventFolder(const otf2::Archive& archive)
    : archive_(archive),
      descriptor_(::open(otf2::events_path(archive.anchor, 0).parent_path().c_str(),
                         O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

EventFolder::~EventFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

base::Status EventFolder::open(size_t location, PieceReader& reader) const {
  const auto path = [&] {
    return otf2::events_path(archive_.anchor, archive_.trace.locations[location].id);
  };
  if (descriptor_ >= 0) {
    const std::string name = fmt::format("{}.evt", archive_.trace.locations[location].id);
    const int opened = ::openat(descriptor_, name.c_str(), kForPieces);
    if (opened >= 0) {
      reader.use(opened);
      return {};
    }
  }
  auto status = reader.open(path());
  if (status || status.error().code != base::ErrorCode::kNotFound) return status;
  return otf2::event_fault(path(), archive_.event_chunk_bytes, "", 0);
}

std::span<const uint8_t> PieceReader::read(uint64_t offset, size_t count) {
  if (has(offset, count)) return {bytes_.data() + (offset - first_), count};
  if (bytes_.size() < count) bytes_.resize(count);
  size_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(descriptor_, bytes_.data() + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) failure_ = errno;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  first_ = offset;
  count_ = done;
  return {bytes_.data(), done};
}

std::span<const uint8_t> PieceReader::rest(uint64_t offset) const {
  if (!has(offset, 0)) return {};
  return {bytes_.data() + (offset - first_), count_ - (offset - first_)};
}

void PieceReader::begin_with(uint64_t offset, std::span<const uint8_t> bytes) {
  close();
  failure_ = 0;
  if (bytes_.size() < bytes.size()) bytes_.resize(bytes.size());
  std::copy(bytes.begin(), bytes.end(), bytes_.begin());
  first_ = offset;
  count_ = bytes.size();
}

base::Status read_status(const otf2::Archive& archive, size_t location, const PieceReader& reader) {
  if (reader.failure() == 0) return {};
  const auto path = otf2::events_path(archive.anchor, archive.trace.locations[location].id);
  return base::Error{base::ErrorCode::kIo, fmt::format("cannot read {}: {}", path.string(),
                                                       base::system_reason(reader.failure()))};
}

void PieceReader::close() {
  if (descriptor_ >= 0) ::close(release());
}

void PieceReader::use(int descriptor) {
  close();
  failure_ = 0;
  descriptor_ = descriptor;
}

int PieceReader::release() {
  count_ = 0;
  return std::exchange(descriptor_, -1);
}

OpenFiles::OpenFiles(size_t files) : descriptors_(files, -1) {
  constexpr rlim_t kEnough = rlim_t{1} << 20U;
  constexpr size_t kOfOthers = 256;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min({limit.rlim_max, rlim_t{files} + 2 * kOfOthers, kEnough});
  if (wanted > limit.rlim_cur) {
    const rlimit raised{wanted, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  const auto may = static_cast<size_t>(std::min(limit.rlim_cur, kEnough));
  most_ = may - std::min(may / 2, kOfOthers);
}

OpenFiles::~OpenFiles() {
  for (const int descriptor : descriptors_) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

bool OpenFiles::take(size_t file, PieceReader& reader) {
  if (descriptors_[file] < 0) return false;
  reader.use(std::exchange(descriptors_[file], -1));
  --count_;
  return true;
}

void OpenFiles::put_back(size_t file, PieceReader& reader) {
  if (count_++ < most_) {
    descriptors_[file] = reader.release();
  } else {
    --count_;
    reader.close();
  }
}

}  // namespace pathline::summary
