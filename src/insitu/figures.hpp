// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "comm/step_table.hpp"
#include "trace/trace.hpp"

// What the ranks of a run did in each time step, as it is put on the machine and on the mesh.

namespace pathline::insitu {

/// A region in one step: inclusive time, calls inside of calls of the same region counted but their
/// time not added again.
struct RegionSum {
  uint32_t visits = 0;
  double seconds = 0;
};

/// What a rank did in one step. Times are summed over its threads.
struct RankFigures {
  bool recorded = true;  ///< False: nothing is known but the duration.
  double step_s = 0;     ///< How long the step took this rank.
  double mpi_s = 0;      ///< In MPI without file I/O.
  double io_s = 0;       ///< In file I/O, MPI's included.
  uint64_t sent_messages = 0;
  uint64_t sent_bytes = 0;
  uint64_t received_messages = 0;
  uint64_t received_bytes = 0;
  uint64_t collective_calls = 0;
  uint64_t collective_bytes = 0;  ///< Handed over by this rank.
  uint32_t read_events = 0;
  uint64_t read_bytes = 0;
  uint32_t write_events = 0;
  uint64_t write_bytes = 0;
};

/// What one rank sent, put or got from another with one MPI function.
struct PairFigures {
  uint32_t source = 0;
  uint32_t destination = 0;
  uint32_t function = 0;  ///< In Figures::functions.
  uint32_t calls = 0;
  uint64_t bytes = 0;
};

struct Step {
  uint32_t number = 0;
  double time_s = 0;  ///< Of the simulation, as it told; else that of the run.
  std::vector<RankFigures> ranks;
  std::vector<RegionSum> regions;  ///< Rank by rank, Figures::regions of each.
  std::vector<PairFigures> pairs;  ///< By source, destination, function.
};

struct Figures {
  std::vector<std::string> regions;    ///< The program's own.
  std::vector<std::string> functions;  ///< "MPI_Isend", "MPI_Put" ...
  std::vector<Step> steps;
  bool simulated_time = false;  ///< Step::time_s is the simulation's.
};

struct FigureOptions {
  uint32_t every = 1;                ///< Every so many of the recorded steps, the first one always.
  std::optional<uint32_t> step;      ///< Only this one.
  std::vector<std::string> regions;  ///< By name; empty: those that take most time in the steps.
  size_t most_regions = 12;          ///< If they are not named.
};

/// The figures of a recorded run. Messages count as comm::step_table() and comm::matrix() count
/// them; one-sided operations count where they were called.
///
/// windows  the steps; without any the whole run is one step of number 0
/// errors   kNotFound for a region that no rank called, naming the nearest, and for a step that
///          there is not.
/// cost     O(events), parallel over ranks; independent of the thread count.
base::Result<Figures> figures_of(const trace::Trace& trace, const comm::StepWindows& windows,
                                 const FigureOptions& options, base::ThreadPool& pool);

}  // namespace pathline::insitu
