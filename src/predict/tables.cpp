// SPDX-License-Identifier: BSD-3-Clause
#include "predict/tables.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::predict {
namespace {

using store::Id;

constexpr double kOctave = 2;
constexpr double kFlat = 0.05;    // Of the time per cell, beyond the measured sizes.
constexpr double kOnLine = 0.1;   // How far from a line the time of the most lanes may be.
constexpr double kMostLanes = 4;  // Times the most that were measured.

/// Samples that belong together, by launch.
using Samples = std::vector<std::span<const double>>;

Time time_of(const Samples& samples, store::Statistic statistic, double factor, bool noisy) {
  const store::Estimate found = store::estimate(samples, statistic);
  Time time{factor * found.value, factor * found.low, factor * found.high};
  // What was measured while others worked may as well be what the machine can do at its best.
  if (noisy) {
    time.low = std::min(time.low, factor * found.minimum);
    time.high = std::max(time.high, factor * found.percentile_90);
  }
  return time;
}

std::map<Id, bool> noise_of(std::span<const store::Launch> launches) {
  std::map<Id, bool> noisy;
  for (const store::Launch& launch : launches) noisy[launch.id] = launch.noisy;
  return noisy;
}

Time interpolated(const Curve::Point& a, const Curve::Point& b, double at) {
  const double share = (std::log(at) - std::log(a.at)) / (std::log(b.at) - std::log(a.at));
  const auto between = [&](double from, double to) {
    if (from <= 0 || to <= 0) return std::lerp(from, to, share);
    return std::exp(std::lerp(std::log(from), std::log(to), share));
  };
  Time time{between(a.time.value, b.time.value), between(a.time.low, b.time.low),
            between(a.time.high, b.time.high)};
  if (share < 0 || share > 1) {
    // Beyond the points the piece is a guess: it may as well stay as it is there.
    const Time& end = share < 0 ? a.time : b.time;
    time.low = std::min(time.low, end.low);
    time.high = std::max(time.high, end.high);
  }
  return time;
}

std::string text_of(const HaloTable::Way& way) {
  return way.hops == 0 ? fmt::format("within one {}", base::printable(way.connection))
                       : fmt::format("over {} of the {}", base::counted(way.hops, "hop", "hops"),
                                     base::printable(way.connection));
}

}  // namespace

Time& Time::operator+=(const Time& other) {
  value += other.value;
  low += other.low;
  high += other.high;
  return *this;
}

base::Error refusal(std::string what) { return {base::ErrorCode::kUnsupported, std::move(what)}; }

bool Curve::find(double at, Time& time, double from, double until) const {
  const auto before = [](const Point& point, double value) { return point.at < value; };
  const auto begin = std::lower_bound(points_.begin(), points_.end(), from, before);
  const auto end = std::lower_bound(begin, points_.end(), until, before);
  if (begin == end) return false;
  const auto next = std::lower_bound(begin, end, at, before);
  if (next != end && next->at == at) {
    time = next->time;
    return true;
  }
  if (next == begin && at * kOctave < begin->at) return false;
  if (next == end && at > kOctave * (end - 1)->at) return false;
  if (end - begin == 1) {
    time = begin->time;
    return true;
  }
  const auto right = next == begin ? begin + 1 : next == end ? end - 1 : next;
  time = interpolated(*(right - 1), *right, at);
  return true;
}

ComputeTable::ComputeTable(std::span<const store::Compute> rows,
                           std::span<const store::Launch> launches) {
  struct Found {
    Samples samples;
    double cells = 1;
    bool noisy = false;
  };
  std::map<std::pair<std::string, Id>, std::map<uint64_t, Found>> found;
  const auto noisy = noise_of(launches);
  for (const store::Compute& row : rows) {
    if (row.samples.empty() || row.bytes == 0 || row.m == 0 || row.n == 0) continue;
    Found& point = found[{row.kernel, row.scenario}][row.bytes];
    point.samples.emplace_back(row.samples);
    point.cells = static_cast<double>(row.m) * row.n;
    const auto launch = noisy.find(row.launch);
    point.noisy = point.noisy || (launch != noisy.end() && launch->second);
  }
  for (const auto& [key, points] : found) {
    std::vector<Curve::Point> curve;
    for (const auto& [bytes, point] : points) {
      curve.push_back(
          {static_cast<double>(bytes),
           time_of(point.samples, store::Statistic::kLowerQuartile, 1 / point.cells, point.noisy)});
    }
    curves_.emplace(key, Curve(std::move(curve)));
  }
}

