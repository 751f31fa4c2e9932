// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "app/data_table.hpp"

namespace pathline::app {

// The C data interface and the C stream interface of Apache Arrow: layouts that its specification
// fixes, so that columns are handed to other libraries without a copy and without a library.
extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

/// Makes `stream` one of a single batch: a struct with a child for each column. Numbers are not
/// copied, text is dictionary-encoded with its codes as they are. Nothing is null. The memory lives
/// until the stream and all that was got from it are released.
///
/// stream  not initialised; the caller releases it.
void export_arrow(const DataTable& table, ArrowArrayStream& stream);

}  // namespace pathline::app
