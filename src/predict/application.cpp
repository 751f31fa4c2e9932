// SPDX-License-Identifier: BSD-3-Clause
#include "predict/application.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pathline::predict {
namespace {

constexpr uint64_t kValueBytes = 8;
constexpr std::string_view kLayouts[] = {"contiguous", "strided", "packed"};

/// A field whose cells to the east or west, and to the south or north are needed: data goes the
/// other way.
void add_exchange(Phase& phase, bool from_east, bool from_south) {
  phase.shifts.push_back({.axis = 0, .upwards = !from_east, .layout = "strided", .extra = {0, 0}});
  phase.shifts.push_back({.axis = 1, .upwards = from_south, .extra = {1, 0}});
}

}  // namespace

uint64_t Application::working_set(std::span<const uint32_t> local) const {
  uint64_t cells = 1;
  for (const uint32_t size : local) cells *= uint64_t{size} + 2 * halo;
  return kValueBytes * fields * cells;
}

uint64_t Application::bytes(const Shift& shift, std::span<const uint32_t> local) const {
  uint64_t values = shift.values_per_cell;
  for (size_t axis = 0; axis < local.size(); ++axis) {
    if (axis == shift.axis) continue;
    values *= uint64_t{local[axis]} + (shift.extra.empty() ? 0 : shift.extra[axis]);
  }
  return kValueBytes * values;
}

Application shallow() {
  Application application{
      .name = "shallow", .fields = 13, .halo = 1, .periodic = {true, true}, .phases = {}};
  Phase first;
  add_exchange(first, true, true);    // cu
  add_exchange(first, false, false);  // cv
  add_exchange(first, true, false);   // z
  add_exchange(first, false, true);   // h
  Phase second;
  add_exchange(second, true, true);    // u
  add_exchange(second, false, false);  // v
  add_exchange(second, false, true);   // p
  application.phases = {{.kernels = {{"phase1"}}},
                        first,
                        {.kernels = {{"phase2"}}},
                        second,
                        {.kernels = {{"filter"}, {"copies"}}}};
  return application;
}

base::Status check(const Application& application) {
  const auto invalid = [&](const std::string& what) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("application {}: {}", application.name, what)};
  };
  const size_t axes = application.axes();
  if (axes == 0 || axes > kMaxAxes) {
    return invalid(fmt::format("{} axes, expected 1 to {}", axes, kMaxAxes));
  }
  size_t parts = 0;
  for (const Phase& phase : application.phases) {
    parts += phase.kernels.size() + phase.shifts.size();
    for (const Kernel& kernel : phase.kernels) {
      if (!(kernel.seconds_per_cell >= 0)) {
        return invalid(fmt::format("kernel {} takes {} s per cell, expected 0 or more", kernel.name,
                                   kernel.seconds_per_cell));
      }
    }
    for (const Shift& shift : phase.shifts) {
      if (shift.axis >= axes) {
        return invalid(
            fmt::format("a shift goes along axis {}, expected 0 to {}", shift.axis, axes - 1));
      }
      if (!shift.extra.empty() && shift.extra.size() != axes) {
        return invalid(
            fmt::format("a shift has {} values in 'extra', expected {}", shift.extra.size(), axes));
      }
      if (std::find(std::begin(kLayouts), std::end(kLayouts), shift.layout) == std::end(kLayouts)) {
        return invalid(fmt::format(
            "a shift has the layout '{}', expected contiguous, strided or packed", shift.layout));
      }
    }
  }
  if (parts == 0) return invalid("it does nothing in a step");
  return {};
}

}  // namespace pathline::predict
