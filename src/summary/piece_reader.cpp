// SPDX-License-Identifier: BSD-3-Clause
#include "summary/piece_reader.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace pathline::summary {

bool PieceReader::open(const char* path) {
  close();
  // O_NONBLOCK: a pipe without a writer would wait for one; it has no pieces.
  descriptor_ = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return descriptor_ >= 0;
}

std::span<const uint8_t> PieceReader::read(uint64_t offset, size_t count) {
  bytes_.resize(count);
  size_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(descriptor_, bytes_.data() + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return {bytes_.data(), done};
}

void PieceReader::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace pathline::summary
