// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for the recorder: prints what reaches it. Shares nothing with pathline.h but the names.
#include <stdint.h>
#include <stdio.h>

void pathline_record_step(int64_t step, double time_s) {
  printf("step %lld %g\n", (long long)step, time_s);
}

void pathline_record_region_begin(const char* name) { printf("begin %s\n", name); }
void pathline_record_region_end(const char* name) { printf("end %s\n", name); }
void pathline_record_region_next(const char* name) { printf("next %s\n", name); }
