// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "chunk/format.hpp"
#include "trace/trace.hpp"

namespace pathline::raw {

/// One process of a run that was read from raw files.
struct RunProcess {
  uint32_t rank;        ///< In the whole run.
  uint32_t world;       ///< Which MPI_COMM_WORLD, in the order they began.
  uint32_t world_rank;  ///< In it.
  uint32_t process_id;
  std::string host;
  std::string program;
  std::string cpus;      ///< What it was bound to, "0-3,8"; "" if it did not say.
  std::string switches;  ///< Above its node and this, "spine.leaf1.n2", by Slurm; "" if not known.
  uint32_t threads;
  bool finished;
  bool alive;  ///< Not finished, and its process still there.
  chunk::Loss loss;
  int loss_errno;
  uint64_t lost_events;
  uint64_t overwritten_bytes;
  double last_s;  ///< Of its last event, since the start of the run.
};

/// Calls that were counted instead of recorded.
struct CountedCalls {
  uint32_t rank;
  uint32_t thread;
  std::string region;
  uint64_t calls;
  double exclusive_s;
};

/// How well the clocks of the processes are known.
struct Clocks {
  std::string source;           ///< "tsc", "monotonic_raw"; "" when processes differ.
  double ticks_per_second = 0;  ///< Of the first process, as measured.
  bool synchronised = true;     ///< Every process but those on rank 0's host has a measured offset.
  uint64_t error_ns = 0;        ///< Largest error bound of the offsets that were applied.
};

/// A run read from the recorder's raw files.
struct Run {
  trace::Trace trace;
  std::vector<RunProcess> processes;                          ///< By rank.
  std::vector<std::pair<std::string, std::string>> settings;  ///< Of the first process.
  std::vector<CountedCalls> counted;
  Clocks clocks;
  /// What was found out from the raw files and cannot be seen in the archive made of them; part of
  /// the trace's warnings.
  std::vector<std::string> warnings;
  bool alive = false;         ///< Some process still writes.
  bool may_be_alive = false;  ///< One on another host has not finished, and may still write.
};

/// "loss" of a header in words: "the disk was full".
const char* loss_reason(chunk::Loss loss);

/// The raw files (*.raw) in and below `folder`, by name; none if there is no such folder.
std::vector<std::filesystem::path> find_files(const std::filesystem::path& folder);

struct RunOptions {
  /// When the command that started the processes had ended, ns since 1970; 0 if nobody knows. A
  /// process that did not end its recording is taken to have lived until then.
  uint64_t ended_realtime_ns = 0;
};

/// Whether a process of these files, on this host, still writes.
bool any_alive(const std::vector<std::filesystem::path>& files);

/// Makes one trace of raw files. Everything readable is used; what is missing or damaged becomes a
/// warning and `complete = false`.
///
/// errors  kNotFound without files; that of the first file if none can be read.
/// cost    O(bytes), parallel over the files and their streams; the result is the same for any
///         number of threads.
base::Result<Run> read_run(const std::vector<std::filesystem::path>& files, base::ThreadPool& pool,
                           base::Progress& progress, const RunOptions& options = {});

}  // namespace pathline::raw
