// SPDX-License-Identifier: BSD-3-Clause
#include "comm/matrix.hpp"

#include <algorithm>

#include "trace/calls.hpp"

namespace pathline::comm {
namespace {

__extension__ typedef __int128 Int128;

/// An integer sum: the same in any order of the messages.
struct Cell {
  uint64_t messages = 0;
  uint64_t bytes = 0;
  int64_t min_ticks = INT64_MAX;
  int64_t max_ticks = INT64_MIN;
  Int128 sum_ticks = 0;

  void add(const trace::Messages& all, size_t i) {
    const auto ticks = static_cast<int64_t>(all.recv_ticks[i] - all.send_ticks[i]);
    ++messages;
    bytes += all.bytes[i];
    min_ticks = std::min(min_ticks, ticks);
    max_ticks = std::max(max_ticks, ticks);
    sum_ticks += ticks;
  }
  void add(const Cell& other) {
    messages += other.messages;
    bytes += other.bytes;
    min_ticks = std::min(min_ticks, other.min_ticks);
    max_ticks = std::max(max_ticks, other.max_ticks);
    sum_ticks += other.sum_ticks;
  }
};

void add_cell(uint32_t receiver, const Cell& cell, Matrix& matrix) {
  matrix.traffic.receiver.push_back(receiver);
  matrix.traffic.messages.push_back(cell.messages);
  matrix.traffic.bytes.push_back(cell.bytes);
  matrix.min_ticks.push_back(cell.min_ticks);
  matrix.max_ticks.push_back(cell.max_ticks);
  matrix.mean_ticks.push_back(static_cast<double>(cell.sum_ticks) /
                              static_cast<double>(cell.messages));
}

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
    row.cells.back().add(messages, i);
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
    for (size_t i = 0; i < row.cells.size(); ++i) add_cell(row.receivers[i], row.cells[i], matrix);
    matrix.traffic.row.push_back(matrix.traffic.receiver.size());
  }
  return matrix;
}

Matrix chosen(const Matrix& matrix, const trace::Selection& selection) {
  const graph::Traffic& all = matrix.traffic;
  Matrix result;
  for (uint32_t sender = 0; sender < all.rank_count(); ++sender) {
    result.traffic.row.push_back(result.traffic.receiver.size());
    for (size_t i = all.row[sender]; i < all.row[sender + 1]; ++i) {
      if (!selection.has_rank(sender) && !selection.has_rank(all.receiver[i])) continue;
      result.traffic.receiver.push_back(all.receiver[i]);
      result.traffic.messages.push_back(all.messages[i]);
      result.traffic.bytes.push_back(all.bytes[i]);
      result.min_ticks.push_back(matrix.min_ticks[i]);
      result.max_ticks.push_back(matrix.max_ticks[i]);
      result.mean_ticks.push_back(matrix.mean_ticks[i]);
    }
  }
  result.traffic.row.push_back(result.traffic.receiver.size());
  return result;
}

/// Open addressing: a run on many ranks has millions of pairs.
struct GrowingMatrix::State {
  struct Slot {
    uint64_t key = UINT64_MAX;
    Cell cell;
  };
  std::vector<Slot> slots = std::vector<Slot>(1024);  // A power of two, at most two thirds full.
  size_t used = 0;

  Slot& find(uint64_t key) {
    const size_t mask = slots.size() - 1;
    size_t i = static_cast<size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32U) & mask;
    while (slots[i].key != UINT64_MAX && slots[i].key != key) i = (i + 1) & mask;
    return slots[i];
  }
  Cell& cell(uint64_t key) {
    Slot* found = &find(key);
    if (found->key == key) return found->cell;
    if (3 * (used + 1) > 2 * slots.size()) {
      std::vector<Slot> old(2 * slots.size());
      old.swap(slots);
      for (const Slot& slot : old) {
        if (slot.key != UINT64_MAX) find(slot.key) = slot;
      }
      found = &find(key);
    }
    ++used;
    found->key = key;
    return found->cell;
  }
};

GrowingMatrix::GrowingMatrix() : state_(std::make_unique<State>()) {}
GrowingMatrix::~GrowingMatrix() = default;

void GrowingMatrix::add(const trace::Messages& messages) {
  for (size_t i = 0; i < messages.size(); ++i) {
    state_->cell(uint64_t{messages.sender[i]} << 32U | messages.receiver[i]).add(messages, i);
  }
}

Matrix GrowingMatrix::finish(uint32_t rank_count) const {
  std::vector<const State::Slot*> used;
  used.reserve(state_->used);
  for (const State::Slot& slot : state_->slots) {
    if (slot.key != UINT64_MAX) used.push_back(&slot);
  }
  std::sort(used.begin(), used.end(),
            [](const State::Slot* a, const State::Slot* b) { return a->key < b->key; });
  Matrix matrix;
  size_t next = 0;
  for (uint32_t sender = 0; sender < rank_count; ++sender) {
    matrix.traffic.row.push_back(matrix.traffic.receiver.size());
    for (; next < used.size() && used[next]->key >> 32U == sender; ++next) {
      add_cell(static_cast<uint32_t>(used[next]->key), used[next]->cell, matrix);
    }
  }
  matrix.traffic.row.push_back(matrix.traffic.receiver.size());
  return matrix;
}

void GrowingMatrix::pack(base::Packer& out) const {
  out.put(uint64_t{state_->used});
  for (const State::Slot& slot : state_->slots) {
    if (slot.key != UINT64_MAX) out.put(slot);
  }
}

void GrowingMatrix::take(base::Unpacker& in) {
  for (auto count = in.get<uint64_t>(); count > 0; --count) {
    const auto slot = in.get<State::Slot>();
    state_->cell(slot.key).add(slot.cell);
  }
}

}  // namespace pathline::comm
