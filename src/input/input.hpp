// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::input {

struct OpenOptions {
  bool partial = false;  ///< Read a damaged input as far as it goes and mark it incomplete.
};

/// One kind of input. A new kind is a new reader in the list of input.cpp.
class Reader {
 public:
  virtual ~Reader() = default;
  /// True if `file`, whose first bytes are `head`, is of this kind.
  [[nodiscard]] virtual bool accepts(const std::filesystem::path& file,
                                     std::span<const uint8_t> head) const = 0;
  [[nodiscard]] virtual base::Result<trace::Trace> read(const std::filesystem::path& file,
                                                        const OpenOptions& options,
                                                        base::ThreadPool& pool,
                                                        base::Progress& progress) const = 0;
};

/// Properties of an archive that Pathline wrote hold what was said of its raw files:
/// PATHLINE::WARNING_0, _1 ... What begins with "incomplete" marks the trace again.
inline constexpr std::string_view kWarningProperty = "PATHLINE::WARNING_";

/// Puts `warnings` into the properties of a trace that is about to be written.
void keep_warnings(trace::Trace& trace, std::span<const std::string> warnings);

/// Opens any INPUT of the command line: an OTF2 anchor file, a folder (a run directory) that holds
/// one, a run directory that still has only raw files (which are left as they are), a raw file, or
/// a CSV file of messages.
///
/// errors  kNotFound, kUnsupported when no reader knows the file, and those of the reader.
base::Result<trace::Trace> open(const std::filesystem::path& path, const OpenOptions& options,
                                base::ThreadPool& pool, base::Progress& progress);

}  // namespace pathline::input
