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
namespace {

class Closer {
 public:
  explicit Closer(int descriptor) : descriptor_(descriptor) {}
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;
  ~Closer() { ::close(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

std::string system_reason(int error_number) {
  return std::generic_category().message(error_number);
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) { return open(path, 0); }

Result<MappedFile> MappedFile::open_briefly(const std::filesystem::path& path) {
  constexpr size_t kMostToCopy = size_t{1} << 20U;
  return open(path, kMostToCopy);
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path, size_t most_to_copy) {
  // O_NONBLOCK: a pipe without a writer would wait for one, and is turned down below anyway.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int reason = errno;
    return Error{reason == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                 fmt::format("cannot open {}: {}", path.string(), system_reason(reason))};
  }
  const Closer closer(descriptor);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    return Error{ErrorCode::kIo, fmt::format("cannot read {}: not a regular file", path.string())};
  }
  MappedFile file;
  file.size_ = static_cast<size_t>(status.st_size);
  const bool copies = file.size_ <= most_to_copy;  // An empty one cannot be mapped.
  const Status done = copies ? file.read(descriptor, path) : file.map(descriptor, path);
  if (!done) return done.error();
  return file;
}

Status MappedFile::map(int descriptor, const std::filesystem::path& path) {
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot map {}: {}", path.string(), system_reason(errno))};
  }
  data_ = static_cast<const uint8_t*>(data);
  return {};
}

/// What is there, of a file that has become shorter.
Status MappedFile::read(int descriptor, const std::filesystem::path& path) {
  if (size_ == 0) return {};
  copy_.reset(new uint8_t[size_]);  // Not cleared.
  size_t done = 0;
  while (done < size_) {
    const ssize_t got = ::read(descriptor, copy_.get() + done, size_ - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return Error{ErrorCode::kIo,
                   fmt::format("cannot read {}: {}", path.string(), system_reason(errno))};
    }
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  size_ = done;
  data_ = copy_.get();
  return {};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : copy_(std::move(other.copy_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(copy_, other.copy_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr && copy_ == nullptr) ::munmap(const_cast<uint8_t*>(data_), size_);
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
