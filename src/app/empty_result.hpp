// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "comm/summary.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Why a table or picture of messages is empty, in a sentence for people.
///
/// trace  of which no message was chosen. input  what it was opened from.
std::string why_no_messages(const trace::Trace& trace, const std::string& input);
/// The same of a run in tables.
std::string why_no_messages(const comm::Summary& facts);

/// Why nobody waited, the same.
std::string why_no_waits(const trace::Trace& trace, const trace::Selection& selection,
                         const std::string& input);

std::string why_no_waits(const comm::Summary& facts, const trace::Selection& selection);

}  // namespace pathline::app
