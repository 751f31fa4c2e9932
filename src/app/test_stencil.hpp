// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "trace/test_trace.hpp"

namespace pathline::app {

/// Traces of a program on a regular grid, as it would have been recorded. For tests only.
///
///   Stencil stencil{.cells = {64, 48}, .ranks = {4, 4}, .periodic = {true, true}};
///   stencil.shifts = {{.axis = 0, .up = true}, {.axis = 1, .up = false, .extra = {1, 0}}};
///   const trace::Trace trace = stencil.record();
///
/// Each step is a region "update" of 10 ns a cell, in some steps 50, then the messages.
struct Stencil {
  enum class By { kSendrecv, kIsend, kIrecvAndSend, kIsendAndRecv };
  struct Shift {
    uint32_t axis = 0;
    bool up = true;
    std::vector<uint64_t> extra = {};
    uint64_t values = 1;
    uint64_t more_bytes = 0;
    uint32_t tag = 0;
  };
  using Thread = trace::TestTrace::Thread;

  std::vector<uint32_t> cells;
  std::vector<uint32_t> ranks;
  std::vector<bool> periodic;
  std::vector<Shift> shifts = {};
  By by = By::kSendrecv;
  uint32_t steps = 6;
  bool marked = true;
  bool spread = false;  ///< The ranks with one cell more, along each axis; else the first ones.
  /// Adds to a step, in front of the messages, among them and after them; moves the time on.
  std::function<void(trace::TestTrace&, Thread&, uint64_t&now)> before = {}, among = {}, after = {};

  [[nodiscard]] uint32_t rank_count() const {
    uint32_t count = 1;
    for (const uint32_t size : ranks) count *= size;
    return count;
  }
  [[nodiscard]] std::vector<uint32_t> place(uint32_t rank) const {
    std::vector<uint32_t> at;
    for (const uint32_t size : ranks) {
      at.push_back(rank % size);
      rank /= size;
    }
    return at;
  }
  /// Cells of a rank along an axis.
  [[nodiscard]] uint64_t local(uint32_t rank, uint32_t axis) const {
    const uint32_t rest = cells[axis] % ranks[axis];
    const uint32_t at = place(rank)[axis];
    if (spread) return cells[axis] * (at + 1) / ranks[axis] - cells[axis] * at / ranks[axis];
    return cells[axis] / ranks[axis] + (at < rest ? 1 : 0);
  }
  [[nodiscard]] uint64_t local_cells(uint32_t rank) const {
    uint64_t count = 1;
    for (uint32_t axis = 0; axis < cells.size(); ++axis) count *= local(rank, axis);
    return count;
  }
  [[nodiscard]] std::optional<uint32_t> neighbor(uint32_t rank, uint32_t axis, bool up) const {
    std::vector<uint32_t> at = place(rank);
    const uint32_t last = ranks[axis] - 1;
    if (!periodic[axis] && at[axis] == (up ? last : 0)) return std::nullopt;
    at[axis] = up ? (at[axis] == last ? 0 : at[axis] + 1) : (at[axis] == 0 ? last : at[axis] - 1);
    uint32_t result = 0;
    for (size_t i = at.size(); i-- > 0;) result = result * ranks[i] + at[i];
    return result;
  }
  [[nodiscard]] uint64_t bytes(uint32_t rank, const Shift& shift) const {
    uint64_t values = shift.values;
    for (uint32_t axis = 0; axis < cells.size(); ++axis) {
      if (axis == shift.axis) continue;
      values *= local(rank, axis) + (shift.extra.empty() ? 0 : shift.extra[axis]);
    }
    return 8 * values + shift.more_bytes;
  }

