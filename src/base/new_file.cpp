// SPDX-License-Identifier: BSD-3-Clause
#include "base/new_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.hpp"

namespace pathline::base {
namespace {

constexpr mode_t kMode = 0666;  // But for what the umask takes away.

std::string link_of(int file) { return fmt::format("/proc/self/fd/{}", file); }

}  // namespace

NewFile::NewFile(const std::filesystem::path& path) : path_(path), part_(part_path(path)) {
  file_ = open();
  if (file_ < 0) {
    failed_ = errno;
  } else {
    writer_.emplace(file_);
  }
}

int NewFile::open() {
  const bool is_device = part_ == path_;
  if (!is_device) {
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
    const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
    if (file >= 0) {
      if (::access(link_of(file).c_str(), F_OK) == 0) return file;
      ::close(file);  // Without /proc it could never be given a name.
    }
  }
  const int file = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  has_part_ = file >= 0 && !is_device;
  return file;
}

NewFile::~NewFile() {
  if (file_ >= 0) ::close(file_);
  if (has_part_) ::unlink(part_.c_str());
}

void NewFile::append(std::span<const uint8_t> bytes) {
  if (writer_) writer_->append(bytes);
}

void NewFile::overwrite(uint64_t offset, std::span<const uint8_t> bytes) {
  if (writer_) writer_->overwrite(offset, bytes);
}

Status NewFile::flush() {
  if (writer_) failed_ = writer_->flush();
  return status();
}

Status NewFile::finish() {
  if (flush().ok()) failed_ = name();
  return status();
}

Status NewFile::status() const {
  if (failed_ == 0) return {};
  return Error{ErrorCode::kIo,
               fmt::format("cannot write {}: {}", path_.string(), system_reason(failed_))};
}

/// returns  0 or an errno.
int NewFile::name() {
  if (part_ == path_) return 0;
  if (!has_part_) {
    const auto link = [&](const std::filesystem::path& to) {
      return ::linkat(AT_FDCWD, link_of(file_).c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW);
    };
    if (link(path_) == 0) return 0;
    if (errno != EEXIST) return errno;
    ::unlink(part_.c_str());
    if (link(part_) != 0) return errno;
    has_part_ = true;
  }
  if (::rename(part_.c_str(), path_.c_str()) != 0) return errno;
  has_part_ = false;
  return 0;
}

}  // namespace pathline::base
