// SPDX-License-Identifier: BSD-3-Clause
#include "base/buffered_writer.hpp"

#include <cerrno>
#include <unistd.h>

namespace pathline::base {

void BufferedWriter::append(std::span<const uint8_t> bytes) {
  constexpr size_t kMostWaiting = 256 << 10;
  if (waiting_.size() + bytes.size() > kMostWaiting) flush();
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

void BufferedWriter::overwrite(uint64_t offset, std::span<const uint8_t> bytes) {
  flush();
  write(bytes, [&](std::span<const uint8_t> left) {
    const ssize_t count = ::pwrite(file_, left.data(), left.size(), static_cast<off_t>(offset));
    if (count > 0) offset += static_cast<uint64_t>(count);
    return count;
  });
}

int BufferedWriter::flush() {
  // Not at an offset: a pipe has none.
  write(waiting_,
        [&](std::span<const uint8_t> left) { return ::write(file_, left.data(), left.size()); });
  written_ += waiting_.size();
  waiting_.clear();
  return error_;
}

template <class Put>
void BufferedWriter::write(std::span<const uint8_t> bytes, Put put) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t count = put(bytes);
    if (count < 0) {
      error_ = errno == EINTR ? 0 : errno;
      continue;
    }
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

}  // namespace pathline::base
