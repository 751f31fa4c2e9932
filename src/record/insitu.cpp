// SPDX-License-Identifier: BSD-3-Clause
#include "record/insitu.hpp"

#include <cstdio>
#include <cstring>

#include "record/catalyst.hpp"
#include "record/grid_file.hpp"
#include "record/process.hpp"
#include "record/step_sums.hpp"

namespace pathline::record {
namespace {

Mutex grid_lock;
Grid grid;
bool has_grid = false;  // Also one without cells.
// What was found when it was looked at, which happens once after it was handed over.
bool has_looked = false;
bool is_good = false;
uint64_t grid_hash = 0;

uint64_t own_steps = 0;  // That began here.
double own_time_s = 0;   // Of the last of them.
bool said_number = false;

bool begins_steps() {
  return process.step_count == own_steps && process.settings.step_marker[0] == '\0';
}

/// Begins a step where nobody else does. false without one.
bool find_step(int64_t number, double time_s) {
  if (begins_steps()) {
    step(number, time_s);
    ++own_steps;
    own_time_s = time_s;
  }
  if (process.step_count == 0) return false;
  if (number != process.open_step && !said_number && process.rank == 0) {
    const OwnEnvironment environment;
    say("pathline_insitu_execute is told time step %lld, but %lld is open: its mesh counts there",
        static_cast<long long>(number), static_cast<long long>(process.open_step));
    said_number = true;
  }
  return true;
}

/// What lies in the run directory of this rank's mesh.
struct Written {
  bool any = false;
  uint64_t hash = 0;
  uint32_t step = 0;     ///< Of the last file.
  uint32_t highest = 0;  ///< Of all files.
};
Written written;
bool said_refused = false;
bool said_failed = false;

/// The mesh as it is to be written: what is no mesh is left out.
Grid checked_grid(uint64_t& hash) {
  if (!has_looked) {
    has_looked = true;
    char why[256];
    is_good = is_readable(grid, why);
    if (is_good) {
      grid_hash = hash_of(grid);
      // What is written was a mesh, and a large one is not looked at again for that.
      is_good = (written.any && grid_hash == written.hash) || is_mesh(grid, why);
    }
    if (!is_good && !said_refused) {
      say("the mesh of rank %u is left out from time step %lld on: %s", process.rank,
          static_cast<long long>(process.open_step), why);
      said_refused = true;
    }
    if (!is_good) grid_hash = hash_of(Grid{});
  }
  hash = grid_hash;
  return is_good ? grid : Grid{};
}

void write_grid() {
  uint64_t hash = 0;
  const Grid now = checked_grid(hash);
  if (!written.any && said_refused && now.n_points == 0) return;  // None is none.
  // As readers of the files have it.
  const auto step = static_cast<uint32_t>(process.open_step);
  // Of a program that went back, the files of steps that it repeats are of the first time.
  const bool is_repeated = written.any && step <= written.highest && step != written.step;
  if (written.any && hash == written.hash && !is_repeated) return;
  char folder[1150];
  std::snprintf(folder, sizeof folder, "%s/insitu/grid/step_%06u", process.run_directory, step);
  if (const int error = write_grid_file(now, folder, process.rank); error != 0) {
    if (!said_failed) {
      say("the mesh of rank %u is not written in time step %lld: %s/rank_%u.vtu: %s", process.rank,
          static_cast<long long>(process.open_step), folder, process.rank, std::strerror(error));
    }
    said_failed = true;
    return;
  }
  written.highest = !written.any || step > written.highest ? step : written.highest;
  written.any = true;
  written.hash = hash;
  written.step = step;
}

/// Shows the open step. What is recorded is the same on all ranks as far as steps say so; a rank
/// that the program has switched off comes as well, as the others wait for it.
void show_step(double time_s) {
  if (!shows_catalyst() || process.step_count == 0 || (process.paused.load() & kBySteps) != 0) {
    return;
  }
  const uint64_t began = now();
  uint64_t hash = 0;
  catalyst_execute(has_grid ? checked_grid(hash) : Grid{}, process.open_step, time_s);
  // The time is the recorder's, not the program's.
  if ((wants() & kEvents) != 0 && ready(began)) emit(RecordKind::kFlush, began, now() - began);
}

}  // namespace

void insitu_grid(const Grid& handed_over) {
  const Lock guard(grid_lock);
  grid = handed_over;
  has_grid = true;
  has_looked = false;
}

void insitu_execute(int64_t number, double time_s) {
  if (!process.started.load(std::memory_order_acquire)) return;
  const Lock guard(grid_lock);
  // What a step has cost is known at its end, which is here where the next one begins here.
  const bool ends_step = begins_steps();
  if (ends_step) show_step(own_time_s);
  if (!find_step(number, time_s)) return;
  if (!ends_step) show_step(time_s);
  if ((wants() & kEvents) == 0) return;
  // Of ranks that have a number together only the first has files by it.
  if (!process.settings.geometry || !has_grid || process.shares_number) return;
  const OwnEnvironment environment;
  const uint64_t began = now();
  write_grid();
  if (ready(began)) emit(RecordKind::kFlush, began, now() - began);
}

}  // namespace pathline::record

using namespace pathline::record;

extern "C" {

PATHLINE_EXPORT void pathline_record_insitu_grid(const double* points, int64_t n_points,
                                                 const int64_t* connectivity,
                                                 const int64_t* offsets, const uint8_t* types,
                                                 int64_t n_cells) {
  if (!is_outside()) return;
  const Inside inside;
  insitu_grid({points, n_points, connectivity, offsets, types, n_cells});
}

PATHLINE_EXPORT void pathline_record_insitu_execute(int64_t step, double time_s) {
  if (!is_outside()) return;
  const Inside inside;
  insitu_execute(step, time_s);
}

PATHLINE_EXPORT int pathline_record_insitu_count() { return static_cast<int>(insitu_count()); }

PATHLINE_EXPORT const char* pathline_record_insitu_name(int i) {
  return i < 0 ? nullptr : insitu_name(static_cast<uint32_t>(i));
}

PATHLINE_EXPORT double pathline_record_insitu_value(int i) {
  return i < 0 ? 0 : insitu_value(static_cast<uint32_t>(i));
}

}  // extern "C"
