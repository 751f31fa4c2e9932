// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "trace/event_kind.hpp"

namespace pathline::trace {

/// Kinds of events that follow each other in number, both ends among them.
struct KindRange {
  EventKind first;
  EventKind last;
};

namespace detail {

constexpr size_t kKindsAtOnce = 64;

/// Of 64 kinds a bit each: whether one of the ranges has it.
template <KindRange... kRanges>
uint64_t found_kinds(const EventKind* kinds) {
  uint64_t found = 0;
#if defined(__SSE2__)
  constexpr size_t kWidth = sizeof(__m128i);
  for (size_t at = 0; at < kKindsAtOnce; at += kWidth) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kinds + at));
    const auto in_range = [sixteen](KindRange range) {
      const auto first = static_cast<char>(range.first);
      const auto count = static_cast<char>(static_cast<int>(range.last) - first);
      const __m128i from_first = _mm_sub_epi8(sixteen, _mm_set1_epi8(first));
      return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8(count)), from_first);
    };
    __m128i any = _mm_setzero_si128();
    ((any = _mm_or_si128(any, in_range(kRanges))), ...);
    found |= uint64_t{static_cast<uint16_t>(_mm_movemask_epi8(any))} << at;
  }
#else
  for (size_t i = 0; i < kKindsAtOnce; ++i) {
    const bool any = ((kinds[i] >= kRanges.first && kinds[i] <= kRanges.last) || ...);
    found |= uint64_t{any} << i;
  }
#endif
  return found;
}

/// Calls visit(first of 64 events, their bits) where a bit is set.
template <KindRange... kRanges, class Visit>
void for_each_found(std::span<const EventKind> kinds, size_t first, Visit visit) {
  static_assert(((kRanges.first > EventKind::kNone) && ...));
  for (; first + kKindsAtOnce <= kinds.size(); first += kKindsAtOnce) {
    const uint64_t found = found_kinds<kRanges...>(kinds.data() + first);
    if (found != 0) visit(first, found);
  }
  if (first >= kinds.size()) return;
  std::array<EventKind, kKindsAtOnce> rest{};  // Of kNone.
  std::copy(kinds.begin() + static_cast<std::ptrdiff_t>(first), kinds.end(), rest.begin());
  const uint64_t found = found_kinds<kRanges...>(rest.data());
  if (found != 0) visit(first, found);
}

}  // namespace detail

/// Calls visit(i) for the events from `first` on whose kind is in one of the ranges, ascending.
/// What lies between them is passed over, 16 at a time where the processor can: for who wants few
/// of all events, or those that are no calls.
///
/// cost  about 0.2 ns for an event and range, and the visits.
template <KindRange... kRanges, class Visit>
void for_each_of(std::span<const EventKind> kinds, size_t first, Visit visit) {
  detail::for_each_found<kRanges...>(kinds, first, [&](size_t at, uint64_t found) {
    for (; found != 0; found &= found - 1) {
      visit(at + static_cast<size_t>(std::countr_zero(found)));
    }
  });
}

/// How many events from `first` on are of these kinds.
template <KindRange... kRanges>
size_t count_of(std::span<const EventKind> kinds, size_t first) {
  size_t count = 0;
  detail::for_each_found<kRanges...>(kinds, first, [&](size_t, uint64_t found) {
    count += static_cast<size_t>(std::popcount(found));
  });
  return count;
}

/// One kind.
template <EventKind kKind>
inline constexpr KindRange kOnly{kKind, kKind};
/// The kinds from MpiSend to MpiIrecv, which most events beside calls are.
constexpr bool is_of_message(EventKind kind) {
  return kind >= EventKind::kMpiSend && kind <= EventKind::kMpiIrecv;
}
/// Of messages between two ranks.
inline constexpr KindRange kMessageKinds{EventKind::kMpiSend, EventKind::kMpiRequestCancelled};

}  // namespace pathline::trace
