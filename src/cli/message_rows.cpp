// SPDX-License-Identifier: BSD-3-Clause
#include "cli/message_rows.hpp"

#include <fmt/format.h>

namespace pathline::cli {

Table message_table(const CommonOptions& options) {
  return Table(options, {{.name = "sender"},
                         {.name = "receiver"},
                         {.name = "send_s", .unit = Unit::kInstant},
                         {.name = "recv_s", .unit = Unit::kInstant},
                         {.name = "bytes", .unit = Unit::kBytes},
                         {.name = "tag"}});
}

void add_message(Table& table, const trace::Trace& trace, size_t i) {
  const trace::Messages& messages = trace.messages;
  table.row({fmt::format("{}", messages.sender[i]), fmt::format("{}", messages.receiver[i]),
             fmt::format("{:.9f}", trace.seconds(messages.send_ticks[i])),
             fmt::format("{:.9f}", trace.seconds(messages.recv_ticks[i])),
             fmt::format("{}", messages.bytes[i]), fmt::format("{}", messages.tag[i])});
}

}  // namespace pathline::cli
