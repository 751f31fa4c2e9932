// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace pathline::base {

/// What the batch system calls the job that this process is part of; nullptr outside of a job.
inline const char* batch_job() {
  for (const char* variable : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"}) {
    if (const char* job = std::getenv(variable); job != nullptr && *job != '\0') return job;
  }
  return nullptr;
}

/// Fills in the name of a run directory: %h host, %p process, %j batch_job() or else the process,
/// %r `rank` unless that is nullptr, %% a %. What stands for nothing stays as it is.
///
/// `pathline record` and the recorder, which may neither allocate nor throw, share this.
///
/// put      called with a std::string_view for each piece of the name.
/// returns  the first that stands for nothing ("%x", or "%" at the end), "" if there is none.
template <typename Put>
std::string_view fill_in_run_name(std::string_view pattern, const char* rank, Put put) {
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) != 0) std::snprintf(host, sizeof host, "unknown");
  char process[24];
  std::snprintf(process, sizeof process, "%ld", static_cast<long>(::getpid()));
  const char* job = batch_job();
  std::string_view unknown;
  while (!pattern.empty()) {
    const size_t plain = pattern.front() == '%' ? 0 : pattern.substr(0, pattern.find('%')).size();
    const std::string_view piece = pattern.substr(0, plain != 0 ? plain : 2);
    const char* text = nullptr;
    if (piece == "%h") text = host;
    if (piece == "%p") text = process;
    if (piece == "%j") text = job != nullptr ? job : process;
    if (piece == "%r") text = rank;
    if (piece == "%%") text = "%";
    if (text == nullptr && plain == 0 && unknown.empty()) unknown = piece;
    put(text != nullptr ? std::string_view(text) : piece);
    pattern.remove_prefix(piece.size());
  }
  return unknown;
}

}  // namespace pathline::base
