// SPDX-License-Identifier: BSD-3-Clause
#include "comm/wrong_order.hpp"

#include <algorithm>
#include <utility>

namespace pathline::comm {
namespace {

/// The rows of one location after those of the other.
template <class Row>
class ByLocation {
 public:
  ByLocation(const base::Column<Row>& rows, size_t locations)
      : rows_(rows.size()), first_(locations + 1, 0) {
    for (const Row& row : rows) ++first_[row.location + 1];
    for (size_t i = 0; i < locations; ++i) first_[i + 1] += first_[i];
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Row& row : rows) rows_[next[row.location]++] = row;
  }
  [[nodiscard]] std::span<Row> operator[](uint32_t location) {
    return std::span(rows_.begin(), rows_.size())
        .subspan(first_[location], first_[location + 1] - first_[location]);
  }

 private:
  base::Column<Row> rows_;
  std::vector<uint32_t> first_;
};

}  // namespace

void WrongOrder::settle(const std::function<Known(uint32_t location)>& known, WaitSums& sums) {
  if (waits_.empty() && expected_.empty()) {
    received_ = {};
    return;
  }
  ByLocation<Received> received(std::exchange(received_, {}), locations_);
  ByLocation<Wait> waits(std::exchange(waits_, {}), locations_);
  ByLocation<Expected> expected(std::exchange(expected_, {}), locations_);
  for (uint32_t i = 0; i < locations_; ++i) {
    if (waits[i].empty() && expected[i].empty()) continue;  // Nobody asks for what it received.
    settle(received[i], waits[i], expected[i], known(i), sums);
  }
}

void WrongOrder::settle(std::span<Received> received, std::span<Wait> waits,
                        std::span<const Expected> expected, const Known& known, WaitSums& sums) {
  const auto by_number = [](const auto& a, const auto& b) { return a.number < b.number; };
  std::sort(received.begin(), received.end(), by_number);
  std::sort(waits.begin(), waits.end(), by_number);

  open_.clear();
  for (const Expected& one : expected) open_.push_back(one.number);
  uint64_t first_sent = UINT64_MAX;  // Of all that later calls received.
  auto next_received = received.rbegin();
  for (auto wait = waits.rbegin(); wait != waits.rend(); ++wait) {
    for (; next_received != received.rend() && next_received->number > wait->number;
         ++next_received) {
      first_sent = std::min(first_sent, next_received->sent_ticks);
    }
    if (first_sent > wait->begin_ticks && wait->until_ticks > known.ticks) {
      waits_.push_back(*wait);
      open_.push_back(wait->number);
      continue;
    }
    sums.add(WaitKind::kWrongOrder, known.rank, std::max(first_sent, wait->begin_ticks),
             wait->until_ticks);
  }

  // Between two calls that are asked about, the earliest is enough.
  std::sort(open_.begin(), open_.end());
  const size_t before = received_.size();
  auto next = open_.begin();
  for (const Received& one : received) {
    const auto behind = std::lower_bound(next, open_.end(), one.number);  // Those in front see it.
    if (behind == open_.begin()) continue;
    if (received_.size() == before || behind != next) {
      received_.push_back(one);
    } else {
      Received& last = received_.back();
      last.number = one.number;
      last.sent_ticks = std::min(last.sent_ticks, one.sent_ticks);
    }
    next = behind;
  }
}

}  // namespace pathline::comm
