// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/texts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/timeline/messages.hpp"

namespace pathline::figure {

std::string rows_text(const trace::Trace& trace, const Rows& rows) {
  const size_t all = std::max<size_t>(trace.locations.size(), rows.rows.size());
  if (all == rows.rows.size()) return base::counted(all, "location", "locations");
  return fmt::format("{} of {} locations", base::human_count(rows.rows.size()),
                     base::human_count(all));
}

std::string messages_text(const trace::Trace& trace, const Rows& rows, TimeRange range,
                          const trace::Selection& selection, size_t count,
                          const std::string& partners) {
  const std::string known = rows.calls != nullptr ? rows.calls->messages_text() : "";
  if (!known.empty()) return known;
  std::string text = base::counted(count, "message", "messages");
  if (!partners.empty()) text += ", " + partners;
  if (selection.ranks.empty()) return text;
  const size_t hidden = hidden_messages(trace, rows, range, selection);
  if (hidden > 0)
    text += fmt::format(" (and {} from or to other ranks)", base::human_count(hidden));
  return text;
}

std::string time_text(const trace::Trace& trace, TimeRange range,
                      const trace::Selection& selection) {
  std::string text = base::human_seconds(trace.span_seconds(range.until - range.from));
  if (selection.from_ticks > trace.start_ticks || selection.until_ticks <= trace.end_ticks) {
    text += fmt::format(" of {}", base::human_seconds(trace.duration_seconds()));
  }
  return text;
}

std::string unlike_text(const std::vector<uint32_t>& unlike, const Rows& rows) {
  constexpr size_t kNamed = 2;
  std::string text;
  if (unlike.size() > kNamed) {
    text = fmt::format("{} rows", unlike.size());
  } else {
    for (const uint32_t row : unlike) text += (text.empty() ? "" : ", ") + rows.rows[row].name;
  }
  return text + ": higher, unlike others";
}

std::string lines_text(const bundle::Bundled& bundled, size_t row_count) {
  const std::string& mode = bundled.mode;
  if (mode == "none") return "from send to receive";
  if (mode == "density") return "send to receive, density";
  if (mode == "bursts") return "bursts, dots: receivers";
  if (mode == "phases") {
    const size_t ranks = bundled.rows == 0 ? 1 : row_count / bundled.rows;
    return ranks < 2 ? "send to receive, by phase"
                     : fmt::format("by phase, {} rows a trunk", ranks);
  }
  return fmt::format("send to receive, {}", mode);
}

}  // namespace pathline::figure
