// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "trace/trace.hpp"

namespace pathline::input {

/// First line of a file of messages, as `pathline messages` prints it.
inline constexpr std::string_view kMessageHeader = "sender,receiver,send_s,recv_s,bytes,tag";

/// Reads messages from CSV text. Times become nanoseconds since the start of the run, which is 0,
/// or the first time in the table if that is negative; there are as many ranks as the largest one
/// named needs.
///
/// partial  stop at the first bad line instead of returning an error, and mark the trace.
/// errors   kCorrupt naming line and field.
/// cost     O(bytes), about 56 bytes of memory a message.
base::Result<trace::Trace> parse_message_csv(std::string_view text, bool partial);

}  // namespace pathline::input
