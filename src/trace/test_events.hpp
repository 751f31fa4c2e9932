// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "trace/events.hpp"

namespace pathline::trace {

template <class T>
std::vector<T> rows_of(const base::Column<T>& column) {
  return {column.begin(), column.end()};
}

/// Everything that events hold is the same. For tests only; no program includes this.
inline void expect_same_events(const Events& a, const Events& b) {
  EXPECT_EQ(rows_of(a.ticks), rows_of(b.ticks));
  EXPECT_EQ(rows_of(a.kind), rows_of(b.kind));
  EXPECT_EQ(rows_of(a.ref), rows_of(b.ref));
  EXPECT_EQ(rows_of(a.words), rows_of(b.words));
  EXPECT_EQ(rows_of(a.attributes.event), rows_of(b.attributes.event));
  EXPECT_EQ(rows_of(a.attributes.attribute), rows_of(b.attributes.attribute));
  EXPECT_EQ(rows_of(a.attributes.type), rows_of(b.attributes.type));
  EXPECT_EQ(rows_of(a.attributes.value), rows_of(b.attributes.value));
  EXPECT_EQ(a.leaves_of_earlier_calls, b.leaves_of_earlier_calls);
  EXPECT_EQ(a.misplaced_leaves, b.misplaced_leaves);
  EXPECT_EQ(a.open_calls, b.open_calls);
}

}  // namespace pathline::trace
