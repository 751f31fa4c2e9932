// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/findings.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "exchange/exchange.hpp"
#include "summary/run_summary.hpp"

namespace pathline::app {

/// Meets the other processes of a job, by the library beside this program.
///
/// errors  those of Exchange::join()
base::Result<exchange::Exchange> join(const exchange::Job& job);

/// How many threads a process of a job takes that was told nothing: the cores of a machine are
/// shared by its processes, unless the launcher has bound each to its own. 0 means all that may be
/// used.
unsigned threads_of(const exchange::Job& job);

struct ReduceOptions {
  /// For the events of a window, about; of each process. With `scratch` as much for rows of time
  /// steps and bins of calls together.
  uint64_t memory_bytes = uint64_t{1} << 30U;
  std::filesystem::path scratch = {};  ///< A folder for what of these is more; "" for memory only.
  bool partial = false;                ///< Read a damaged input as far as it goes, in one piece.
  /// Findings to be kept with the tables, for which the run is read once more, as a whole; one that
  /// is larger than memory by add_findings(), from its summary.
  std::optional<FindingsRequest> findings = std::nullopt;
};

struct Reduced {
  summary::RunSummary summary;
  uint64_t input_bytes = 0;     ///< Of an archive's events; 0 for other inputs.
  std::string in_one_piece;     ///< Why it was read as a whole; "" if it was not.
  bool lacks_findings = false;  ///< They were asked for: add_findings() has them.
};

/// The tables of a run, in one pass over windows of time that fit into the memory. Inputs that are
/// no OTF2 archives, and archives whose order shows in the whole only, are read as a whole.
///
/// notes     get a line about a run that was finished first.
/// exchange  with the processes that share the work; this one has left them afterwards. Rank 0 gets
///           the tables and reads alone what is to be read as a whole, the others get nothing.
/// errors    those of the readers, for all processes the same; kUnsupported for a profile and a
///           summary.
base::Result<Reduced> reduce_run(const std::filesystem::path& input, const ReduceOptions& options,
                                 base::ThreadPool& pool, base::Progress& progress,
                                 std::vector<std::string>& notes, exchange::Exchange& exchange);

/// Writes the summary, with its source as seen from there.
///
/// errors  kIo
base::Status write_summary(Reduced& reduced, const std::filesystem::path& input,
                           const std::filesystem::path& file);

/// Adds the findings of a run larger than memory to its summary: judge_file_in_parts(), or where
/// that cannot be those of the run as a whole.
///
/// input   that it was made of.
/// errors  those of judge_file_in_parts() and of reading the run.
base::Status add_findings(const std::filesystem::path& input, const std::filesystem::path& file,
                          const ReduceOptions& options, base::ThreadPool& pool,
                          base::Progress& progress, std::vector<std::string>& notes);

/// "512M", "2G", "2GiB", "1000000": bytes, in powers of 1024.
///
/// errors  kInvalidArgument for what is none, or less than a megabyte.
base::Result<uint64_t> parse_memory(const std::string& text);

}  // namespace pathline::app
