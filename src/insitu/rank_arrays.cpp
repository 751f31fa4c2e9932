// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "insitu/scene.hpp"

namespace pathline::insitu {
namespace {

/// One column of all ranks.
template <class T, class Value>
vtk::Array column(std::string name, const Step& step, Value value) {
  std::vector<T> values;
  values.reserve(step.ranks.size());
  for (size_t rank = 0; rank < step.ranks.size(); ++rank) {
    values.push_back(static_cast<T>(value(rank)));
  }
  return {.name = std::move(name), .values = std::move(values)};
}

}  // namespace

std::vector<vtk::Array> rank_arrays(const Figures& figures, const Step& step) {
  std::vector<vtk::Array> arrays;
  const auto seconds = [&](const char* name, double RankFigures::*member) {
    arrays.push_back(column<double>(name, step, [&](size_t rank) {
      const RankFigures& of_rank = step.ranks[rank];
      // The duration is known in any case.
      return of_rank.recorded || member == &RankFigures::step_s
                 ? of_rank.*member
                 : std::numeric_limits<double>::quiet_NaN();
    }));
  };
  const auto count = [&]<class T>(const char* name, T RankFigures::*member) {
    arrays.push_back(column<T>(name, step, [&](size_t rank) { return step.ranks[rank].*member; }));
  };
  seconds("step : time", &RankFigures::step_s);
  arrays.push_back(column<double>("computation : time", step, [&](size_t rank) {
    const RankFigures& of_rank = step.ranks[rank];
    return of_rank.recorded ? std::max(of_rank.step_s - of_rank.mpi_s - of_rank.io_s, 0.0)
                            : std::numeric_limits<double>::quiet_NaN();
  }));
  seconds("MPI : time", &RankFigures::mpi_s);
  seconds("io : time", &RankFigures::io_s);
  count("sent : counter", &RankFigures::sent_messages);
  count("sent : bytes", &RankFigures::sent_bytes);
  count("received : counter", &RankFigures::received_messages);
  count("received : bytes", &RankFigures::received_bytes);
  count("collective : counter", &RankFigures::collective_calls);
  count("collective : bytes", &RankFigures::collective_bytes);
  count("io read : events", &RankFigures::read_events);
  count("io read : bytes", &RankFigures::read_bytes);
  count("io write : events", &RankFigures::write_events);
  count("io write : bytes", &RankFigures::write_bytes);

  const size_t ranks = step.ranks.size();
  std::vector<uint32_t> calls(ranks * figures.functions.size(), 0);
  std::vector<uint64_t> bytes(ranks * figures.functions.size(), 0);
  for (const PairFigures& pair : step.pairs) {
    calls[pair.function * ranks + pair.source] += pair.calls;
    bytes[pair.function * ranks + pair.source] += pair.bytes;
  }
  for (size_t i = 0; i < figures.functions.size(); ++i) {
    const auto& function = figures.functions[i];
    arrays.push_back(column<uint32_t>(function + " : counter", step,
                                      [&](size_t rank) { return calls[i * ranks + rank]; }));
    arrays.push_back(column<uint64_t>(function + " : bytes", step,
                                      [&](size_t rank) { return bytes[i * ranks + rank]; }));
  }
  for (size_t i = 0; i < figures.regions.size(); ++i) {
    const auto sum = [&](size_t rank) -> const RegionSum& {
      return step.regions[rank * figures.regions.size() + i];
    };
    arrays.push_back(column<uint32_t>(figures.regions[i] + " : tick", step,
                                      [&](size_t rank) { return sum(rank).visits; }));
    arrays.push_back(column<double>(figures.regions[i] + " : time", step,
                                    [&](size_t rank) { return sum(rank).seconds; }));
  }
  return arrays;
}

Statistics statistics_of(const vtk::Array& array) {
  Statistics out;
  std::visit(
      [&](const auto& values) {
        if constexpr (requires(double sum) { sum += values[0]; }) {
          double sum = 0;
          double squares = 0;
          size_t count = 0;
          out.min = std::numeric_limits<double>::infinity();
          out.max = -out.min;
          for (const auto value : values) {
            const auto number = static_cast<double>(value);
            if (std::isnan(number)) continue;
            sum += number;
            ++count;
            out.min = std::min(out.min, number);
            out.max = std::max(out.max, number);
          }
          if (count == 0) {
            out = {};
            return;
          }
          out.mean = sum / static_cast<double>(count);
          for (const auto value : values) {
            const auto number = static_cast<double>(value);
            if (!std::isnan(number)) squares += (number - out.mean) * (number - out.mean);
          }
          out.deviation = std::sqrt(squares / static_cast<double>(count));
          out.imbalance = out.mean > 0 ? out.max / out.mean - 1 : 0;
        }
      },
      array.values);
  return out;
}

}  // namespace pathline::insitu
