// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace pathline::campaign {

/// Held by the process that runs a campaign, and given back when it ends, however it ends.
///
/// A record lock of POSIX (fcntl), which children of the process do not hold: with flock() one that
/// was killed between fork and exec of a run kept the folder for a moment longer. It keeps other
/// processes out, not other threads of this one.
class FolderLock {
 public:
  /// errors  kIo where another process has it, with its number, or where the file system has none.
  static base::Result<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int handle) : handle_(handle) {}
  int handle_;
};

}  // namespace pathline::campaign
