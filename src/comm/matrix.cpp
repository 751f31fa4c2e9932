// SPDX-License-Identifier: BSD-3-Clause
#include "comm/matrix.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

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

/// A run on many ranks has millions of pairs: they stand in blocks, which never move, and a table
/// of their numbers (open addressing) is all that has to grow at once.
struct GrowingMatrix::State {
  struct Pair {
    uint64_t key;
    uint64_t bytes = 0;
    int64_t min_ticks = INT64_MAX;
    int64_t max_ticks = INT64_MIN;
    uint64_t sum_low = 0;  // Of 96 bits, which is enough for as many messages.
    int32_t sum_high = 0;
    uint32_t messages = 0;  // Without those in `many`.
  };
  static_assert(sizeof(Pair) == 48);
  static constexpr size_t kBlockPairs = 1U << 14U;
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<std::vector<Pair>> blocks;
  std::vector<uint32_t> slots = std::vector<uint32_t>(1024, kNone);  // A power of two.
  uint32_t count = 0;
  std::map<uint64_t, uint64_t> many;  // By key: messages that are more than a pair counts.

  static uint64_t key_of(const trace::Messages& messages, size_t i) {
    return uint64_t{messages.sender[i]} << 32U | messages.receiver[i];
  }
  [[nodiscard]] size_t first_slot(uint64_t key) const {
    return static_cast<size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32U) & (slots.size() - 1);
  }
  Pair& at(uint32_t number) { return blocks[number / kBlockPairs][number % kBlockPairs]; }

  /// The slot of a pair, or the one where it belongs.
  uint32_t& find(uint64_t key) {
    const size_t mask = slots.size() - 1;
    size_t i = first_slot(key);
    while (slots[i] != kNone && at(slots[i]).key != key) i = (i + 1) & mask;
    return slots[i];
  }
  Pair& pair(uint64_t key) {
    const uint32_t known = find(key);
    if (known != kNone) return at(known);
    if (3 * (size_t{count} + 1) > 2 * slots.size()) {
      slots.assign(2 * slots.size(), kNone);
      for (uint32_t number = 0; number < count; ++number) find(at(number).key) = number;
    }
    if (count % kBlockPairs == 0) blocks.emplace_back().reserve(kBlockPairs);
    find(key) = count++;
    return blocks.back().emplace_back(Pair{key});
  }

  void add(uint64_t key, const Cell& cell) {
    Pair& to = pair(key);
    to.bytes += cell.bytes;
    to.min_ticks = std::min(to.min_ticks, cell.min_ticks);
    to.max_ticks = std::max(to.max_ticks, cell.max_ticks);
    const Int128 sum = sum_of(to) + cell.sum_ticks;
    to.sum_low = static_cast<uint64_t>(sum);
    to.sum_high = static_cast<int32_t>(sum >> 64U);
    const uint64_t messages = to.messages + cell.messages;
    to.messages = static_cast<uint32_t>(messages);
    if (messages > UINT32_MAX) many[key] += messages - to.messages;
  }
  [[nodiscard]] Cell cell(const Pair& of) const {
    const auto more = many.find(of.key);
    return {of.messages + (more == many.end() ? 0 : more->second), of.bytes, of.min_ticks,
            of.max_ticks, sum_of(of)};
  }
  static Int128 sum_of(const Pair& pair) {
    return static_cast<Int128>(pair.sum_high) * (Int128{1} << 64U) + pair.sum_low;
  }
};

GrowingMatrix::GrowingMatrix() : state_(std::make_unique<State>()) {}
GrowingMatrix::~GrowingMatrix() = default;

void GrowingMatrix::add(const trace::Messages& messages, const trace::Selection* chosen) {
  State& state = *state_;
  // Neighbours are mostly of different ranks, so that each is two cache misses: ask early.
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (i + 2 * kAhead < messages.size()) {
      const uint64_t far = State::key_of(messages, i + 2 * kAhead);
      __builtin_prefetch(&state.slots[state.first_slot(far)]);
      const uint64_t near = State::key_of(messages, i + kAhead);
      const uint32_t number = state.slots[state.first_slot(near)];
      if (number != State::kNone) __builtin_prefetch(&state.at(number));
    }
    if (chosen != nullptr && !chosen->has_message(messages, i)) continue;
    Cell one;
    one.add(messages, i);
    state.add(State::key_of(messages, i), one);
  }
}

Matrix GrowingMatrix::finish(uint32_t rank_count) {
  const std::unique_ptr<State> state = std::exchange(state_, std::make_unique<State>());
  // By sender, and then each sender's own: in one sort every comparison would be two cache misses.
  std::vector<uint32_t> order = std::move(state->slots);
  order.resize(state->count);
  std::vector<uint32_t> first(size_t{rank_count} + 1, 0);
  const auto sender_of = [&](uint32_t number) {
    return static_cast<uint32_t>(state->at(number).key >> 32U);
  };
  for (uint32_t number = 0; number < state->count; ++number) ++first[sender_of(number) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (uint32_t number = 0; number < state->count; ++number) {
    order[next[sender_of(number)]++] = number;
  }
  Matrix matrix;
  matrix.traffic.row.reserve(size_t{rank_count} + 1);
  matrix.traffic.receiver.reserve(order.size());
  matrix.traffic.messages.reserve(order.size());
  matrix.traffic.bytes.reserve(order.size());
  matrix.min_ticks.reserve(order.size());
  matrix.max_ticks.reserve(order.size());
  matrix.mean_ticks.reserve(order.size());
  std::vector<std::pair<uint32_t, uint32_t>> row;  // Receivers and the numbers of their pairs.
  for (uint32_t sender = 0; sender < rank_count; ++sender) {
    matrix.traffic.row.push_back(matrix.traffic.receiver.size());
    row.clear();
    for (uint32_t i = first[sender]; i < first[sender + 1]; ++i) {
      row.emplace_back(static_cast<uint32_t>(state->at(order[i]).key), order[i]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [receiver, number] : row) {
      add_cell(receiver, state->cell(state->at(number)), matrix);
    }
  }
  matrix.traffic.row.push_back(matrix.traffic.receiver.size());
  return matrix;
}

void GrowingMatrix::pack(base::Packer& out) const {
  out.put(state_->count);
  for (const auto& block : state_->blocks) {
    for (const State::Pair& pair : block) {
      out.put(pair.key);
      out.put(state_->cell(pair));
    }
  }
}

void GrowingMatrix::take(base::Unpacker& in) {
  for (auto count = in.get<uint32_t>(); count > 0; --count) {
    const auto key = in.get<uint64_t>();
    state_->add(key, in.get<Cell>());
  }
}

}  // namespace pathline::comm
