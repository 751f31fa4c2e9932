// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bundle/bundling.hpp"
#include "figure/timeline/states.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

// What the title and the legend of a timeline say.
namespace pathline::figure {

/// "8 locations", or "3 of 8 locations".
std::string rows_text(const trace::Trace& trace, const Rows& rows);

/// "420 messages, all to ranks +-1", and what the picture leaves out: tables count a message of a
/// chosen rank wherever it goes. What Rows::calls say of messages comes first.
std::string messages_text(const trace::Trace& trace, const Rows& rows, TimeRange range,
                          const trace::Selection& selection, size_t count,
                          const std::string& partners);

/// "1.06 s", or "1.06 s of 2.4 s" of a part of the run.
std::string time_text(const trace::Trace& trace, TimeRange range,
                      const trace::Selection& selection);

/// "rank 0, rank 5: higher, unlike others"; of more than two rows only their number.
std::string unlike_text(const std::vector<uint32_t>& unlike, const Rows& rows);

/// How the lines of messages are drawn.
std::string lines_text(const bundle::Bundled& bundled, size_t row_count);

}  // namespace pathline::figure
