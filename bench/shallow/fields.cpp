// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/fields.hpp"

#include <iterator>
#include <memory>

namespace shallow {
namespace {

constexpr size_t kPage = 4096 / sizeof(double);
constexpr size_t kStagger = 256 / sizeof(double);

}  // namespace

Fields::Fields(const Grid& own) : grid(own) {
  double** const all[] = {&u, &v, &p, &unew, &vnew, &pnew, &uold, &vold, &pold, &cu, &cv, &z, &h};
  const size_t pitch = (grid.size() + kPage - 1) / kPage * kPage + kStagger;
  values_.resize(std::size(all) * pitch + kPage);

  void* begin = values_.data();
  size_t space = values_.size() * sizeof(double);
  auto* next = static_cast<double*>(
      std::align(kPage * sizeof(double), std::size(all) * pitch * sizeof(double), begin, space));
  for (double** field : all) {
    *field = next;
    next += pitch;
  }
}

}  // namespace shallow