base::Result<Time> ComputeTable::per_cell(const std::string& kernel, Id scenario,
                                          uint64_t working_set) const {
  const auto found = curves_.find({kernel, scenario});
  if (found == curves_.end()) {
    return refusal(fmt::format("kernel {} was not measured with these cores at work",
                               base::printable(kernel)));
  }
  const auto at = static_cast<double>(working_set);
  const auto& points = found->second.points();
  Time time;
  if (at >= points.front().at && at <= points.back().at && found->second.find(at, time)) {
    return time;
  }
  const bool is_below = at < points.front().at;
  const size_t count = std::min<size_t>(points.size(), 3);
  const size_t first = is_below ? 0 : points.size() - count;
  double least = points[first].time.value;
  double most = least;
  for (size_t i = first; i < first + count; ++i) {
    least = std::min(least, points[i].time.value);
    most = std::max(most, points[i].time.value);
    time.low = i == first ? points[i].time.low : std::min(time.low, points[i].time.low);
    time.high = std::max(time.high, points[i].time.high);
  }
  if (count < 3 || most > (1 + kFlat) * least) {
    return refusal(fmt::format(
        "kernel {} was measured with working sets from {} to {}, not with {}, and does not take "
        "the same there",
        base::printable(kernel), base::human_bytes(points.front().at),
        base::human_bytes(points.back().at), base::human_bytes(at)));
  }
  time.value = (is_below ? points.front() : points.back()).time.value;
  return time;
}

std::map<uint64_t, Protocol> protocols_of(std::span<const store::Probe> probes) {
  std::map<uint64_t, std::vector<const store::Probe*>> by_size;
  for (const store::Probe& probe : probes) {
    if (!probe.send_s.empty() && !probe.receive_wait_s.empty() && !probe.oneway_s.empty()) {
      by_size[probe.bytes].push_back(&probe);
    }
  }
  const auto median = [](const std::vector<const store::Probe*>& of_size,
                         std::vector<double> store::Probe::*member) {
    std::vector<double> all;
    for (const store::Probe* probe : of_size) {
      all.insert(all.end(), (probe->*member).begin(), (probe->*member).end());
    }
    if (all.empty()) return 0.0;
    std::sort(all.begin(), all.end());
    return store::quantile(all, 0.5);
  };
  std::map<uint64_t, Protocol> protocols;
  for (const auto& [bytes, of_size] : by_size) {
    Protocol& protocol = protocols[bytes];
    protocol.waits_for_receiver =
        median(of_size, &store::Probe::send_s) > of_size.front()->late_s / 2;
    // Data that is there already takes less than half of the way.
    protocol.moves_early = median(of_size, &store::Probe::receive_wait_s) <
                           median(of_size, &store::Probe::oneway_s) / 2;
    protocol.overhead_s = median(of_size, &store::Probe::overhead_s);
  }
  return protocols;
}

std::vector<std::pair<uint64_t, uint64_t>> protocol_changes(std::span<const store::Probe> probes) {
  std::vector<std::pair<uint64_t, uint64_t>> changes;
  const auto protocols = protocols_of(probes);
  for (auto at = protocols.begin(); at != protocols.end(); ++at) {
    const auto next = std::next(at);
    if (next == protocols.end()) break;
    if (at->second.waits_for_receiver != next->second.waits_for_receiver ||
        at->second.moves_early != next->second.moves_early) {
      changes.emplace_back(at->first, next->first);
    }
  }
  return changes;
}

HaloTable::HaloTable(std::span<const store::Halo> rows, std::span<const store::Probe> probes,
                     std::span<const store::Launch> launches) {
  struct Found {
    Samples samples;
    bool noisy = false;
  };
  using Points = std::map<uint64_t, Found>;
  std::map<std::string, std::map<Way, std::map<uint32_t, Points>>> found;
  const auto noisy = noise_of(launches);
  for (const store::Halo& row : rows) {
    if (row.samples.empty() || row.bytes == 0 || row.lanes == 0) continue;
    Found& point = found[row.layout][{row.connection, row.hops}][row.lanes][row.bytes];
    point.samples.emplace_back(row.samples);
    const auto launch = noisy.find(row.launch);
    point.noisy = point.noisy || (launch != noisy.end() && launch->second);
  }
  for (const auto& [layout, ways] : found) {
    for (const auto& [way, by_lanes] : ways) {
      for (const auto& [lanes, points] : by_lanes) {
        std::vector<Curve::Point> curve;
        for (const auto& [bytes, point] : points) {
          curve.push_back({static_cast<double>(bytes),
                           time_of(point.samples, store::Statistic::kMedian, 1, point.noisy)});
        }
        curves_[layout][way].emplace(lanes, Curve(std::move(curve)));
      }
    }
  }

  // A size has the protocol of the largest probe that is not larger.
  std::map<std::string, std::vector<store::Probe>> by_connection;
  for (const store::Probe& probe : probes) by_connection[probe.connection].push_back(probe);
  for (const auto& [connection, of_connection] : by_connection) {
    for (const auto& [bytes, protocol] : protocols_of(of_connection)) {
      segments_[connection].push_back({bytes, protocol});
    }
  }
}

Protocol HaloTable::protocol(const std::string& connection, uint64_t bytes) const {
  const auto found = segments_.find(connection);
  if (found == segments_.end()) return {};
  const Segment* last = &found->second.front();
  for (const Segment& segment : found->second) {
    if (segment.from > bytes) break;
    last = &segment;
  }
  return last->protocol;
}

