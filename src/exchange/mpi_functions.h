/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PATHLINE_EXCHANGE_MPI_FUNCTIONS_H
#define PATHLINE_EXCHANGE_MPI_FUNCTIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What libpathline-exchange-<MPI>.so offers to the program, which is linked with no MPI: the few
 * functions of MPI that it needs, the same for each. All but `abort` are collective. An error of
 * MPI ends the job. */
struct PathlineExchange {
  uint32_t version; /* kPathlineExchangeVersion: program and library are of one build. */
  /* Returns 0, or what MPI_Init_thread returned. */
  int (*start)(void);
  void (*place)(uint32_t* rank, uint32_t* size);
  /* `bytes` of each process, in the order of ranks. */
  void (*all_gather)(const void* mine, uint32_t bytes, void* all);
  /* send[r], send_bytes[r]: what rank r gets; receive, receive_bytes: what it sends, which the
   * receivers know. In slices of `slice` bytes at most, below 2 GiB. */
  void (*all_to_all)(const uint8_t* const* send, const uint64_t* send_bytes,
                     uint8_t* const* receive, const uint64_t* receive_bytes, uint64_t slice);
  /* The number of each process for each other one. */
  void (*all_to_all_numbers)(const uint64_t* send, uint64_t* receive);
  void (*abort)(int status);
  void (*finish)(void);
};

enum { kPathlineExchangeVersion = 1 };

/* The one symbol of the library. */
typedef const struct PathlineExchange* (*PathlineExchangeFunctions)(void);
#define PATHLINE_EXCHANGE_SYMBOL "pathline_exchange_functions"

#ifdef __cplusplus
}
#endif
#endif
