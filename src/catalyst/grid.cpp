// SPDX-License-Identifier: BSD-3-Clause
#include "catalyst/grid.hpp"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkPoints.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeUInt32Array.h>
#include <vtkTypeUInt64Array.h>
#include <vtkUnsignedCharArray.h>

namespace pathline::catalyst {
namespace {

constexpr size_t kPieces = 64;
constexpr int kKeep = 1;  // For SetArray(): VTK does not free it.

template <class T>
void fill_with(void* memory, size_t bytes, double value) {
  std::fill_n(static_cast<T*>(memory), bytes / sizeof(T), static_cast<T>(value));
}

template <class Array>
vtkSmartPointer<vtkDataArray> array_over(void* memory, vtkIdType count) {
  const auto array = vtkSmartPointer<Array>::New();
  array->SetArray(static_cast<typename Array::ValueType*>(memory), count, kKeep);
  return array;
}

}  // namespace

ConstantArray::~ConstantArray() { release(); }

void ConstantArray::release() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  if (piece_ != nullptr) munmap(piece_, piece_bytes_);
  memory_ = piece_ = nullptr;
  bytes_ = piece_bytes_ = 0;
}

bool ConstantArray::map(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  piece_bytes_ = (bytes / kPieces / page + 1) * page;
  bytes_ = (bytes / piece_bytes_ + 1) * piece_bytes_;
  const int file = memfd_create("pathline constant", MFD_CLOEXEC);
  if (file < 0) return false;
  bool done = ftruncate(file, static_cast<off_t>(piece_bytes_)) == 0;
  if (done) {
    piece_ = mmap(nullptr, piece_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    memory_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    done = piece_ != MAP_FAILED && memory_ != MAP_FAILED;
  }
  for (size_t at = 0; done && at < bytes_; at += piece_bytes_) {
    // A filter that writes into it gets pages of its own.
    done = mmap(static_cast<char*>(memory_) + at, piece_bytes_, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
  }
  close(file);
  if (piece_ == MAP_FAILED) piece_ = nullptr;
  if (memory_ == MAP_FAILED) memory_ = nullptr;
  if (!done) release();
  return done;
}

void ConstantArray::fill(int32_t type, double value) {
  switch (type) {
    case PATHLINE_INT32: return fill_with<vtkTypeInt32>(piece_, piece_bytes_, value);
    case PATHLINE_UINT32: return fill_with<vtkTypeUInt32>(piece_, piece_bytes_, value);
    case PATHLINE_UINT64: return fill_with<vtkTypeUInt64>(piece_, piece_bytes_, value);
    default: return fill_with<double>(piece_, piece_bytes_, value);
  }
}

vtkSmartPointer<vtkDataArray> ConstantArray::set(const SharedArray& array, vtkIdType count) {
  const size_t size = array.type == PATHLINE_INT32 || array.type == PATHLINE_UINT32 ? 4 : 8;
  const bool is_new =
      array_ == nullptr || array_->GetNumberOfTuples() != count || type_ != array.type;
  if (is_new) {
    array_ = nullptr;
    release();
    if (!map(static_cast<size_t>(count) * size)) return nullptr;
    type_ = array.type;
    switch (type_) {
      case PATHLINE_INT32: array_ = array_over<vtkTypeInt32Array>(memory_, count); break;
      case PATHLINE_UINT32: array_ = array_over<vtkTypeUInt32Array>(memory_, count); break;
      case PATHLINE_UINT64: array_ = array_over<vtkTypeUInt64Array>(memory_, count); break;
      default: array_ = array_over<vtkDoubleArray>(memory_, count); break;
    }
  }
  fill(type_, array.value);
  array_->SetName(array.name.c_str());
  array_->Modified();
  return array_;
}

bool Mesh::take(const PathlineCatalystGrid& part, const std::vector<SharedArray>& arrays,
                int64_t step) {
  grid_ = vtkSmartPointer<vtkUnstructuredGrid>::New();
  const auto coordinates = vtkSmartPointer<vtkDoubleArray>::New();
  coordinates->SetNumberOfComponents(3);
  coordinates->SetArray(const_cast<double*>(part.points), 3 * part.n_points, kKeep);
  const auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetData(coordinates);
  grid_->SetPoints(points);

  if (offsets_ == nullptr) offsets_ = vtkSmartPointer<vtkTypeInt64Array>::New();
  vtkTypeInt64* ends = offsets_->WritePointer(0, part.n_cells + 1);
  offsets_->SetNumberOfValues(part.n_cells + 1);
  ends[0] = 0;
  std::copy_n(part.offsets, part.n_cells, ends + 1);
  offsets_->Modified();
  const auto connectivity = vtkSmartPointer<vtkTypeInt64Array>::New();
  static_assert(sizeof(vtkTypeInt64) == sizeof(int64_t));
  connectivity->SetArray(reinterpret_cast<vtkTypeInt64*>(const_cast<int64_t*>(part.connectivity)),
                         ends[part.n_cells], kKeep);
  const auto cells = vtkSmartPointer<vtkCellArray>::New();
  cells->SetData(offsets_, connectivity);
  const auto types = vtkSmartPointer<vtkUnsignedCharArray>::New();
  types->SetArray(const_cast<uint8_t*>(part.types), part.n_cells, kKeep);
  grid_->SetCells(types, cells);

  arrays_.clear();
  statistics_.clear();
  while (constants_.size() < arrays.size()) constants_.push_back(std::make_unique<ConstantArray>());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const SharedArray& array = arrays[i];
    const auto values = constants_[i]->set(array, part.n_cells);
    if (values == nullptr) return false;
    arrays_.push_back(values);
    const auto statistics = vtkSmartPointer<vtkDoubleArray>::New();
    statistics->SetName((array.name + " : statistics").c_str());
    statistics->SetNumberOfComponents(5);
    constexpr const char* kNames[] = {"mean", "deviation", "min", "max", "imbalance"};
    for (int c = 0; c < 5; ++c) statistics->SetComponentName(c, kNames[c]);
    const double all[] = {array.mean, array.deviation, array.least, array.most, array.imbalance};
    statistics->InsertNextTuple(all);
    statistics_.push_back(statistics);
  }
  const auto number = vtkSmartPointer<vtkTypeInt64Array>::New();
  number->SetName("step");
  number->InsertNextValue(step);
  grid_->GetFieldData()->AddArray(number);
  return true;
}

vtkSmartPointer<vtkUnstructuredGrid> Mesh::copy() const {
  const auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  grid->ShallowCopy(grid_);
  return grid;
}

void Mesh::add(vtkUnstructuredGrid& grid, size_t array) const {
  grid.GetCellData()->AddArray(arrays_[array]);
  grid.GetFieldData()->AddArray(statistics_[array]);
}

}  // namespace pathline::catalyst
