// SPDX-License-Identifier: BSD-3-Clause
#include "predict/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "predict/flows.hpp"
#include "predict/rank_grid.hpp"
#include "predict/ways.hpp"

namespace pathline::predict {
namespace {

constexpr uint64_t kMostRounds = 16;

/// One message of one round.
struct Message {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  uint64_t bytes = 0;
};

ShiftMessages empty_shift(uint32_t ranks) {
  ShiftMessages shift;
  shift.source.assign(ranks, kNobody);
  shift.target.assign(ranks, kNobody);
  shift.kind.assign(ranks, 0);
  return shift;
}

/// Messages divided into shifts, in which each rank sends and gets one at most.
std::vector<std::vector<Message>> divided(const std::vector<Message>& messages, uint32_t ranks) {
  std::vector<std::vector<Message>> shifts;
  // Of each rank, by shift.
  std::vector<std::vector<bool>> sends(ranks);
  std::vector<std::vector<bool>> gets(ranks);
  const auto is_taken = [](const std::vector<bool>& of, size_t shift) {
    return shift < of.size() && of[shift];
  };
  const auto take = [](std::vector<bool>& of, size_t shift) {
    if (of.size() <= shift) of.resize(shift + 1);
    of[shift] = true;
  };
  for (const Message& message : messages) {
    size_t shift = 0;
    while (is_taken(sends[message.sender], shift) || is_taken(gets[message.receiver], shift)) {
      ++shift;
    }
    take(sends[message.sender], shift);
    take(gets[message.receiver], shift);
    if (shifts.size() <= shift) shifts.resize(shift + 1);
    shifts[shift].push_back(message);
  }
  return shifts;
}

/// Beyond what the tables answer for, as many times as long as there are as many times more.
std::function<base::Result<Time>(double)> in_proportion(
    std::function<base::Result<Time>(double)> time) {
  return [time = std::move(time)](double lanes) {
    auto found = time(lanes);
    for (double fewer = lanes / 2; !found && fewer >= 1; fewer /= 2) {
      if (auto of_fewer = time(fewer)) return base::Result<Time>(lanes / fewer * of_fewer.value());
    }
    return found;
  };
}

}  // namespace

base::Result<Time> predict_traffic(const graph::Traffic& traffic,
                                   const mapping::Placement& placement, Bind bind,
                                   const Machine& machine) {
  const uint32_t ranks = traffic.rank_count();
  if (placement.rank_count() < ranks) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("the placement has {} ranks, the traffic {}", placement.rank_count(), ranks)};
  }
  Ways ways(machine, placement);
  if (auto status = ways.seat(bind); !status) return status.error();
  // Traffic of a file may say bytes only: one message then.
  const auto count_of = [&](size_t entry) {
    return traffic.messages[entry] > 0 ? traffic.messages[entry]
                                       : uint64_t{traffic.bytes[entry] > 0 ? 1U : 0U};
  };
  uint64_t most = 0;
  for (size_t i = 0; i < traffic.entry_count(); ++i) most = std::max(most, count_of(i));
  const uint64_t rounds = std::min(most, kMostRounds);
  const double each = rounds == 0 ? 0 : static_cast<double>(most) / static_cast<double>(rounds);
  std::vector<Stage> stages;
  std::vector<ShiftMessages> shifts;
  for (uint64_t round = 0; round < rounds; ++round) {
    std::vector<Message> messages;
    for (uint32_t sender = 0; sender < ranks; ++sender) {
      for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
        // Pairs with fewer messages are in the first rounds only.
        const uint64_t count = count_of(i);
        if (static_cast<double>(count) <= each * static_cast<double>(round)) continue;
        const uint64_t bytes = traffic.bytes[i] / count;
        messages.push_back({sender, traffic.receiver[i], std::max<uint64_t>(bytes, 1)});
      }
    }
    Stage& stage = stages.emplace_back();
    for (std::vector<Message>& of_shift : divided(messages, ranks)) {
      stage.shifts.push_back(static_cast<uint32_t>(shifts.size()));
      ShiftMessages& shift = shifts.emplace_back(empty_shift(ranks));
      std::sort(of_shift.begin(), of_shift.end(),
                [](const Message& a, const Message& b) { return a.receiver < b.receiver; });
      auto next = of_shift.begin();
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        shift.first_way.push_back(shift.ways.size());
        if (next == of_shift.end() || next->receiver != rank) continue;
        shift.source[rank] = next->sender;
        shift.target[next->sender] = rank;
        const HaloTable::Way way = ways.add(next->sender, rank, shift.ways);
        shift.kind[rank] = ways.kind_of(way, "contiguous", next->bytes);
        ++next;
      }
      shift.first_way.push_back(shift.ways.size());
    }
  }
  if (stages.empty()) return Time{};
  std::vector<MessageKind> kinds = ways.kinds();
  for (MessageKind& kind : kinds) kind.time = in_proportion(std::move(kind.time));
  auto found = run_steps(ranks, ways.count(), stages, shifts, kinds, 1);
  if (!found) return found.error();
  const double seconds = each * found.value().step_s;
  return Time{seconds, found.value().low * seconds, found.value().high * seconds};
}

}  // namespace pathline::predict
