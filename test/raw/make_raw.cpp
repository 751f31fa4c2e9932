// SPDX-License-Identifier: BSD-3-Clause
//
// make_raw FOLDER [--ranks N] [--steps N] [--kill RANK] [--without RANK] [--late NS] [--all 1]
//
// Writes the raw files of a small run as the recorder would, always the same bytes, for the tests
// of whatever reads them: N ranks send 1000 bytes to their right neighbour in each of N time steps.
//
//   tick 0 is 1 s of CLOCK_MONOTONIC, a tick is half a nanosecond; step k begins at (k + 1) ms, and
//   in it each rank is in MPI_Send for 20 us, in MPI_Recv for 30 us and in an MPI_Allreduce of 8
//   bytes for 40 us, and reads a file of 100 bytes for 10 us.
//
// --kill     this rank's file is not finished: it dies in the receive of the last step
// --without  this rank left no file
// --all      a record of every kind at the end
// --late     the clocks of odd ranks are so many nanoseconds late and nobody measured it
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

#include "raw/test_raw.hpp"

namespace {

using pathline::raw::ProcessWriter;
using Kind = pathline::chunk::RecordKind;

struct Shape {
  uint32_t ranks = 2;
  uint32_t steps = 3;
  int64_t kill = -1;
  int64_t without = -1;
  uint64_t late_ns = 0;
  bool all = false;
};

enum Region : uint64_t { kMain = 1, kSend, kRecv, kAllreduce, kRead, kIprobe };
constexpr uint64_t kWorld = 0;
constexpr uint64_t kSelf = 1;
constexpr uint64_t kFile = 0;

/// One record of each kind that the steps have not.
void write_others(ProcessWriter& writer, uint32_t rank, uint64_t ticks) {
  constexpr uint64_t kInter = 2;
  constexpr uint64_t kGroup = 3;
  constexpr uint64_t kWindow = 0;
  writer.define(Kind::kCommunicator, {kInter, 0, 9, 1});
  writer.define_list(Kind::kMembers, {kInter, rank}, {rank, 0, 1});
  writer.define(Kind::kCommunicatorName, {kInter}, "both");
  writer.define(Kind::kCommunicator, {kGroup, rank, 4, 2});
  writer.define_list(Kind::kMembers, {kGroup, 0}, {0, pathline::base::zigzag(1), 2});
  writer.define(Kind::kWindow, {kWindow, kWorld}).define(Kind::kWindowName, {kWindow}, "halo");
  writer.define(Kind::kMetricSet, {0}, "cycles,misses");
  const auto add = [&](auto kind, auto... numbers) { writer.event(++ticks, kind, numbers...); };
  add(Kind::kIrecvRequest, 51);
  add(Kind::kIsend, kInter, 0, 3, 64, 50);
  add(Kind::kRequestTest, 51);
  add(Kind::kIsendComplete, 50);
  add(Kind::kIrecv, kInter, 0, 3, 64, 51);
  add(Kind::kIrecvRequest, 52);
  add(Kind::kRequestCancelled, 52);
  add(Kind::kCollectiveRequest, 53);
  add(Kind::kCollectiveComplete, 0, kWorld, UINT32_MAX, 0, 0, 53);
  add(Kind::kWinCreate, kWindow);
  add(Kind::kRmaCollectiveBegin);
  add(Kind::kRmaCollectiveEnd, 0, 0, kWindow, UINT32_MAX, 0, 0);
  add(Kind::kRmaGroupSync, 1, kWindow, kGroup);
  add(Kind::kRmaLock, kWindow, 0, 7, 1);
  add(Kind::kRmaPut, kWindow, 0, 128, 60);
  add(Kind::kRmaGet, kWindow, 0, 256, 61);
  add(Kind::kRmaAtomic, kWindow, 0, 1, 8, 8, 62);
  add(Kind::kRmaComplete, kWindow, 60);
  add(Kind::kRmaSync, kWindow, 0, 1);
  add(Kind::kRmaUnlock, kWindow, 0, 7);
  add(Kind::kWinDestroy, kWindow);
  add(Kind::kIoCreate, kFile, 0, 1, 0);
  add(Kind::kIoSeek, kFile, pathline::base::zigzag(-10), 1, 90);
  add(Kind::kIoDestroy, kFile);
  add(Kind::kRecording, 0);
  add(Kind::kRecording, 1);
  add(Kind::kFlush, 50);
  add(Kind::kPollsWithWork, kIprobe, 3, 1, 1);
  writer.metric(++ticks, 0, {12345, 67});
  constexpr uint64_t kParallel = 20;
  constexpr uint64_t kImplicit = 21;
  writer.region(kParallel, "!$omp parallel", 5, 3)
      .region(kImplicit, "!$omp implicit barrier", 16, 3);
  writer.define(Kind::kOmpTasks, {kParallel + 2});
  add(Kind::kOmpFork, 1, 2);
  add(Kind::kOmpBegin, 1, kParallel);
  add(Kind::kOmpEnd, kImplicit);
  add(Kind::kOmpJoin);
  writer.event_on(1, ticks, Kind::kEnter, kMain).event_on(1, ticks + 5, Kind::kLeave, kMain);
}

void write_rank(const char* folder, const Shape& shape, uint32_t rank) {
  ProcessWriter writer(folder, {.rank = rank,
                                .rank_count = shape.ranks,
                                .host = rank < 2 ? "node1" : "node2",
                                .program = "/usr/bin/app",
                                .chunk_bytes = 4096});
  constexpr uint64_t kFirstNs = 1'000'000'000;
  constexpr uint64_t kWallNs = 1'790'000'000'000'000'000;
  const uint64_t late = rank % 2 == 1 ? shape.late_ns : 0;
  const auto ticks = [&](uint64_t us) { return 2 * (1000 * us + late); };
  const uint64_t end_us = 1000 * (shape.steps + 2);

  writer.define(Kind::kSetting, {}, "buffer=file").define(Kind::kSetting, {}, "mode=trace");
  writer.define(Kind::kFile, {1}, "ring.c");
  writer.define(Kind::kRegion, {kMain, 1 | 1U << 8U, 1, 10}, "main");
  writer.region(kSend, "MPI_Send", 28, 4).region(kRecv, "MPI_Recv", 28, 4);
  writer.region(kAllreduce, "MPI_Allreduce", 25, 4).region(kRead, "read", 27, 1);
  writer.region(kIprobe, "MPI_Iprobe", 28, 4);
  writer.world(kWorld, rank, shape.ranks).define(Kind::kCommunicator, {kSelf, rank, 1, 0});
  writer.define(Kind::kIoHandle, {kFile, 0, UINT32_MAX}, "/data/input");
  writer.define(Kind::kStream, {0}, "Master thread");
  writer.clock_pair(0, kFirstNs, kWallNs).clock_offset(kFirstNs, 0, 300);

  const bool killed = shape.kill == rank;
  const uint32_t right = (rank + 1) % shape.ranks;
  const uint32_t left = (rank + shape.ranks - 1) % shape.ranks;
  writer.event(ticks(0), Kind::kEnter, kMain);
  for (uint32_t step = 0; step < shape.steps; ++step) {
    const uint64_t us = 1000 * (step + 1);
    writer.event(ticks(us), Kind::kStep, pathline::base::zigzag(step), 0x3fe0000000000000ULL);
    writer.event(ticks(us + 100), Kind::kEnter, kSend);
    writer.event(ticks(us + 100), Kind::kSend, kWorld, right, 7, 1000);
    writer.event(ticks(us + 120), Kind::kLeave, kSend);
    writer.event(ticks(us + 130), Kind::kPolls, kIprobe, 12, 2 * 5'000);
    writer.event(ticks(us + 200), Kind::kEnter, kRecv);
    if (killed && step + 1 == shape.steps) _exit(0);  // The kernel keeps what was mapped.
    writer.event(ticks(us + 230), Kind::kRecv, kWorld, left, 7, 1000);
    writer.event(ticks(us + 230), Kind::kLeave, kRecv);
    writer.event(ticks(us + 300), Kind::kEnter, kAllreduce);
    writer.event(ticks(us + 300), Kind::kCollectiveBegin);
    writer.event(ticks(us + 340), Kind::kCollectiveEnd, 11, kWorld, UINT32_MAX, 8, 8);
    writer.event(ticks(us + 340), Kind::kLeave, kAllreduce);
    writer.event(ticks(us + 400), Kind::kEnter, kRead);
    writer.event(ticks(us + 400), Kind::kIoBegin, kFile, 0, 0, 100, step + 1);
    writer.event(ticks(us + 410), Kind::kIoEnd, kFile, 100, step + 1);
    writer.event(ticks(us + 410), Kind::kLeave, kRead);
  }
  if (shape.all) write_others(writer, rank, ticks(end_us - 500));
  writer.event(ticks(end_us), Kind::kLeave, kMain);
  writer.define(Kind::kProfile, {0, kSend, 40, 2 * 4'000'000});
  writer.clock_pair(ticks(end_us) - 2 * late, kFirstNs + 1000 * end_us, kWallNs + 1000 * end_us);
  writer.clock_offset(kFirstNs + 1000 * end_us, 0, 400);
  writer.finish();
}

}  // namespace

int main(int argc, char** argv) {
  Shape shape;
  if (argc < 2) return 2;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const long value = std::atol(argv[i + 1]);
    if (option == "--ranks") shape.ranks = static_cast<uint32_t>(value);
    if (option == "--steps") shape.steps = static_cast<uint32_t>(value);
    if (option == "--kill") shape.kill = value;
    if (option == "--without") shape.without = value;
    if (option == "--all") shape.all = value != 0;
    if (option == "--late") shape.late_ns = static_cast<uint64_t>(value);
  }
  for (uint32_t rank = 0; rank < shape.ranks; ++rank) {
    if (rank != shape.kill && rank != shape.without) write_rank(argv[1], shape, rank);
  }
  // Last, as it takes this process with it.
  if (shape.kill >= 0) write_rank(argv[1], shape, static_cast<uint32_t>(shape.kill));
  return 0;
}