base::Result<Time> HaloTable::on(const Way& way, const Lanes& lanes, uint64_t bytes,
                                 double count) const {
  // Sizes of one protocol only: the next change below and above.
  double from = 0;
  double until = 1e300;
  if (const auto found = segments_.find(way.connection); found != segments_.end()) {
    const std::vector<Segment>& segments = found->second;
    for (size_t i = 1; i < segments.size(); ++i) {
      const Protocol& before = segments[i - 1].protocol;
      const Protocol& after = segments[i].protocol;
      if (before.waits_for_receiver == after.waits_for_receiver &&
          before.moves_early == after.moves_early) {
        continue;
      }
      const auto edge = static_cast<double>(segments[i].from);
      if (segments[i].from <= bytes) {
        from = edge;
      } else {
        until = edge;
        break;
      }
    }
  }
  const auto at = static_cast<double>(bytes);
  const auto measured = [&](const Curve& curve, Time& time) {
    return curve.find(at, time, from, until) || curve.find(at, time);
  };
  const auto not_measured = [&] {
    return refusal(fmt::format("messages of {} were not measured {}",
                               base::human_bytes(static_cast<double>(bytes)), text_of(way)));
  };
  const auto above = lanes.lower_bound(static_cast<uint32_t>(std::ceil(count - 1e-9)));
  if (above != lanes.end()) {
    Time high;
    if (!measured(above->second, high)) return not_measured();
    if (above == lanes.begin() || above->first <= count) return high;
    const auto below = std::prev(above);
    Time low;
    if (!measured(below->second, low)) return not_measured();
    const double share = (count - below->first) / (above->first - below->first);
    return Time{std::lerp(low.value, high.value, share), std::lerp(low.low, high.low, share),
                std::lerp(low.high, high.high, share)};
  }
  // Beyond the most that were measured, where more messages were seen to take more time in
  // proportion, as they do once they share a bandwidth: three points on a line.
  const auto unseen = [&](const char* why) {
    return refusal(fmt::format("{:.0f} messages at once {} were not measured, only up to {}{}",
                               count, text_of(way), lanes.rbegin()->first, why));
  };
  if (lanes.size() < 3 || count > kMostLanes * lanes.rbegin()->first) return unseen("");
  const auto c = std::prev(lanes.end());
  const auto b = std::prev(c);
  const auto a = std::prev(b);
  Time times[3];
  if (!measured(a->second, times[0]) || !measured(b->second, times[1]) ||
      !measured(c->second, times[2])) {
    return not_measured();
  }
  const auto on_line = [](uint32_t first, double first_s, uint32_t second, double second_s,
                          double at_count) {
    return first_s + (second_s - first_s) / (second - first) * (at_count - first);
  };
  const double expected =
      on_line(a->first, times[0].value, b->first, times[1].value, static_cast<double>(c->first));
  if (std::abs(times[2].value / expected - 1) > kOnLine) {
    return unseen(", where the time does not grow with their number");
  }
  const double value = on_line(b->first, times[1].value, c->first, times[2].value, count);
  const double factor = value / times[2].value;
  // Twice the width, as nobody has looked there.
  return Time{value, value - 2 * factor * (times[2].value - times[2].low),
              value + 2 * factor * (times[2].high - times[2].value)};
}

base::Result<Time> HaloTable::time(const Way& way, const std::string& layout, uint64_t bytes,
                                   double lanes) const {
  const auto ways = curves_.find(layout);
  if (ways == curves_.end()) {
    return refusal(
        fmt::format("messages with the layout '{}' were not measured", base::printable(layout)));
  }
  if (const auto found = ways->second.find(way); found != ways->second.end()) {
    return on(way, found->second, bytes, lanes);
  }
  // A line through two distances, the nearest ones.
  std::vector<std::pair<Way, const Lanes*>> distances;
  for (const auto& [other, by_lanes] : ways->second) {
    if (other.connection == way.connection && other.hops > 0) {
      distances.emplace_back(other, &by_lanes);
    }
  }
  if (way.hops == 0 || distances.size() < 2) {
    return refusal(
        fmt::format("{} messages {} were not measured", base::printable(layout), text_of(way)));
  }
  size_t right = 1;
  while (right + 1 < distances.size() && distances[right].first.hops < way.hops) ++right;
  const auto& [near_way, near_lanes] = distances[right - 1];
  const auto& [far_way, far_lanes] = distances[right];
  auto near_time = on(near_way, *near_lanes, bytes, lanes);
  if (!near_time) return near_time.error();
  auto far_time = on(far_way, *far_lanes, bytes, lanes);
  if (!far_time) return far_time.error();
  const double share = (static_cast<double>(way.hops) - near_way.hops) /
                       (static_cast<double>(far_way.hops) - near_way.hops);
  const Time& a = near_time.value();
  const Time& b = far_time.value();
  Time time{std::lerp(a.value, b.value, share), std::lerp(a.low, b.low, share),
            std::lerp(a.high, b.high, share)};
  time.low = std::min(time.low, time.value);
  time.high = std::max(time.high, time.value);
  return time;
}

}  // namespace pathline::predict
