// SPDX-License-Identifier: BSD-3-Clause
#include "bench/deploy/messages.hpp"

#include <algorithm>

namespace deploy {
namespace {

constexpr size_t kLine = 64;  // bytes
constexpr size_t kLineDoubles = kLine / sizeof(double);
constexpr int kTag = 7;

constexpr size_t rounded_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

/// Nothing is ever computed with what a simulated message brings, and a stride costs nothing.
Shape in_memory(Shape shape) {
  if (kIsSimulated) shape.stride = std::min<size_t>(shape.stride, 2);
  return shape;
}

bool is_contiguous(const Shape& shape) {
  return shape.layout == Layout::kContiguous || shape.stride == 1;
}

}  // namespace

Slices::Plan Slices::plan_of(const Shape& shape, size_t level_bytes) {
  Plan plan = {.shape = in_memory(shape), .count = 1, .columns = 1, .pitch = 0};
  const Shape& stored = plan.shape;
  size_t lines_bytes = 0;  // of a slice
  if (is_contiguous(stored)) {
    lines_bytes = rounded_up(stored.bytes, kLine);
    plan.pitch = lines_bytes / sizeof(double);
  } else {
    lines_bytes = stored.elements() * std::min(kLine, stored.stride * sizeof(double));
    // Columns a line apart; the last one must not share a line with the first one's next row.
    plan.columns = std::max<size_t>(stored.stride / kLineDoubles, 1);
    plan.pitch = rounded_up(stored.elements() * stored.stride, kLineDoubles);
  }
  if (!kIsSimulated) {
    plan.count = std::max<size_t>(level_bytes / 2 / std::max<size_t>(lines_bytes, 1), 1);
  }
  return plan;
}

Slices::Slices(const Shape& shape, size_t level_bytes)
    : plan_(plan_of(shape, level_bytes)), send_(plan_.doubles()), receive_(plan_.doubles()) {
  fill();
}

double Slices::memory_bytes(const Shape& shape, size_t level_bytes) {
  return 2.0 * sizeof(double) * static_cast<double>(plan_of(shape, level_bytes).doubles());
}

size_t Slices::offset(size_t i) const {
  return i / plan_.columns * plan_.pitch + i % plan_.columns * kLineDoubles;
}

void Slices::fill() {
  if (kIsSimulated) return;
  const Shape& shape = plan_.shape;
  const bool contiguous = is_contiguous(shape);
  const size_t step = contiguous ? kLineDoubles : shape.stride;
  const size_t rows = contiguous ? plan_.pitch / kLineDoubles : shape.elements();
  // Last what will be sent: the sender has just computed it.
  for (double* area : {receive_.data(), send_.data()}) {
    for (size_t first = 0; first < plan_.count; first += plan_.columns) {
      const size_t end = std::min(first + plan_.columns, plan_.count);
      for (size_t row = 0; row < rows; ++row) {
        for (size_t i = first; i < end; ++i) area[offset(i) + row * step] = 1;
      }
    }
  }
}

Eviction::Eviction(size_t bytes)
    : area_(kIsSimulated ? 0 : bytes / sizeof(double), 1.0) {}  // written: no page of zeros

void Eviction::run() {
  double sum = 0;
  for (size_t i = 0; i < area_.size(); i += kLineDoubles) sum += area_[i];
  sum_ += sum;
  // The compiler must believe that somebody wants it.
  asm volatile("" : : "r"(&sum_) : "memory");
}

Shift::Shift(const Shape& shape, int to, int from, MPI_Comm communicator)
    : shape_(in_memory(shape)),
      to_(to),
      from_(from),
      communicator_(communicator),
      packed_send_(shape.layout == Layout::kPacked ? shape.elements() : 0),
      packed_receive_(shape.layout == Layout::kPacked ? shape.elements() : 0) {
  const auto elements = static_cast<int>(shape.elements());
  if (shape_.layout == Layout::kStrided) {
    MPI_Type_vector(elements, 1, static_cast<int>(shape_.stride), MPI_DOUBLE, &type_);
  } else if (shape_.bytes % sizeof(double) == 0) {
    MPI_Type_contiguous(1, MPI_DOUBLE, &type_);
    count_ = elements;
  } else {
    MPI_Type_contiguous(1, MPI_BYTE, &type_);
    count_ = static_cast<int>(shape_.bytes);
  }
  MPI_Type_commit(&type_);
}

Shift::~Shift() { MPI_Type_free(&type_); }

void Shift::run(const double* send, double* receive) {
  const bool packs = shape_.layout == Layout::kPacked && !kIsSimulated;
  const size_t elements = shape_.elements();
  if (packs) {
    double* packed = packed_send_.data();
    for (size_t i = 0; i < elements; ++i) packed[i] = send[i * shape_.stride];
  }
  MPI_Sendrecv(packs ? packed_send_.data() : send, count_, type_, to_, kTag,
               packs ? packed_receive_.data() : receive, count_, type_, from_, kTag, communicator_,
               MPI_STATUS_IGNORE);
  if (packs) {
    const double* packed = packed_receive_.data();
    for (size_t i = 0; i < elements; ++i) receive[i * shape_.stride] = packed[i];
  }
}

}  // namespace deploy
