// SPDX-License-Identifier: BSD-3-Clause
#include "bench/deploy/machine.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <memory>
#include <new>
#include <sched.h>
#include <string>
#include <unistd.h>

#include <mpi.h>  // SimGrid's has smpi_execute_flops
#ifdef PATHLINE_SMPI
#include <simgrid/actor.h>
#endif

#include "bench/deploy/program.hpp"

namespace deploy {

#ifdef PATHLINE_SMPI

double now_s() { return MPI_Wtime(); }

double tick_s() { return 0; }  // MPI_Wtick() says 10 us, which is not so.

double timer_cost_s() { return 0; }

double wait_until(double moment_s, bool /*yields*/) {
  const double left_s = moment_s - now_s();
  if (left_s > 0) sg_actor_sleep_for(left_s);
  return now_s();
}

void doze(double seconds) { sg_actor_sleep_for(seconds); }

void bind_ranks(const std::vector<int>& /*units*/) {}

void check_memory(double /*bytes*/, const char* /*what*/) {}

void execute_flops(double flops) { smpi_execute_flops(flops); }

MessageMemory::MessageMemory(size_t doubles)
    : data_(static_cast<double*>(
          smpi_shared_malloc(std::max<size_t>(doubles, 1) * sizeof(double), __FILE__, __LINE__))) {}

MessageMemory::~MessageMemory() { smpi_shared_free(data_); }

#else

namespace {

constexpr size_t kLine = 64;  // bytes

/// Of one thread. Returns 0 or what went wrong.
int bind_thread(pid_t thread, int unit) {
  const size_t size = CPU_ALLOC_SIZE(static_cast<size_t>(unit) + 1);
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
      CPU_ALLOC(static_cast<size_t>(unit) + 1), [](cpu_set_t* old) { CPU_FREE(old); });
  CPU_ZERO_S(size, set.get());
  CPU_SET_S(static_cast<size_t>(unit), size, set.get());
  return sched_setaffinity(thread, size, set.get()) == 0 ? 0 : errno;
}

/// Of all threads: an MPI may have some of its own. Returns 0 or what went wrong with the first.
int bind_process(int unit) {
  const int error = bind_thread(0, unit);
  if (error != 0) return error;
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  while (const dirent* entry = readdir(tasks)) {
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), thread);
    // One that has ended meanwhile needs nothing.
    if (bad == std::errc{} && end == name.data() + name.size()) (void)bind_thread(thread, unit);
  }
  closedir(tasks);
  return 0;
}

}  // namespace

double now_s() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double tick_s() {
  timespec time{};
  clock_getres(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double timer_cost_s() {
  constexpr int kCalls = 1000;
  std::array<double, 21> costs{};
  for (double& cost : costs) {
    const double begin = now_s();
    double end = begin;
    for (int i = 0; i < kCalls; ++i) end = now_s();
    cost = (end - begin) / kCalls;
  }
  std::nth_element(costs.begin(), costs.begin() + costs.size() / 2, costs.end());
  return costs[costs.size() / 2];
}

double wait_until(double moment_s, bool yields) {
  constexpr double kSoon = 50e-6;
  for (;;) {
    const double now = now_s();
    if (now >= moment_s) return now;
    if (yields && moment_s - now > kSoon) sched_yield();
  }
}

void doze(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec time = {whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  nanosleep(&time, nullptr);
}

void bind_ranks(const std::vector<int>& units) {
  if (units.empty()) return;
  const int rank = world_rank();
  const int unit = units[static_cast<size_t>(rank)];
  std::string reason;
  if (const int error = bind_process(unit); error != 0) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    reason = "--bind: cannot bind rank " + std::to_string(rank) + " to processing unit " +
             std::to_string(unit) + " of " + host.data() + ": " + std::strerror(error);
  }
  refuse_if_any(reason);
}

void check_memory(double bytes, const char* what) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  double all = bytes;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE, MPI_SUM, host);
  MPI_Comm_free(&host);
  const double half = 0.5 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto mib = [](double value) {
    return std::to_string(static_cast<int64_t>(value / 0x1p20));
  };
  refuse_if_any(all <= half
                    ? ""
                    : std::string(what) + " needs " + mib(bytes) + " MiB of each rank, " +
                          mib(all) + " MiB of a host, expected at most half of its memory, " +
                          mib(half) + " MiB");
}

void execute_flops(double /*flops*/) { std::abort(); }

MessageMemory::MessageMemory(size_t doubles)
    : data_(static_cast<double*>(std::aligned_alloc(
          kLine, (std::max<size_t>(doubles, 1) * sizeof(double) + kLine - 1) / kLine * kLine))) {
  if (data_ == nullptr) throw std::bad_alloc();
}

MessageMemory::~MessageMemory() { std::free(data_); }

#endif

}  // namespace deploy
