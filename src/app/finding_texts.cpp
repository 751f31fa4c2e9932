// SPDX-License-Identifier: BSD-3-Clause
#include "app/finding_texts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::app {
namespace {

using findings::Finding;
using findings::FindingKind;

double evidence(const Finding& finding, std::string_view name) {
  for (const auto& [key, value] : finding.evidence) {
    if (key == name) return value;
  }
  return 0;
}

/// "rank 5", "ranks 0-3 and 7", "all ranks".
std::string ranks_phrase(const std::vector<uint32_t>& ranks) {
  if (ranks.empty()) return "all ranks";
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", ranges_text(ranks));
}

std::string in_region(const FindingNames& names) {
  std::string text = names.region.empty() ? "outside of all regions" : "in " + names.region;
  if (!names.before.empty()) text += " before " + names.before;
  return text;
}

/// ", all of host node2".
std::string host_phrase(const FindingNames& names) {
  return names.host.empty() ? "" : fmt::format(", all of host {},", names.host);
}

const char* waits(const Finding& finding) { return finding.waiting.size() == 1 ? "waits" : "wait"; }

/// "; ranks 4 and 6 wait most for it".
std::string waiting_phrase(const Finding& finding) {
  if (finding.waiting.empty()) return "";
  return fmt::format("; {} {} most for {}", ranks_phrase(finding.waiting), waits(finding),
                     finding.ranks.size() == 1 ? "it" : "them");
}

uint64_t whole(double value) { return static_cast<uint64_t>(std::llround(value)); }

std::string seconds_of(const Finding& finding, std::string_view name) {
  return base::human_seconds(evidence(finding, name));
}

/// What looks like work was waiting for a core.
bool lost_cores(const Finding& finding) { return evidence(finding, "held_cores") < 0; }

/// Half of what calls of MPI cost is what some take longer than most.
bool of_slow_calls(const Finding& finding) {
  const double slow = evidence(finding, "share_of_slow_calls");
  return slow > 0 && 2 * slow >= evidence(finding, "share_of_rank_time");
}

constexpr const char* kSlowCallsAdvice =
    "what slows some calls? ranks without a core of their own, large messages beside small ones, "
    "other jobs on the network";

}  // namespace

