// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/poisson/array.hpp"
#include "examples/poisson/halo.hpp"
#include "examples/poisson/operator.hpp"
#include "examples/poisson/work.hpp"

namespace poisson {

// The loops over the cells of a rank. Each is a region of its own for `pathline record`. Arrays
// whose neighbours are needed are filled by the halo first, and so not const.

/// result = A u
void apply(const Operator& a, const Halo& halo, Array& u, Array& result, Work& work);

/// result = b - A u
void residual(const Operator& a, const Halo& halo, const Array& b, Array& u, Array& result,
              Work& work);

/// One sweep of Gauss-Seidel for A u = b: first the cells of even x + y, then the others, so that
/// the result does not depend on the division into ranks.
///
/// is_odd  whether x + y is odd, counted over all ranks, for the first cell of this one.
void smooth(const Operator& a, const Halo& halo, bool is_odd, const Array& b, Array& u, Work& work);

/// coarse = sum of the four fine values in each of its cells
void restrict_to(const Array& fine, Array& coarse, Work& work);

/// u += the correction on the grid of twice the cell size: linear interpolation between its coarse
/// cell and the nearest one in x and in y where coefficients are equal, and none across faces that
/// hardly conduct.
void prolongate(const Operator& a, const Halo& coarse_halo, Array& coarse, Array& u, Work& work);

/// The scalar product over all ranks.
double dot(const Array& a, const Array& b, Work& work);

/// y += factor * x
void add_scaled(Array& y, double factor, const Array& x, Work& work);

/// y = x + factor * y
void scale_and_add(Array& y, double factor, const Array& x, Work& work);

}  // namespace poisson
