// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.hpp"
#include "trace/events.hpp"

namespace pathline::otf2 {

/// Judges, while the locations of an archive are read, whether all of it will fit into memory: by
/// what the events so far take, and their messages will. Of several threads.
class MemoryNeed {
 public:
  /// archive_bytes    of the files of events.
  /// available_bytes  that may be taken, nullopt for what the system says; a twentieth of what is
  ///                  needed has to be left.
  MemoryNeed(uint64_t archive_bytes, std::optional<uint64_t> available_bytes);

  /// A location that was read; counts once a thirty-second of the archive is known.
  ///
  /// cost  O(events), and nothing where the archive is so small that it must fit.
  void add(const trace::Events& events, uint64_t file_bytes);

  [[nodiscard]] bool is_too_large() const { return is_too_large_; }
  /// Of the whole archive.
  [[nodiscard]] uint64_t bytes() const { return whole(need_bytes_); }
  /// kUnsupported, with the figures and what to do.
  [[nodiscard]] base::Error error(const std::filesystem::path& anchor) const;

 private:
  [[nodiscard]] uint64_t whole(uint64_t of_read) const;
  /// What has to be there: a process that takes the last of it is killed without a word.
  [[nodiscard]] uint64_t with_reserve() const { return bytes() + bytes() / 20; }

  const uint64_t archive_bytes_;
  const uint64_t available_bytes_;
  std::atomic<uint64_t> read_bytes_ = 0;
  std::atomic<uint64_t> need_bytes_ = 0;
  std::atomic<uint64_t> events_ = 0;
  std::atomic<bool> is_too_large_ = false;
};

}  // namespace pathline::otf2
