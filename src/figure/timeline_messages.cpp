// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline_messages.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/id_map.hpp"

namespace pathline::figure {
namespace {

/// Rows that a message goes from and to.
struct RowPair {
  uint32_t from;
  uint32_t to;
};

/// A message is seen from its sending to the end of its receive.
bool in_range(const trace::Messages& messages, size_t i, TimeRange range) {
  return std::max(messages.send_ticks[i], messages.recv_ticks[i]) >= range.from &&
         std::min(messages.send_ticks[i], messages.recv_ticks[i]) <= range.until;
}

/// Nothing for a message that is not in the picture.
std::optional<RowPair> rows_of_message(const trace::Messages& messages, size_t i, const Rows& rows,
                                       TimeRange range) {
  if (!in_range(messages, i, range)) return {};
  const auto row_of = [&](uint32_t location, uint32_t rank) {
    const uint32_t row =
        location == base::IdMap::kNone ? base::IdMap::kNone : rows.of_location[location];
    return row == base::IdMap::kNone ? rows.of_rank[rank] : row;
  };
  const uint32_t from = row_of(messages.send_location[i], messages.sender[i]);
  const uint32_t to = row_of(messages.recv_location[i], messages.receiver[i]);
  if (from == base::IdMap::kNone || to == base::IdMap::kNone) return {};
  return RowPair{from, to};
}

}  // namespace

layout::Segments message_lines(const trace::Trace& trace, const Rows& rows, TimeRange range) {
  layout::Segments segments;
  const trace::Messages& messages = trace.messages;
  const double scale = 1 / static_cast<double>(range.until - range.from);
  const auto x = [&](uint64_t ticks) {
    const auto since = static_cast<double>(static_cast<int64_t>(ticks - range.from));
    return static_cast<float>(since * scale);
  };
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto pair = rows_of_message(messages, i, rows, range);
    if (!pair) continue;
    if (segments.size() == 0) segments.reserve(messages.size() - i);
    segments.add(x(messages.send_ticks[i]), static_cast<float>(pair->from) + 0.5F,
                 x(messages.recv_ticks[i]), static_cast<float>(pair->to) + 0.5F);
  }
  return segments;
}

void place_lines(layout::Segments& lines, const layout::Rect& plot, size_t row_count) {
  const auto left = static_cast<float>(plot.x);
  const auto top = static_cast<float>(plot.y);
  const auto width = static_cast<float>(plot.w);
  const auto row_px = static_cast<float>(plot.h / static_cast<double>(row_count));
  const auto whole = [](float value) { return static_cast<float>(static_cast<int64_t>(value)); };
  constexpr float kUpright = 0.5F;
  for (size_t i = 0; i < lines.size(); ++i) {
    float x1 = left + lines.x1[i] * width;
    float x2 = left + lines.x2[i] * width;
    float y1 = top + lines.y1[i] * row_px;
    float y2 = top + lines.y2[i] * row_px;
    if (std::abs(x2 - x1) < kUpright && x1 >= left && x1 <= left + width) {
      x1 = x2 = whole((x1 + x2) / 2) + 0.5F;
      y1 = whole(y1 + 0.5F);
      y2 = whole(y2 + 0.5F);
    }
    lines.x1[i] = x1;
    lines.x2[i] = x2;
    lines.y1[i] = y1;
    lines.y2[i] = y2;
  }
  lines.clip = plot;
}

size_t hidden_messages(const trace::Trace& trace, const Rows& rows, TimeRange range,
                       const trace::Selection& selection) {
  const trace::Messages& messages = trace.messages;
  size_t hidden = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    const bool chosen =
        selection.has_rank(messages.sender[i]) || selection.has_rank(messages.receiver[i]);
    if (chosen && in_range(messages, i, range) && !rows_of_message(messages, i, rows, range)) {
      ++hidden;
    }
  }
  return hidden;
}

}  // namespace pathline::figure