std::string finding_text(const Finding& finding, const FindingNames& names) {
  const std::string who = ranks_phrase(finding.ranks) + host_phrase(names);
  const bool one = finding.ranks.size() == 1;
  const double mean = evidence(finding, "mean_s");
  const double more = mean > 0 ? 100 * (evidence(finding, "largest_s") / mean - 1) : 0;
  const std::string waiting = waiting_phrase(finding);
  switch (finding.kind) {
    case FindingKind::kSerialIo:
      return fmt::format("only {} reads or writes files {}, {} in {}{}", who, in_region(names),
                         base::human_bytes(evidence(finding, "io_bytes")),
                         seconds_of(finding, "largest_s"), waiting);
    case FindingKind::kLateRoot:
      return fmt::format("{} works {} {} before its broadcasts, and the others wait for them", who,
                         seconds_of(finding, "largest_s"), in_region(names));
    case FindingKind::kBottleneckRank:
      return fmt::format("{} is always busy, {} {}, and all others depend on it{}", who,
                         seconds_of(finding, "largest_s"), in_region(names), waiting);
    case FindingKind::kSerialSection:
      return fmt::format("only {} works {}, for {}{}", who, in_region(names),
                         seconds_of(finding, "largest_s"), waiting);
    case FindingKind::kSerialisedChain:
      return fmt::format(
          "ranks work {} one after the other: {} of the critical path, where each has {}",
          in_region(names), seconds_of(finding, "on_critical_path_s"),
          seconds_of(finding, "mean_s"));
    case FindingKind::kGrowingImbalance:
      return fmt::format("{} {} ever longer {}: {} where the mean is {}{}", who,
                         one ? "takes" : "take", in_region(names), seconds_of(finding, "largest_s"),
                         seconds_of(finding, "mean_s"), waiting);
    case FindingKind::kSlowRank:
    case FindingKind::kImbalance:
      return fmt::format("{} {} {:.0f} % longer than the mean {}: {} where that is {}{}", who,
                         one ? "takes" : "take up to", more, in_region(names),
                         seconds_of(finding, "largest_s"), seconds_of(finding, "mean_s"), waiting);
    case FindingKind::kJitter:
      if (lost_cores(finding)) {
        const auto times = static_cast<uint64_t>(evidence(finding, "involuntary_switches"));
        return fmt::format("{} lost {} {}, {}, and waited {} for {} in all: not uneven work{}", who,
                           one ? "its core" : "their cores", in_region(names),
                           base::counted(times, "time", "times"),
                           seconds_of(finding, "preempted_s"), one ? "it" : "them", waiting);
      }
      return fmt::format("now this rank, now that one is late {}{}", in_region(names),
                         names.has_steps ? ", step by step another" : "");
    case FindingKind::kWrongOrder:
      return fmt::format("{} {} for a message {} while another one is there that is taken later",
                         who, one ? "waits" : "wait", in_region(names));
    case FindingKind::kTinyMessages:
      return fmt::format(
          "{} messages of at most 64 bytes go from a rank to another where one would do; they are "
          "{:.0f} % "
          "of all messages",
          base::human_count(static_cast<uint64_t>(evidence(finding, "messages_at_once"))),
          100 * evidence(finding, "tiny_messages") / std::max(1.0, evidence(finding, "messages")));
    case FindingKind::kTransfer:
    case FindingKind::kCollectiveCost:
    case FindingKind::kFenceCost:
      return fmt::format("{} takes {:.1f} % of the time beyond any waiting for others{}",
                         names.region, 100 * evidence(finding, "share_of_rank_time"),
                         of_slow_calls(finding)
                             ? fmt::format("; {:.1f} % is what some calls take beyond the median",
                                           100 * evidence(finding, "share_of_slow_calls"))
                             : "");
    case FindingKind::kLockContention:
      return fmt::format("{} {} for locks {} that {} {}", ranks_phrase(finding.waiting),
                         waits(finding), in_region(names), who, one ? "holds" : "hold");
    case FindingKind::kOmpImbalance:
      return fmt::format("threads wait for the slowest of their team: load balance {:.2f}",
                         evidence(finding, "factor"));
    case FindingKind::kOmpSerial:
      return fmt::format(
          "threads have nothing to do outside of parallel regions: {:.2f} of the time "
          "has work for all",
          evidence(finding, "factor"));
    case FindingKind::kBadPlacement:
      return fmt::format(
          "ranks that talk much run on different hosts: {:.0f} % of the bytes cross "
          "hosts, {:.0f} % would do",
          evidence(finding, "crossing_pct"), evidence(finding, "possible_pct"));
    case FindingKind::kLatePostOfReceive:
      return fmt::format("{} {} in sends until {} {} {}, {} altogether",
                         ranks_phrase(finding.waiting), waits(finding), who,
                         one ? "receives" : "receive", in_region(names),
                         seconds_of(finding, "wait_s"));
    case FindingKind::kNeedlessBarrier:
      return fmt::format(
          "{} stands beside an operation in which all ranks wait for all anyhow, {} on each rank: "
          "they take {}",
          names.region, base::counted(whole(evidence(finding, "calls_of_a_rank")), "time", "times"),
          seconds_of(finding, "cost_of_a_rank_s"));
    case FindingKind::kLatePost:
      return fmt::format("{} {} to put something until {} {} a window {}, {} altogether",
                         ranks_phrase(finding.waiting), waits(finding), who,
                         one ? "exposes" : "expose", in_region(names),
                         seconds_of(finding, "wait_s"));
    case FindingKind::kIpcDrop:
      return fmt::format("work does {:.2f} instructions in a cycle, before it were {:.2f}",
                         evidence(finding, "after"), evidence(finding, "before"));
    case FindingKind::kMoreInstructions:
      return fmt::format("work needs {:.0f} % more instructions than before{}",
                         100 * (1 / evidence(finding, "factor") - 1),
                         evidence(finding, "weak") > 0 ? ", on each rank" : "");
    case FindingKind::kFrequencyDrop:
      return fmt::format("cores do {:.2f} GHz while they work, before it were {:.2f} GHz",
                         1e-9 * evidence(finding, "after"), 1e-9 * evidence(finding, "before"));
    case FindingKind::kPolling:
    case FindingKind::kStartUp:
    case FindingKind::kOversubscribed:
    case FindingKind::kClock:
    case FindingKind::kIncomplete: break;  // finding_limits.cpp
  }
  return "";
}

