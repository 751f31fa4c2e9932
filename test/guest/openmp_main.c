// SPDX-License-Identifier: BSD-3-Clause
//
// Is there a runtime for this compiler?
#include <omp.h>

int main(void) { return omp_get_level(); }
