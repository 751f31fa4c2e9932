// SPDX-License-Identifier: BSD-3-Clause
#include "app/empty_result.hpp"

#include <fmt/format.h>

#include "app/counted_profile.hpp"
#include "base/text.hpp"

namespace pathline::app {
namespace {

/// "" unless the run was recorded without events.
std::string only_counted(const trace::Trace& trace, const std::string& input) {
  const bool any_event = trace.end_ticks > trace.start_ticks && !trace.locations.empty();
  if (any_event || !has_counted_profile(input)) return "";
  return "calls were counted only (--mode profile), which 'pathline profile' shows; messages and "
         "times of single calls need --mode trace";
}

}  // namespace

std::string why_no_messages(const trace::Trace& trace, const std::string& input) {
  if (std::string counted = only_counted(trace, input); !counted.empty()) return counted;
  comm::Summary facts;
  facts.messages = trace.messages.size();
  facts.unmatched_sends = trace.unmatched_sends.size();
  facts.unmatched_receives = trace.unmatched_receives.size();
  facts.collectives = trace.collectives.size();
  return why_no_messages(facts);
}

std::string why_no_messages(const comm::Summary& facts) {
  if (facts.messages > 0) {
    return fmt::format("no message lies in the chosen part of the run, which has {}",
                       base::human_count(facts.messages));
  }
  const uint64_t unmatched = facts.unmatched_sends + facts.unmatched_receives;
  if (unmatched > 0) {
    return fmt::format(
        "no send found its receive; {} without a partner: 'pathline info' tells more",
        base::counted(unmatched, "is", "are"));
  }
  if (facts.collectives > 0) {
    return fmt::format(
        "the run has no messages from rank to rank, only {}",
        base::counted(facts.collectives, "collective operation", "collective operations"));
  }
  return "the run has no messages";
}

std::string why_no_waits(const trace::Trace& trace, const trace::Selection& selection,
                         const std::string& input) {
  if (std::string counted = only_counted(trace, input); !counted.empty()) return counted;
  comm::Summary facts;
  facts.messages = trace.messages.size();
  facts.collectives = trace.collectives.size();
  return why_no_waits(facts, selection);
}

std::string why_no_waits(const comm::Summary& facts, const trace::Selection& selection) {
  if (facts.messages + facts.collectives == 0) {
    return "nobody could wait: the run has no messages and no collective operations";
  }
  return selection.everything() ? "nobody waited" : "nobody waited in the chosen part of the run";
}

}  // namespace pathline::app
