// SPDX-License-Identifier: BSD-3-Clause
#include "record/step_sums.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

#include "record/stream_sums.hpp"

namespace pathline::record {
namespace {

Tables* tables = nullptr;

char region_names[kMaxRegions][64];
int destinations[kMaxDestinations];

std::atomic<StreamSums*> streams{nullptr};
uint64_t step_begin_ticks = 0;
// Of the thread that leads the program through its steps.
Sums found{};
double found_step_s = NAN;

/// The ends of names, and how the figure is read.
struct Figure {
  const char* name;
  Traffic Sums::*traffic;
  bool bytes;
};
constexpr const char* kTimes[] = {"step : time", "computation : time", "MPI : time", "io : time"};
constexpr unsigned kTimeCount = 4;
constexpr Figure kTotals[] = {{"sent : counter", &Sums::sent, false},
                              {"sent : bytes", &Sums::sent, true},
                              {"received : counter", &Sums::received, false},
                              {"received : bytes", &Sums::received, true},
                              {"collective : counter", &Sums::collective, false},
                              {"collective : bytes", &Sums::collective, true},
                              {"io read : events", &Sums::read, false},
                              {"io read : bytes", &Sums::read, true},
                              {"io write : events", &Sums::written, false},
                              {"io write : bytes", &Sums::written, true}};
constexpr unsigned kTotalCount = sizeof kTotals / sizeof kTotals[0];
constexpr unsigned kFixed = kTimeCount + kTotalCount + 2 * kFunctionCount;

unsigned figure_count() {
  return kFixed + 2 * tables->region_count + 2 * kFunctionCount * tables->destination_count;
}

constexpr size_t kNameBytes = 80;
char (*names)[kNameBytes] = nullptr;

bool make_names() {
  if (names != nullptr) return true;
  auto* made = static_cast<char(*)[kNameBytes]>(std::calloc(figure_count(), kNameBytes));
  if (made == nullptr) return false;
  unsigned i = 0;
  for (const char* name : kTimes) std::snprintf(made[i++], kNameBytes, "%s", name);
  for (const Figure& figure : kTotals) std::snprintf(made[i++], kNameBytes, "%s", figure.name);
  for (const char* function : kFunctions) {
    std::snprintf(made[i++], kNameBytes, "%s : counter", function);
    std::snprintf(made[i++], kNameBytes, "%s : bytes", function);
  }
  for (unsigned r = 0; r < tables->region_count; ++r) {
    std::snprintf(made[i++], kNameBytes, "%s : tick", region_names[r]);
    std::snprintf(made[i++], kNameBytes, "%s : time", region_names[r]);
  }
  for (unsigned d = 0; d < tables->destination_count; ++d) {
    for (const char* function : kFunctions) {
      std::snprintf(made[i++], kNameBytes, "%s to %d : counter", function, destinations[d]);
      std::snprintf(made[i++], kNameBytes, "%s to %d : bytes", function, destinations[d]);
    }
  }
  names = made;
  return true;
}

double seconds(uint64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(process.clock.ticks_per_second);
}

/// "a,b": take(word) for each.
template <class Take>
void each_word(const char* list, Take take) {
  char word[64];
  while (list != nullptr && *list != '\0') {
    const size_t length = std::strcspn(list, ",");
    if (length > 0 && length < sizeof word) {
      std::memcpy(word, list, length);
      word[length] = '\0';
      take(word);
    }
    list += length + (list[length] == ',' ? 1 : 0);
  }
}

template <class T>
T* lasting() {
  void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

}  // namespace

void start_sums() {
  if (!process.settings.geometry) return;
  tables = lasting<Tables>();
  if (tables == nullptr) return;
  each_word(process.settings.insitu_regions, [](const char* word) {
    if (tables->region_count == kMaxRegions) return;
    std::strcpy(region_names[tables->region_count++], word);
  });
  each_word(process.settings.insitu_to, [](const char* word) {
    char* end = nullptr;
    const long rank = std::strtol(word, &end, 10);
    if (*end != '\0' || rank < 0 || tables->destination_count == kMaxDestinations) return;
    destinations[tables->destination_count++] = static_cast<int>(rank);
  });
}

void sum_region(uint32_t region, const char* name, uint32_t role_paradigm) {
  if (tables == nullptr || region >= kMaxProfileRows) return;
  constexpr uint32_t kFileIo = 27;  // OTF2_REGION_ROLE_FILE_IO
  constexpr uint32_t kFileIoMetadata = 38;
  const uint32_t role = role_paradigm & 0xffU;
  uint8_t is = kOther;
  if (role == kFileIo || role == kFileIoMetadata) {
    is = kIo;
  } else if (std::strncmp(name, "MPI_", 4) == 0) {
    is = kMpi;
    for (unsigned f = 0; f < kFunctionCount; ++f) {
      if (std::strcmp(name, kFunctions[f]) == 0) is = static_cast<uint8_t>(kFirstFunction + f);
    }
  } else {
    for (unsigned r = 0; r < tables->region_count; ++r) {
      if (std::strcmp(name, region_names[r]) == 0) is = static_cast<uint8_t>(kFirstChosen + r);
    }
  }
  tables->classes[region] = is;
}

void sum_stream(chunk::Stream& stream) {
  if (tables == nullptr) return;
  void* memory = lasting<StreamSums>();
  if (memory == nullptr) return;
  auto* sums = new (memory) StreamSums(*tables);
  sums->next = streams.load();
  while (!streams.compare_exchange_weak(sums->next, sums)) {
  }
  stream.watch(sums);
}

unsigned sum_destinations(const int*& world_ranks) {
  world_ranks = destinations;
  return tables == nullptr ? 0 : tables->destination_count;
}

void sum_communicator(uint32_t comm, const int* ranks) {
  if (tables == nullptr || comm >= kMaxProfileRows) return;
  for (unsigned d = 0; d < tables->destination_count; ++d) {
    tables->members[comm][d] = ranks[d] < 0 ? 0 : static_cast<uint32_t>(ranks[d]) + 1;
  }
}

void sum_window(uint32_t window, uint32_t comm) {
  if (tables != nullptr && window < kMaxProfileRows) tables->communicators[window] = comm;
}

namespace {

void add_up(bool next_step) {
  if (thread.polls.count != 0 && thread.started && !thread.failed) write_polls();
  const uint64_t ticks = now();
  found = {};
  for (StreamSums* one = streams.load(); one != nullptr; one = one->next) {
    one->take(ticks, next_step, found);
  }
  const bool recorded = (wants() & kEvents) != 0;
  found_step_s = recorded ? seconds(ticks - step_begin_ticks) : NAN;
  if (!recorded) found = {};
  if (next_step) step_begin_ticks = ticks;
}

}  // namespace

void sum_step() {
  if (tables != nullptr) add_up(true);
}

uint32_t insitu_count() {
  if (tables == nullptr || !make_names()) return 0;
  add_up(false);
  return figure_count();
}

const char* insitu_name(uint32_t figure) {
  return tables == nullptr || !make_names() || figure >= figure_count() ? nullptr : names[figure];
}

bool insitu_is_count(uint32_t figure) {
  if (figure < kTimeCount) return false;
  const unsigned regions = kFixed + 2 * tables->region_count;
  return figure < kFixed || figure >= regions || (figure - kFixed) % 2 == 0;
}

double insitu_value(uint32_t figure) {
  if (tables == nullptr || figure >= figure_count()) return 0;
  if (figure < kTimeCount) {
    const double mpi = seconds(found.mpi_ticks);
    const double io = seconds(found.io_ticks);
    const double rest = found_step_s - mpi - io;
    const double times[] = {found_step_s, rest < 0 ? 0 : rest, mpi, io};
    return std::isnan(found_step_s) ? NAN : times[figure];
  }
  figure -= kTimeCount;
  const auto read = [](const Traffic& traffic, bool bytes) {
    return static_cast<double>(bytes ? traffic.bytes : traffic.calls);
  };
  if (figure < kTotalCount) return read(found.*kTotals[figure].traffic, kTotals[figure].bytes);
  figure -= kTotalCount;
  if (figure < 2 * kFunctionCount) return read(found.functions[figure / 2], figure % 2 == 1);
  figure -= 2 * kFunctionCount;
  if (figure < 2 * tables->region_count) {
    const Traffic& region = found.regions[figure / 2];
    if (figure % 2 == 0) return static_cast<double>(region.calls);
    return std::isnan(found_step_s) ? NAN : seconds(region.bytes);
  }
  figure -= 2 * tables->region_count;
  const unsigned destination = figure / (2 * kFunctionCount);
  const unsigned rest = figure % (2 * kFunctionCount);
  return read(found.to[destination][rest / 2], rest % 2 == 1);
}

}  // namespace pathline::record
