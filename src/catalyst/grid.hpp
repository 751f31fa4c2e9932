// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>
#include <vtkDataArray.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnstructuredGrid.h>

#include "catalyst/catalyst.h"
#include "catalyst/ranks.hpp"

namespace pathline::catalyst {

/// An array of VTK whose values are all the same, which takes a 64th of its memory: one piece of it
/// is mapped again and again. (This VTK has no implicit arrays.)
class ConstantArray {
 public:
  ConstantArray() = default;
  ~ConstantArray();
  ConstantArray(const ConstantArray&) = delete;
  ConstantArray& operator=(const ConstantArray&) = delete;

  /// `count` values. What was handed out before has them from now on, unless there are more or
  /// fewer than before.
  /// cost  a 64th of `count`
  vtkSmartPointer<vtkDataArray> set(const SharedArray& array, vtkIdType count);

 private:
  void release();
  bool map(size_t bytes);
  void fill(int32_t type, double value);

  vtkSmartPointer<vtkDataArray> array_;
  int32_t type_ = -1;
  void* memory_ = nullptr;
  size_t bytes_ = 0;  ///< Of `memory_`.
  void* piece_ = nullptr;
  size_t piece_bytes_ = 0;
};

/// The mesh of this rank for ParaView. Points, connectivity and types stay where the program has
/// them; only the offsets are copied, before which VTK wants a zero.
class Mesh {
 public:
  /// returns  false if there is no memory for the arrays
  bool take(const PathlineCatalystGrid& grid, const std::vector<SharedArray>& arrays, int64_t step);
  /// A grid of its own for a script, with the arrays that it wants: wants(name).
  template <class Wants>
  vtkSmartPointer<vtkUnstructuredGrid> with(Wants wants) const {
    vtkSmartPointer<vtkUnstructuredGrid> grid = copy();
    for (size_t i = 0; i < arrays_.size(); ++i) {
      if (wants(arrays_[i]->GetName())) add(*grid, i);
    }
    return grid;
  }

 private:
  [[nodiscard]] vtkSmartPointer<vtkUnstructuredGrid> copy() const;
  void add(vtkUnstructuredGrid& grid, size_t array) const;

  vtkSmartPointer<vtkUnstructuredGrid> grid_;
  vtkSmartPointer<vtkTypeInt64Array> offsets_;
  std::vector<std::unique_ptr<ConstantArray>> constants_;
  std::vector<vtkSmartPointer<vtkDataArray>> arrays_;
  std::vector<vtkSmartPointer<vtkDataArray>> statistics_;
};

}  // namespace pathline::catalyst
