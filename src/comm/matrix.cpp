// SPDX-License-Identifier: BSD-3-Clause
#include "comm/matrix.hpp"

#include <algorithm>

#include "trace/calls.hpp"

namespace pathline::comm {
namespace {

struct Cell {
  uint64_t messages = 0;
  uint64_t bytes = 0;
  int64_t min_ticks = INT64_MAX;
  int64_t max_ticks = INT64_MIN;
  double sum_ticks = 0;
};

struct Row {
  std::vector<uint32_t> receivers;
  std::vector<Cell> cells;
};

/// Message numbers grouped by sender, in the order of sending.
struct BySender {
  std::vector<size_t> start;
  std::vector<uint32_t> message;
};

BySender group_by_sender(const trace::Trace& trace, const std::vector<bool>& chosen) {
  const trace::Messages& messages = trace.messages;
  BySender grouped;
  grouped.start.assign(size_t{trace.rank_count} + 1, 0);
  for (size_t i = 0; i < messages.size(); ++i) {
    if (chosen[i]) ++grouped.start[messages.sender[i] + 1];
  }
  for (size_t rank = 0; rank < trace.rank_count; ++rank) {
    grouped.start[rank + 1] += grouped.start[rank];
  }
  grouped.message.resize(grouped.start.back());
  std::vector<size_t> next(grouped.start.begin(), grouped.start.end() - 1);
  for (size_t i = 0; i < messages.size(); ++i) {
    if (chosen[i]) grouped.message[next[messages.sender[i]]++] = static_cast<uint32_t>(i);
  }
  return grouped;
}

Row sum_row(const trace::Messages& messages, std::vector<uint32_t> mine) {
  std::stable_sort(mine.begin(), mine.end(), [&](uint32_t a, uint32_t b) {
    return messages.receiver[a] < messages.receiver[b];
  });
  Row row;
  for (const uint32_t i : mine) {
    if (row.receivers.empty() || row.receivers.back() != messages.receiver[i]) {
      row.receivers.push_back(messages.receiver[i]);
      row.cells.emplace_back();
    }
    Cell& cell = row.cells.back();
    const auto ticks = static_cast<int64_t>(messages.recv_ticks[i] - messages.send_ticks[i]);
    ++cell.messages;
    cell.bytes += messages.bytes[i];
    cell.min_ticks = std::min(cell.min_ticks, ticks);
    cell.max_ticks = std::max(cell.max_ticks, ticks);
    cell.sum_ticks += static_cast<double>(ticks);
  }
  return row;
}

}  // namespace

std::vector<bool> chosen_messages(const trace::Trace& trace, const trace::Selection& selection,
                                  std::optional<uint32_t> step) {
  const trace::Messages& messages = trace.messages;
  const auto steps =
      step ? trace::marked_steps(trace) : std::vector<std::vector<trace::StepWindow>>();
  const auto in_step = [&](size_t i) {
    if (!step) return true;
    return std::any_of(steps[messages.sender[i]].begin(), steps[messages.sender[i]].end(),
                       [&](const trace::StepWindow& window) {
                         return window.step == *step &&
                                messages.send_ticks[i] >= window.begin_ticks &&
                                messages.send_ticks[i] <= window.end_ticks;
                       });
  };
  std::vector<bool> chosen(messages.size());
  for (size_t i = 0; i < chosen.size(); ++i) {
    chosen[i] = selection.has_message(messages, i) && in_step(i);
  }
  return chosen;
}

Matrix matrix(const trace::Trace& trace, const trace::Selection& selection,
              std::optional<uint32_t> step, base::ThreadPool& pool) {
  const BySender grouped = group_by_sender(trace, chosen_messages(trace, selection, step));
  std::vector<Row> rows(trace.rank_count);
  pool.for_each(rows.size(), [&](size_t sender) {
    rows[sender] = sum_row(trace.messages, {grouped.message.begin() + grouped.start[sender],
                                            grouped.message.begin() + grouped.start[sender + 1]});
  });
  Matrix matrix;
  matrix.traffic.row.push_back(0);
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& cell = row.cells[i];
      matrix.traffic.receiver.push_back(row.receivers[i]);
      matrix.traffic.messages.push_back(cell.messages);
      matrix.traffic.bytes.push_back(cell.bytes);
      matrix.min_ticks.push_back(cell.min_ticks);
      matrix.max_ticks.push_back(cell.max_ticks);
      matrix.mean_ticks.push_back(cell.sum_ticks / static_cast<double>(cell.messages));
    }
    matrix.traffic.row.push_back(matrix.traffic.receiver.size());
  }
  return matrix;
}

}  // namespace pathline::comm
