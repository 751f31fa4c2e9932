// SPDX-License-Identifier: BSD-3-Clause
#include "figure/pairs/pairs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::figure {
namespace {

/// "3.2", but "41" and "1": no more digits than a reader needs.
std::string distance_text(double value) {
  std::string text = value < 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

double Exchange::mean(Metric metric) const {
  switch (metric) {
    case Metric::kMessages: return messages;
    case Metric::kBytes: return bytes;
    case Metric::kTime: return messages > 0 ? seconds / messages : 0;
    case Metric::kBandwidth: return seconds > 0 ? bytes / seconds : 0;
  }
  return 0;
}

double Exchange::sum(Metric metric) const {
  if (metric == Metric::kMessages) return messages;
  return metric == Metric::kTime ? std::max(0.0, seconds) : bytes;
}

void Exchange::add(const comm::Matrix& matrix, size_t entry, double seconds_per_tick) {
  const auto count = static_cast<double>(matrix.traffic.messages[entry]);
  messages += count;
  bytes += static_cast<double>(matrix.traffic.bytes[entry]);
  seconds += matrix.mean_ticks[entry] * count * seconds_per_tick;
}

comm::ProcessOrder process_order(const trace::Trace& trace, const trace::Selection& selection,
                                 const comm::Matrix& matrix, const Options& options) {
  const graph::Weight weight =
      options.metric == Metric::kMessages ? graph::Weight::kMessages : graph::Weight::kBytes;
  return comm::process_order(trace, selection, matrix.traffic, weight, options.order);
}

std::string order_text(const comm::ProcessOrder& order) {
  std::string text = order.name;
  if (!order.remark.empty()) text += fmt::format(" ({})", order.remark);
  const std::string score = distance_text(order.score);
  const std::string plain = distance_text(order.rank_order_score);
  text += fmt::format(", mean distance {} {}", score, score == "1" ? "rank" : "ranks");
  if (order.name != "rank order") {
    const bool is_worse = order.score > order.rank_order_score;
    text += fmt::format("; {} in rank order{}", plain, is_worse ? ", which is better" : "");
  }
  return text;
}

base::Result<OrderedPairs> ordered_pairs(const trace::Trace& trace,
                                         const trace::Selection& selection,
                                         const comm::Matrix& matrix, const Options& options) {
  if (options.metric == Metric::kBandwidth) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "bandwidths of several pairs have no sum; this picture shows messages, "
                       "bytes or time"};
  }
  OrderedPairs pairs{process_order(trace, selection, matrix, options), {}};
  if (pairs.order.size() == 0) {
    return base::Error{base::ErrorCode::kInvalidArgument, "there is no rank to draw"};
  }
  const double seconds_per_tick = 1 / static_cast<double>(trace.definitions.clock.ticks_per_second);
  pairs.values.reserve(matrix.traffic.entry_count());
  for_each_pair(matrix, pairs.order, [&](uint32_t from, uint32_t to, size_t i) {
    Exchange exchange;
    exchange.add(matrix, i, seconds_per_tick);
    pairs.values.push_back({from, to, exchange.sum(options.metric)});
  });
  return pairs;
}

PairsText pairs_text(const trace::Trace& trace, const trace::Selection& selection,
                     const comm::Matrix& matrix, const comm::ProcessOrder& order) {
  PairsText text;
  uint64_t pairs = 0;
  uint64_t bytes = 0;
  for_each_pair(matrix, order, [&](uint32_t /*from*/, uint32_t /*to*/, size_t i) {
    ++pairs;
    text.message_count += matrix.traffic.messages[i];
    bytes += matrix.traffic.bytes[i];
  });
  uint64_t hidden = 0;
  for (const uint64_t count : matrix.traffic.messages) hidden += count;
  hidden -= text.message_count;
  text.subtitle = fmt::format("{}, {}, {}, {}", ranks_text(trace, selection),
                              base::counted(pairs, "pair", "pairs"),
                              base::counted(text.message_count, "message", "messages"),
                              base::human_bytes(static_cast<double>(bytes)));
  if (hidden > 0) {
    text.subtitle += fmt::format(" (and {} from or to other ranks)",
                                 base::counted(hidden, "message", "messages"));
  }
  if (text.message_count > 0) text.subtitle += " — " + order_text(order);
  return text;
}

std::string positions_text(const comm::ProcessOrder& order, uint32_t begin, uint32_t end) {
  for (size_t block = 0; block < order.block_begin.size(); ++block) {
    if (order.block_begin[block] == begin && order.block_end(block) == end) {
      return order.block_name[block];
    }
  }
  const uint32_t first = order.rank_at_position[begin];
  bool in_a_row = true;
  for (uint32_t i = begin; i < end; ++i) {
    in_a_row = in_a_row && order.rank_at_position[i] == first + (i - begin);
  }
  if (end - begin == 1) return fmt::format("{}", first);
  if (in_a_row) return fmt::format("{}–{}", first, first + (end - begin - 1));
  std::string text;
  for (uint32_t i = begin; i < std::min(end, begin + 3); ++i) {
    text += fmt::format("{}{}", i == begin ? "" : ", ", order.rank_at_position[i]);
  }
  return end - begin > 3 ? text + " …" : text;
}

std::string value_text(Metric metric, double value) {
  switch (metric) {
    case Metric::kMessages: return base::human_count(static_cast<uint64_t>(value));
    case Metric::kBytes: return base::human_bytes(value);
    case Metric::kTime: return base::human_seconds(value);
    case Metric::kBandwidth: return base::human_bytes(value) + "/s";
  }
  return "";
}

}  // namespace pathline::figure
