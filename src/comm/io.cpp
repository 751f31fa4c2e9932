// SPDX-License-Identifier: BSD-3-Clause
#include "comm/io.hpp"

#include <map>

#include "trace/find_kinds.hpp"

namespace pathline::comm {

using trace::EventKind;

std::vector<IoTransfer> io_transfers(const trace::Events& events, std::vector<uint32_t>* open) {
  constexpr uint64_t kUnknownSize = UINT64_MAX;  // Formatted output, flushes.
  constexpr uint32_t kRead = 0;
  constexpr uint32_t kWrite = 1;
  std::vector<IoTransfer> transfers;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint32_t>> begins;  // Events.
  constexpr trace::KindRange kOperations{EventKind::kIoOperationBegin,
                                         EventKind::kIoOperationComplete};
  trace::for_each_of<kOperations>(events.kind.span(), 0, [&](size_t i) {
    if (events.kind[i] == EventKind::kIoOperationBegin) {
      const auto fields = events.fields(i);
      begins[{fields[0], events.word64(i, 5)}].push_back(static_cast<uint32_t>(i));
    } else if (events.kind[i] == EventKind::kIoOperationComplete) {
      const auto found = begins.find({events.fields(i)[0], events.word64(i, 3)});
      if (found == begins.end() || found->second.empty()) return;
      const uint32_t mode = events.fields(found->second.back())[1];
      found->second.pop_back();
      const uint64_t bytes = events.word64(i, 1);
      if (bytes == kUnknownSize || (mode != kRead && mode != kWrite)) return;
      transfers.push_back({events.ticks[i], bytes, mode == kWrite});
    }
  });
  if (open == nullptr) return transfers;
  for (const auto& [operation, events_of_it] : begins) {
    open->insert(open->end(), events_of_it.begin(), events_of_it.end());
  }
  return transfers;
}

}  // namespace pathline::comm
