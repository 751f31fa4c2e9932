// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "profile/profile_file.hpp"
#include "summary/run_summary.hpp"
#include "trace/trace.hpp"

namespace pathline::input {

struct OpenOptions {
  bool partial = false;  ///< Read a damaged input as far as it goes and mark it incomplete.
  /// Unique names of the metrics to read of a profile; empty: all.
  std::vector<std::string> metrics = {};
  summary::Parts tables = {};  ///< To read of a summary.
  /// Of an archive. Others have their list all the same.
  trace::WantedMessages messages = trace::WantedMessages::kList;
};

/// What an INPUT holds.
using Input = std::variant<trace::Trace, profile::ProfileFile, summary::RunSummary>;

/// One kind of input. A new kind is a new reader in the list of input.cpp.
class Reader {
 public:
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  virtual ~Reader() = default;
  /// True if `file`, whose first bytes are `head`, is of this kind.
  [[nodiscard]] virtual bool accepts(const std::filesystem::path& file,
                                     std::span<const uint8_t> head) const = 0;
  [[nodiscard]] virtual base::Result<Input> read(const std::filesystem::path& file,
                                                 const OpenOptions& options, base::ThreadPool& pool,
                                                 base::Progress& progress) const = 0;
};

/// Opens any INPUT of the command line: an OTF2 anchor file, a folder (a run directory) that holds
/// one, a run directory that still has only raw files (which are left as they are), a raw file, a
/// CSV file of messages, a Cube profile (*.cubex), a folder that holds one and no trace, or a
/// summary
/// (*.plsum).
///
/// errors  kNotFound, kUnsupported when no reader knows the file, and those of the reader.
base::Result<Input> open(const std::filesystem::path& path, const OpenOptions& options,
                         base::ThreadPool& pool, base::Progress& progress);

/// Where the events of a summary are that was opened from `path`.
std::filesystem::path events_of(const summary::RunSummary& summary,
                                const std::filesystem::path& path);

/// The trace that was opened, for questions about its events; `path` is what errors call it.
/// errors  kUnsupported for a profile or a summary, naming the commands that take one; that of
///         `input`.
base::Result<trace::Trace> need_trace(base::Result<Input> input, const std::filesystem::path& path);

/// The anchor file of the OTF2 archive that open() would read; nullopt for an INPUT of another
/// kind.
///
/// errors  those of open() for folders.
base::Result<std::optional<std::filesystem::path>> archive_of(const std::filesystem::path& path);

}  // namespace pathline::input