std::string finding_advice(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::kSerialIo:
      return "write from all ranks (MPI-IO), asynchronously, or less often";
    case FindingKind::kLateRoot:
      return "prepare it earlier, broadcast without blocking (MPI_Ibcast), or compute it on all "
             "ranks";
    case FindingKind::kBottleneckRank: return "hand out larger tasks, or by several ranks";
    case FindingKind::kSerialSection: return "let all ranks share it, or do it while others work";
    case FindingKind::kSerialisedChain:
      return "pass results on in smaller blocks, or go through the domain in another order";
    case FindingKind::kGrowingImbalance: return "balance the load again every so many steps";
    case FindingKind::kSlowRank:
      return "is its node slow (frequency, other jobs), or its part of the domain large? compare "
             "hosts, "
             "record with --counters instructions,cycles";
    case FindingKind::kImbalance:
      return finding.first_step != findings::kNone
                 ? "divide the domain so that all ranks have as much to do"
                 : "divide the work so that all ranks have as much to do, or hand it out in small "
                   "parts to those who are free";
    case FindingKind::kJitter:
      if (lost_cores(finding)) {
        return "more ranks than cores, or other work on the host: give each rank a core of its own";
      }
      if (evidence(finding, "held_cores") > 0) {
        return "its work is uneven, no rank lost its core: finer tasks, or balance it step by step";
      }
      return "interference or uneven work: record with --counters instructions, keep a core free "
             "for "
             "the system";
    case FindingKind::kWrongOrder:
      return "post receives early (MPI_Irecv) and take what comes first (MPI_Waitany)";
    case FindingKind::kTinyMessages: return "pack them into one message";
    case FindingKind::kTransfer:
      if (of_slow_calls(finding)) return kSlowCallsAdvice;
      return "send less, or overlap it with work; does the network or the placement slow it down?";
    case FindingKind::kCollectiveCost:
      if (of_slow_calls(finding)) return kSlowCallsAdvice;
      return "fewer or larger collective operations, nonblocking ones, or smaller communicators";
    case FindingKind::kLockContention: return "hold locks shorter, or take shared ones";
    case FindingKind::kOmpImbalance: return "another schedule, or smaller pieces of work";
    case FindingKind::kOmpSerial: return "make more of the program parallel";
    case FindingKind::kBadPlacement: return "place ranks as 'pathline remap' says";
    case FindingKind::kLatePostOfReceive:
      return "post receives earlier (MPI_Irecv), or go on while a message is sent (MPI_Isend)";
    case FindingKind::kNeedlessBarrier:
      return "remove it, unless it orders what is no message: files, clocks, shared memory";
    case FindingKind::kLatePost:
      return "expose the window earlier (MPI_Win_post), or do other work before MPI_Win_start";
    case FindingKind::kFenceCost:
      return "fence less often, or let only those wait that put to each other (MPI_Win_post, "
             "MPI_Win_start)";
    case FindingKind::kIpcDrop:
      return "data come from farther away: fewer ranks for a memory, ranks bound to cores, smaller "
             "blocks";
    case FindingKind::kMoreInstructions:
      return "is work repeated on ranks, the input another one, or the compiler's options? 'diff' "
             "names the regions";
    case FindingKind::kFrequencyDrop:
      return "limits of power or heat, or cores that others use as well: compare hosts";
    case FindingKind::kPolling:
      return "wait with a blocking call where there is nothing else to do";
    case FindingKind::kStartUp: return "judge a longer run, of more time steps";
    case FindingKind::kOversubscribed:
      return "start no more ranks than cores, each bound to one of its own";
    case FindingKind::kClock: return "record with a shorter --sync-interval";
    case FindingKind::kIncomplete: return "record it again, with more room or fewer events";
  }
  return "";
}

FindingView finding_view(const Finding& finding, const FindingNames& names) {
  constexpr uint32_t kRoomForAll = 64;
  const bool is_order = finding.kind == FindingKind::kWrongOrder;
  std::vector<uint32_t> rows = finding.ranks;
  rows.insert(rows.end(), finding.waiting.begin(), finding.waiting.end());
  // Where it is now this rank, now that one, this is the one that was late there.
  if (!rows.empty() && finding.seen_cause) rows.push_back(*finding.seen_cause);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const bool shows_all = rows.size() >= names.rank_count ||
                         ((is_order || finding.ranks.empty()) && names.rank_count <= kRoomForAll);
  if (shows_all) rows.clear();
  // The wait alone does not show which messages were there, nor what was done with them.
  const double margin = is_order ? names.until_s - names.from_s : 0;
  return {std::max(0.0, names.from_s - margin), names.until_s + margin, std::move(rows)};
}

std::vector<std::string> finding_commands(const Finding& finding, const FindingNames& names) {
  std::vector<std::string> commands;
  const bool of_messages = finding.kind == FindingKind::kTinyMessages;
  const bool of_costs =
      finding.kind == FindingKind::kTransfer || finding.kind == FindingKind::kCollectiveCost;
  if (finding.kind == FindingKind::kBadPlacement) {
    return {fmt::format("pathline matrix {} --by host", names.run),
            fmt::format("pathline remap {}", names.run)};
  }
  if (of_messages) commands.push_back(fmt::format("pathline messages {} --summary", names.run));
  if (of_costs)
    commands.push_back(fmt::format("pathline matrix {} --sort bytes --top 10", names.run));
  const FindingView view = finding_view(finding, names);
  commands.push_back(
      fmt::format("pathline figure timeline {} --critical --from {:.6f} --until {:.6f}{} -o {}.png",
                  names.run, view.from_s, view.until_s,
                  view.ranks.empty() ? "" : " --ranks " + ranges_text(view.ranks), names.picture));
  const bool of_load = finding.kind == FindingKind::kImbalance ||
                       finding.kind == FindingKind::kGrowingImbalance ||
                       finding.kind == FindingKind::kJitter;
  if (of_load && names.has_steps) {
    commands.push_back(fmt::format("pathline steps {} --summary", names.run));
  } else if (!of_messages && !of_costs) {
    commands.push_back(fmt::format("pathline profile {} --by rank", names.run));
  }
  return commands;
}

}  // namespace pathline::app
