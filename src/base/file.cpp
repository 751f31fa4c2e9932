// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace pathline::base {

std::string system_reason(int error_number) {
  return std::generic_category().message(error_number);
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: a pipe without a writer would wait for one, and is turned down below anyway.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int reason = errno;
    return Error{reason == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                 fmt::format("cannot open {}: {}", path.string(), system_reason(reason))};
  }
  struct stat status {};
  MappedFile file;
  const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && status.st_size > 0) {
    file.size_ = static_cast<size_t>(status.st_size);
    void* data = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) {
      const int reason = errno;
      file.size_ = 0;
      ::close(descriptor);
      return Error{ErrorCode::kIo,
                   fmt::format("cannot map {}: {}", path.string(), system_reason(reason))};
    }
    file.data_ = static_cast<const uint8_t*>(data);
  }
  ::close(descriptor);
  if (!regular) {
    return Error{ErrorCode::kIo, fmt::format("cannot read {}: not a regular file", path.string())};
  }
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<uint8_t*>(data_), size_);
}

std::filesystem::path part_path(const std::filesystem::path& path) {
  using std::filesystem::file_type;
  std::error_code ignored;
  const file_type kind = std::filesystem::status(path, ignored).type();
  if (kind != file_type::not_found && kind != file_type::regular) return path;
  return path.string() + fmt::format(".part{}", ::getpid());
}

Status write_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path target = part_path(path);
  const bool replace = target != path;
  const auto failed = [&](int reason) {
    if (replace) ::unlink(target.c_str());
    return Error{ErrorCode::kIo,
                 fmt::format("cannot write {}: {}", path.string(), system_reason(reason))};
  };

  const int descriptor = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return failed(errno);
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      const int reason = errno;
      ::close(descriptor);
      return failed(reason);
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  if (::close(descriptor) != 0) return failed(errno);
  if (replace && ::rename(target.c_str(), path.c_str()) != 0) return failed(errno);
  return {};
}

}  // namespace pathline::base
