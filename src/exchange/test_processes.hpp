// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/mpi_functions.h"

namespace pathline::exchange {

/// Processes that are threads of a test, and an MPI that copies.
class TestProcesses {
 public:
  /// Calls body(exchange) in `size` threads, each with an Exchange of its own, and waits for them.
  static void run(unsigned size, const std::function<void(Exchange&)>& body) {
    TestProcesses job(size);
    std::vector<std::thread> threads;
    for (unsigned rank = 0; rank < size; ++rank) {
      threads.emplace_back([&job, &body, rank] {
        here() = {&job, rank};
        Exchange exchange(functions());
        body(exchange);
        exchange.leave();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  struct Place {
    TestProcesses* job = nullptr;
    unsigned rank = 0;
  };
  struct Sent {
    const void* all = nullptr;
    const uint8_t* const* parts = nullptr;
    const uint64_t* numbers = nullptr;
  };

  explicit TestProcesses(unsigned size) : sent_(size) {}

  static Place& here() {
    static thread_local Place place;
    return place;
  }
  /// Shows the others what this one sends, for as long as `take(rank, sent)` copies theirs.
  template <class Take>
  static void meet(const Sent& mine, Take take) {
    TestProcesses& job = *here().job;
    job.sent_[here().rank] = mine;
    job.wait_for_all();
    for (unsigned i = 0; i < job.sent_.size(); ++i) take(i, job.sent_[i]);
    job.wait_for_all();
  }
  static const PathlineExchange& functions() {
    static const PathlineExchange table = {
        kPathlineExchangeVersion,
        [] { return 0; },
        [](uint32_t* rank, uint32_t* size) {
          *rank = here().rank;
          *size = static_cast<uint32_t>(here().job->sent_.size());
        },
        [](const void* mine, uint32_t bytes, void* all) {
          meet({.all = mine}, [&](unsigned rank, const Sent& sent) {
            std::memcpy(static_cast<uint8_t*>(all) + size_t{rank} * bytes, sent.all, bytes);
          });
        },
        [](const uint8_t* const* send, const uint64_t*, uint8_t* const* receive,
           const uint64_t* receive_bytes, uint64_t) {
          meet({.parts = send}, [&](unsigned rank, const Sent& sent) {
            if (receive_bytes[rank] == 0) return;
            std::memcpy(receive[rank], sent.parts[here().rank], receive_bytes[rank]);
          });
        },
        [](const uint64_t* send, uint64_t* receive) {
          meet({.numbers = send},
               [&](unsigned rank, const Sent& sent) { receive[rank] = sent.numbers[here().rank]; });
        },
        [](int) {},
        [] {}};
    return table;
  }

  /// Sleeps: std::barrier yields its core again and again, which takes minutes on a busy machine.
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    const uint64_t round = round_;
    if (++arrived_ == sent_.size()) {
      arrived_ = 0;
      ++round_;
      all_are_there_.notify_all();
      return;
    }
    all_are_there_.wait(lock, [&] { return round_ != round; });
  }

  std::vector<Sent> sent_;
  std::mutex mutex_;
  std::condition_variable all_are_there_;
  size_t arrived_ = 0;
  uint64_t round_ = 0;
};

}  // namespace pathline::exchange
