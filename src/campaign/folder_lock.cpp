// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/folder_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.hpp"

namespace pathline::campaign {

base::Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "lock";
  const int handle = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (handle < 0) {
    return base::Error{base::ErrorCode::kIo, fmt::format("cannot write {}: {}", file.string(),
                                                         base::system_reason(errno))};
  }
  FolderLock lock(handle);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(handle, F_SETLK, &whole) == 0) return lock;
  const int reason = errno;
  if (reason != EACCES && reason != EAGAIN) {
    return base::Error{
        base::ErrorCode::kIo,
        fmt::format("cannot lock {}: {}", file.string(), base::system_reason(reason)),
        "A campaign needs a file system with locks: put its folder elsewhere."};
  }
  const bool is_known = ::fcntl(handle, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  // The number is 0 or negative where the lock is another host's.
  return base::Error{
      base::ErrorCode::kIo,
      fmt::format("another pathline runs the campaign in {}{}", folder.string(),
                  is_known && whole.l_pid > 0 ? fmt::format(", process {}", whole.l_pid) : ""),
      "'pathline campaign status' shows how far it is."};
}

FolderLock::FolderLock(FolderLock&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}

FolderLock::~FolderLock() {
  if (handle_ >= 0) ::close(handle_);
}

}  // namespace pathline::campaign
