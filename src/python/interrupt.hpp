// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <future>

#include <pybind11/pybind11.h>

#include "base/stopping.hpp"

namespace pathline::python {

/// Calls `job` without Python's lock. In the main thread of Python, the only one that hears of
/// signals, Ctrl-C ends it soon: with KeyboardInterrupt, or what the program's handler raises.
///
/// job  may throw, and must not touch Python.
template <class Job>
auto interruptible(Job job) {
  namespace py = pybind11;
  const bool is_main = [] {
    const auto threading = py::module_::import("threading");
    return threading.attr("current_thread")().is(threading.attr("main_thread")());
  }();
  if (!is_main) {
    const py::gil_scoped_release no_lock;
    return job();
  }
  std::atomic<bool> stop = false;
  auto result = [&] {
    const py::gil_scoped_release no_lock;
    return std::async(std::launch::async, [&] {
      const base::Stoppable stoppable(&stop);
      return job();
    });
  }();
  const auto wait = [&](std::chrono::milliseconds time) {
    const py::gil_scoped_release no_lock;
    return result.wait_for(time) == std::future_status::ready;
  };
  while (!wait(std::chrono::milliseconds(50))) {
    if (PyErr_CheckSignals() == 0) continue;
    const py::error_already_set interrupt;  // Takes what was raised.
    stop = true;
    {
      const py::gil_scoped_release no_lock;
      result.wait();
    }
    throw interrupt;
  }
  return result.get();
}

}  // namespace pathline::python
