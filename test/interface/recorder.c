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

void pathline_record_insitu_grid(const double* points, int64_t n_points,
                                 const int64_t* connectivity, const int64_t* offsets,
                                 const uint8_t* types, int64_t n_cells) {
  printf("grid %lld points %lld cells", (long long)n_points, (long long)n_cells);
  if (n_cells == 0) {
    printf("%s\n", points || connectivity || offsets || types ? "" : " NULL");
    return;
  }
  const int64_t corners = offsets[n_cells - 1];
  printf(", last: z %g point %lld end %lld type %d\n", points[3 * n_points - 1],
         (long long)connectivity[corners - 1], (long long)corners, types[n_cells - 1]);
}

void pathline_record_insitu_execute(int64_t step, double time_s) {
  printf("execute %lld %g\n", (long long)step, time_s);
}

int pathline_record_insitu_count(void) { return 2; }
const char* pathline_record_insitu_name(int i) {
  return i == 0 ? "rank" : i == 1 ? "sent : bytes" : NULL;
}
double pathline_record_insitu_value(int i) { return i == 0 ? 7 : i == 1 ? 1048576 : 0; }
