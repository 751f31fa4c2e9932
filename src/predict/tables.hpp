// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "store/estimate.hpp"
#include "store/rows.hpp"

namespace pathline::predict {

/// A time in seconds, and where a repetition would find it.
struct Time {
  double value = 0;
  double low = 0;
  double high = 0;

  Time& operator+=(const Time& other);
  friend Time operator*(double factor, const Time& time) {
    return {factor * time.value, factor * time.low, factor * time.high};
  }
};

/// A refusal is an Error of the kind kUnsupported, whose message says what was not measured.
base::Error refusal(std::string what);

/// A curve through measured points: piecewise linear in the logarithms of both axes, so that powers
/// are straight.
class Curve {
 public:
  /// at  ascending, > 0
  struct Point {
    double at = 0;
    Time time;
  };
  explicit Curve(std::vector<Point> points) : points_(std::move(points)) {}

  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  /// Between the points, and by up to one octave beyond the ends along the last piece, where the
  /// interval grows by as much as the time does.
  /// from, until  only points with from <= at < until are looked at: one protocol of messages
  /// returns       nothing when `at` is further away or there are no points
  [[nodiscard]] bool find(double at, Time& time, double from = 0, double until = 1e300) const;

 private:
  std::vector<Point> points_;
};

/// Times of one execution of a kernel per cell, by working set, for each set of cores that work.
class ComputeTable {
 public:
  /// noisy launches widen intervals; rows of unknown scenarios are left out.
  ComputeTable(std::span<const store::Compute> rows, std::span<const store::Launch> launches);

  /// Beyond the measured working sets only where the three last points are flat within 5 %, as
  /// everything larger comes from memory, too.
  [[nodiscard]] base::Result<Time> per_cell(const std::string& kernel, store::Id scenario,
                                            uint64_t working_set) const;
  [[nodiscard]] bool empty() const { return curves_.empty(); }

 private:
  std::map<std::pair<std::string, store::Id>, Curve> curves_;
};

/// What happens to messages of a size whose partner comes late.
struct Protocol {
  bool waits_for_receiver = false;  ///< A send does not return before the receive is posted.
  bool moves_early = true;          ///< The data travels before the receive is posted.
  double overhead_s = 0;            ///< In a send that does not wait.
};

/// The protocol of each size that was probed; of probes of one connection.
std::map<uint64_t, Protocol> protocols_of(std::span<const store::Probe> probes);

/// Neighbouring sizes between which the protocol changes: the larger one of each pair has the new
/// one, as far as is known.
std::vector<std::pair<uint64_t, uint64_t>> protocol_changes(std::span<const store::Probe> probes);

/// Times of shifts by connection, distance, layout, bytes and how many go on at once.
class HaloTable {
 public:
  HaloTable(std::span<const store::Halo> rows, std::span<const store::Probe> probes,
            std::span<const store::Launch> launches);

  struct Way {
    std::string connection;  ///< A level of the node, or "network".
    uint32_t hops = 0;
    friend auto operator<=>(const Way&, const Way&) = default;
  };
  /// lanes  messages that share the way at the same time, at least 1; between whole numbers where
  ///        they share it for a part of the time
  [[nodiscard]] base::Result<Time> time(const Way& way, const std::string& layout, uint64_t bytes,
                                        double lanes) const;
  [[nodiscard]] Protocol protocol(const std::string& connection, uint64_t bytes) const;

 private:
  using Lanes = std::map<uint32_t, Curve>;
  /// By layout, then connection and hops.
  std::map<std::string, std::map<Way, Lanes>> curves_;
  struct Segment {
    uint64_t from = 0;
    Protocol protocol;
  };
  std::map<std::string, std::vector<Segment>> segments_;  // By connection, ascending.

  [[nodiscard]] base::Result<Time> on(const Way& way, const Lanes& lanes, uint64_t bytes,
                                      double count) const;
};

}  // namespace pathline::predict
