// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/messages.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/id_map.hpp"

namespace pathline::figure {
namespace {

constexpr size_t kChunk = 65536;

/// A message is seen from its sending to the end of its receive.
bool in_range(const trace::Messages& messages, size_t i, TimeRange range) {
  return std::max(messages.send_ticks[i], messages.recv_ticks[i]) >= range.from &&
         std::min(messages.send_ticks[i], messages.recv_ticks[i]) <= range.until;
}

/// The row of a message's end; kNone when it has none.
uint32_t row_of(const Rows& rows, uint32_t location, uint32_t rank) {
  const uint32_t row =
      location == base::IdMap::kNone ? base::IdMap::kNone : rows.of_location[location];
  return row == base::IdMap::kNone ? rows.of_rank[rank] : row;
}

bool has_rows(const trace::Messages& messages, size_t i, const Rows& rows) {
  return row_of(rows, messages.send_location[i], messages.sender[i]) != base::IdMap::kNone &&
         row_of(rows, messages.recv_location[i], messages.receiver[i]) != base::IdMap::kNone;
}

/// Where a row is: exactly, and at the nearest edge of pixels.
struct Height {
  float exact;
  float whole;
};

float whole(double value) { return static_cast<float>(static_cast<int32_t>(value)); }

Height height_at(double y) {
  constexpr double kFarPx = 1e9;  // rows above and below what is seen
  return {static_cast<float>(y), whole(std::clamp(y + 0.5, -kFarPx, kFarPx))};
}

/// Puts line `i` where it belongs, in pixels of the plot. What begins and ends in one column of
/// pixels is upright there.
void place(double x1, Height y1, double x2, Height y2, const layout::Rect& plot, size_t i,
           layout::Segments& lines) {
  const bool is_inside = std::min(x1, x2) >= plot.x && std::max(x1, x2) < plot.right();
  if (is_inside && whole(x1) == whole(x2)) {
    lines.x1[i] = lines.x2[i] = whole(x1) + 0.5F;
    lines.y1[i] = y1.whole;
    lines.y2[i] = y2.whole;
  } else {
    lines.x1[i] = static_cast<float>(x1);
    lines.x2[i] = static_cast<float>(x2);
    lines.y1[i] = y1.exact;
    lines.y2[i] = y2.exact;
  }
}

layout::Segments lines_in(const layout::Rect& plot, size_t count) {
  layout::Segments lines;
  lines.clip = plot;
  for (auto* column : {&lines.x1, &lines.y1, &lines.x2, &lines.y2}) column->resize(count);
  return lines;
}

}  // namespace

base::Column<uint32_t> visible_messages(const trace::Trace& trace, const Rows& rows,
                                        TimeRange range, base::ThreadPool& pool) {
  const trace::Messages& messages = trace.messages;
  const size_t chunks = (messages.size() + kChunk - 1) / kChunk;
  const auto is_complete = [](const std::vector<uint32_t>& rows_of) {
    return std::find(rows_of.begin(), rows_of.end(), base::IdMap::kNone) == rows_of.end();
  };
  const bool all_have_rows = is_complete(rows.of_location) && is_complete(rows.of_rank);
  std::vector<base::Column<uint32_t>> found(chunks);
  pool.for_each(chunks, [&](size_t chunk) {
    const size_t end = std::min(messages.size(), (chunk + 1) * kChunk);
    base::Column<uint32_t> part(end - chunk * kChunk);
    size_t count = 0;
    for (size_t i = chunk * kChunk; i < end; ++i) {
      part[count] = static_cast<uint32_t>(i);
      const bool is_seen =
          in_range(messages, i, range) && (all_have_rows || has_rows(messages, i, rows));
      count += is_seen ? 1 : 0;
    }
    part.resize(count);
    found[chunk] = std::move(part);
  });
  size_t total = 0;
  for (const auto& part : found) total += part.size();
  base::Column<uint32_t> all(total);
  uint32_t* to = all.data();
  for (const auto& part : found) to = std::copy(part.begin(), part.end(), to);
  return all;
}

layout::Segments message_lines(const trace::Trace& trace, const base::Column<uint32_t>& messages,
                               const Rows& rows, TimeRange range, const layout::Rect& plot,
                               Metric weight, base::ThreadPool& pool) {
  layout::Segments lines = lines_in(plot, messages.size());
  const double scale = plot.w / static_cast<double>(range.until - range.from);
  const double row_px = plot.h / static_cast<double>(rows.rows.size());
  const auto x_of = [&](uint64_t ticks) {
    return plot.x + static_cast<double>(static_cast<int64_t>(ticks - range.from)) * scale;
  };
  std::vector<Height> heights;  // of rows
  for (size_t row = 0; row < rows.rows.size(); ++row) {
    heights.push_back(height_at(plot.y + (static_cast<double>(row) + 0.5) * row_px));
  }
  const trace::Messages& all = trace.messages;
  if (weight != Metric::kMessages) lines.weight.resize(messages.size());
  const auto weight_of = [&](size_t i) {
    if (weight == Metric::kBytes) return static_cast<float>(all.bytes[i]);
    const bool is_forward = all.recv_ticks[i] > all.send_ticks[i];
    return is_forward
               ? static_cast<float>(trace.span_seconds(all.recv_ticks[i] - all.send_ticks[i]))
               : 0.0F;
  };
  pool.for_each((messages.size() + kChunk - 1) / kChunk, [&](size_t chunk) {
    const size_t end = std::min(messages.size(), (chunk + 1) * kChunk);
    for (size_t line = chunk * kChunk; line < end; ++line) {
      const size_t i = messages[line];
      if (!lines.weight.empty()) lines.weight[line] = weight_of(i);
      place(x_of(all.send_ticks[i]), heights[row_of(rows, all.send_location[i], all.sender[i])],
            x_of(all.recv_ticks[i]), heights[row_of(rows, all.recv_location[i], all.receiver[i])],
            plot, line, lines);
    }
  });
  return lines;
}

std::vector<LineRows> line_rows(const trace::Trace& trace, const base::Column<uint32_t>& messages,
                                const Rows& rows) {
  const trace::Messages& all = trace.messages;
  std::vector<LineRows> result;
  result.reserve(messages.size());
  for (const uint32_t i : messages) {
    result.push_back({row_of(rows, all.send_location[i], all.sender[i]),
                      row_of(rows, all.recv_location[i], all.receiver[i])});
  }
  return result;
}

layout::Segments record_lines(const pyramid::MessageRecords& records, TimeRange range,
                              uint32_t first_row, size_t row_count, const layout::Rect& plot) {
  layout::Segments lines = lines_in(plot, records.size());
  lines.weight.resize(records.size());
  const double scale = plot.w / static_cast<double>(range.until - range.from);
  const double row_px = plot.h / static_cast<double>(row_count);
  const double top = plot.y - static_cast<double>(first_row) * row_px;
  for (size_t i = 0; i < records.size(); ++i) {
    place(plot.x + records.send_ticks[i] * scale,
          height_at(top + double{records.sender[i]} * row_px),
          plot.x + records.recv_ticks[i] * scale,
          height_at(top + double{records.receiver[i]} * row_px), plot, i, lines);
    lines.weight[i] = static_cast<float>(records.weight[i]);
  }
  return lines;
}

size_t hidden_messages(const trace::Trace& trace, const Rows& rows, TimeRange range,
                       const trace::Selection& selection) {
  const trace::Messages& messages = trace.messages;
  size_t hidden = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    const bool chosen =
        selection.has_rank(messages.sender[i]) || selection.has_rank(messages.receiver[i]);
    if (chosen && in_range(messages, i, range) && !has_rows(messages, i, rows)) ++hidden;
  }
  return hidden;
}

}  // namespace pathline::figure