  [[nodiscard]] trace::Trace record() const {
    trace::TestTrace test(rank_count());
    const Regions regions(test);
    for (uint32_t rank = 0; rank < rank_count(); ++rank) {
      Thread& thread = test.on(rank);
      uint64_t now = 1000;
      for (uint32_t step = 0; step < steps; ++step) {
        if (marked) thread.enter(now, regions.step);
        if (before) before(test, thread, now);
        now += 7;
        thread.enter(now, regions.update);
        // The first step is another one, and some are disturbed.
        now += (step == 0 ? 2 : step % 3 == 2 ? 50 : 10) * local_cells(rank);
        thread.leave(now, regions.update);
        now += 20;
        send_all(test, regions, rank, now);
        if (after) after(test, thread, now);
        now += 30;
        if (marked) thread.leave(now, regions.step);
      }
    }
    return test.finish();
  }

 private:
  struct Regions {
    explicit Regions(trace::TestTrace& test)
        : step(test.region("time step")),
          update(test.region("update")),
          sendrecv(test.region("MPI_Sendrecv")),
          irecv(test.region("MPI_Irecv")),
          isend(test.region("MPI_Isend")),
          send(test.region("MPI_Send")),
          receive(test.region("MPI_Recv")),
          wait(test.region("MPI_Waitall")) {}
    trace::Region step, update, sendrecv, irecv, isend, send, receive, wait;
  };

  void send_all(trace::TestTrace& test, const Regions& regions, uint32_t rank,
                uint64_t& now) const {
    Thread& thread = test.on(rank);
    if (by == By::kSendrecv) {
      for (size_t i = 0; i < shifts.size(); ++i) {
        const Shift& shift = shifts[i];
        const auto to = neighbor(rank, shift.axis, shift.up);
        const auto from = neighbor(rank, shift.axis, !shift.up);
        thread.enter(now, regions.sendrecv);
        if (to) thread.send(now, *to, bytes(rank, shift), shift.tag);
        if (from) thread.recv(now + 200, *from, bytes(*from, shift), shift.tag);
        now += 200;
        thread.leave(now, regions.sendrecv);
        now += 10;
        if (among && i + 1 < shifts.size()) among(test, thread, now);
      }
      return;
    }
    uint64_t request = 1;
    std::vector<std::pair<uint64_t, size_t>> receives;
    for (size_t i = 0; i < shifts.size() && by != By::kIsendAndRecv; ++i) {
      if (!neighbor(rank, shifts[i].axis, !shifts[i].up)) continue;
      thread.enter(now, regions.irecv).irecv_request(now, request);
      receives.emplace_back(request++, i);
      now += 20;
      thread.leave(now, regions.irecv);
    }
    std::vector<uint64_t> sends;
    const bool is_isend = by != By::kIrecvAndSend;
    for (const Shift& shift : shifts) {
      const auto to = neighbor(rank, shift.axis, shift.up);
      if (!to) continue;
      thread.enter(now, is_isend ? regions.isend : regions.send);
      if (is_isend) {
        thread.isend(now, request, *to, bytes(rank, shift), shift.tag);
        sends.push_back(request++);
      } else {
        thread.send(now, *to, bytes(rank, shift), shift.tag);
      }
      now += 20;
      thread.leave(now, is_isend ? regions.isend : regions.send);
    }
    for (size_t i = 0; i < shifts.size() && by == By::kIsendAndRecv; ++i) {
      const auto from = neighbor(rank, shifts[i].axis, !shifts[i].up);
      if (!from) continue;
      thread.enter(now, regions.receive);
      now += 20;
      thread.recv(now, *from, bytes(*from, shifts[i]), shifts[i].tag).leave(now, regions.receive);
    }
    if (among) among(test, thread, now);
    thread.enter(now, regions.wait);
    now += 200;
    for (const auto& [number, i] : receives) {
      const auto from = neighbor(rank, shifts[i].axis, !shifts[i].up);
      thread.irecv(now, number, *from, bytes(*from, shifts[i]), shifts[i].tag);
    }
    for (const uint64_t number : sends) thread.isend_complete(now, number);
    thread.leave(now, regions.wait);
    now += 10;
  }
};

}  // namespace pathline::app
