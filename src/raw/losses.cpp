// SPDX-License-Identifier: BSD-3-Clause
#include "raw/losses.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "raw/run.hpp"

namespace pathline::raw {
namespace {

/// "MPI_Recv on ranks 0-2, MPI_Send on rank 3", the most frequent first.
std::string list_of(const std::map<std::string, std::set<uint32_t>>& ranks_by_region) {
  std::vector<std::pair<size_t, std::string>> parts;
  for (const auto& [region, ranks] : ranks_by_region) {
    parts.emplace_back(ranks.size(), base::printable(region) + " on " + rank_list(ranks));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr size_t kMostRegions = 6;
  std::string text;
  for (size_t i = 0; i < std::min(parts.size(), kMostRegions); ++i) {
    text += (i > 0 ? ", " : "") + parts[i].second;
  }
  return text + (parts.size() > kMostRegions ? " ..." : "");
}

void find_losses_of_streams(const std::vector<Process>& processes,
                            const std::vector<StreamJob>& jobs, const RunNames& names,
                            Findings& findings) {
  std::map<size_t, int64_t> requests;
  std::set<uint32_t> late;
  std::set<uint32_t> silent;
  uint64_t open = 0;
  std::map<std::string, std::set<uint32_t>> died_in;
  uint64_t any = 0;
  uint64_t missing = 0;
  uint64_t stray = 0;
  uint64_t dropped = 0;
  uint64_t pauses = 0;
  std::vector<bool> heard(processes.size());
  for (const StreamJob& job : jobs) {
    const Stream& stream = job.result;
    const Process& process = processes[job.process];
    requests[job.process] += stream.open_requests;
    if (!process.file.finished) {
      open += stream.open_calls;
      if (stream.died_in < names.region_names.size()) {
        died_in[names.region_names[stream.died_in]].insert(process.rank);
      }
    }
    missing += stream.missing_chunks;
    stray += stream.stray_leaves;
    dropped += stream.dropped_records + stream.skipped_steps;
    pauses += stream.pauses;
    if (stream.begins_late && process.file.overwritten_bytes == 0) late.insert(process.rank);
    for (const std::string& problem : stream.problems) findings.incomplete(problem);
  }
  for (const StreamJob& job : jobs) {
    any += job.event_count;
    if (job.event_count > 0) heard[job.process] = true;
  }
  for (size_t i = 0; i < processes.size(); ++i) {
    if (!heard[i] && processes[i].definitions.profile.empty()) silent.insert(processes[i].rank);
  }
  const bool lost = std::any_of(processes.begin(), processes.end(), [](const Process& process) {
    return process.file.lost_events > 0;
  });
  if (any == 0 && silent.size() == processes.size() && !lost) {
    findings.incomplete("the recording holds nothing: no call of MPI and no region was seen");
  } else if (!silent.empty()) {
    findings.incomplete(rank_list(silent) + " recorded nothing");
  }
  if (!late.empty()) findings.incomplete("the first events of " + rank_list(late) + " are missing");
  if (missing > 0) {
    findings.incomplete(base::counted(missing, "chunk of events is", "chunks of events are") +
                        " missing");
  }
  if (dropped > 0) {
    findings.incomplete(base::counted(dropped, "record contradicts", "records contradict") +
                        " the definitions and could not be used");
  }
  if (stray > 0) {
    findings.warn(base::counted(stray, "leave does", "leaves do") +
                  " not fit the calls that are open: enter and leave events got lost");
  }
  if (open > 0) {
    findings.warn(base::counted(open, "call was", "calls were") +
                  " open at the end of the recording and end there: " + list_of(died_in));
  }
  if (pauses > 0) {
    findings.warn("the recording was switched off " + base::counted(pauses, "time", "times") +
                  ": what happened then is not in it");
  }
  uint64_t open_requests = 0;
  bool at_end_of_recording = false;
  for (const auto& [process, count] : requests) {
    if (count <= 0) continue;
    open_requests += static_cast<uint64_t>(count);
    at_end_of_recording = at_end_of_recording || !processes[process].file.finished;
  }
  if (open_requests > 0) {
    const std::string text =
        base::counted(open_requests, "request was", "requests were") + " never completed";
    // A program may free or forget a request; nothing is missing then.
    at_end_of_recording ? findings.incomplete(text) : findings.warn(text);
  }
}

}  // namespace

/// "rank 3", "ranks 0-3,7", cut where it becomes long.
std::string rank_list(const std::set<uint32_t>& ranks) {
  constexpr int kMostRanges = 8;
  std::string text;
  int count = 0;
  for (auto i = ranks.begin(); i != ranks.end();) {
    if (++count > kMostRanges) {
      text += fmt::format(" and others, {} in all", ranks.size());
      break;
    }
    const uint32_t first = *i;
    uint32_t last = first;
    while (++i != ranks.end() && *i == last + 1) ++last;
    if (!text.empty()) text += ',';
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

void find_losses(const std::vector<Process>& processes, const std::vector<StreamJob>& jobs,
                 const RunNames& names, Findings& findings) {
  std::map<chunk::Loss, std::set<uint32_t>> losses;
  std::map<chunk::Loss, uint64_t> lost;
  std::set<uint32_t> unfinished;
  std::set<uint32_t> alive;
  for (const Process& process : processes) {
    const chunk::RawFile& file = process.file;
    const bool by_ring = file.overwritten_bytes > 0;
    chunk::Loss loss = file.loss;
    if (loss == chunk::Loss::kNone && file.lost_events > 0) loss = chunk::Loss::kDefect;
    if (loss == chunk::Loss::kNone && by_ring) loss = chunk::Loss::kRing;
    if (loss != chunk::Loss::kNone) {
      losses[loss].insert(process.rank);
      lost[loss] += file.lost_events;
    }
    if (!file.finished) (process.life == Life::kAlive ? alive : unfinished).insert(process.rank);
    for (const std::string& problem : file.problems()) findings.incomplete(problem);
    for (const std::string& problem : process.definitions.problems) findings.incomplete(problem);
  }
  for (const auto& [loss, ranks] : losses) {
    std::string text = fmt::format("{}: {}", rank_list(ranks), loss_reason(loss));
    if (lost[loss] > 0) {
      text += "; " + base::counted(lost[loss], "event was", "events were") + " not recorded";
    }
    findings.incomplete(text);
  }
  if (!alive.empty()) {
    findings.incomplete(rank_list(alive) + " still runs: this is what it has recorded so far");
  }
  if (!unfinished.empty()) {
    findings.incomplete(
        rank_list(unfinished) +
        (unfinished.size() == 1
             ? " did not end its recording: the process was killed or ended without MPI_Finalize"
             : " did not end their recording: the processes were killed or ended without "
               "MPI_Finalize"));
  }
  if (names.communicators_without_members > 0) {
    findings.incomplete("the members of " +
                        base::counted(names.communicators_without_members, "communicator are",
                                      "communicators are") +
                        " not in the recording: messages in them cannot be matched");
  }
  if (names.bad_members > 0) {
    findings.incomplete(base::counted(names.bad_members, "list", "lists") +
                        " of members of a communicator name ranks that do not exist");
  }
  find_losses_of_streams(processes, jobs, names, findings);
}

const char* loss_reason(chunk::Loss loss) {
  switch (loss) {
    case chunk::Loss::kNone: return "nothing was lost";
    case chunk::Loss::kNoSpace: return "the disk or the quota was full";
    case chunk::Loss::kNoFile: return "the raw file could not be opened any more";
    case chunk::Loss::kNoMemory: return "there was no memory for the recording";
    case chunk::Loss::kMaxSize: return "the recording reached its largest size (--max-size)";
    case chunk::Loss::kRing: return "only the last part was kept (--buffer ring)";
    case chunk::Loss::kDefect: return "the recorder switched itself off";
    case chunk::Loss::kDepth: return "calls were too deep inside of others to be followed";
  }
  return "events were lost for a reason that this Pathline does not know";
}

}  // namespace pathline::raw
