// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace pathline::base {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kIsSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);  // clang
#else
inline constexpr bool kIsSanitized = false;
#endif

/// For tests: `count`, or an eighth of it where a sanitizer makes each take ten times as long. The
/// large case is run by the preset dev; a sanitizer finds in few what it finds in many.
constexpr size_t scaled(size_t count) { return kIsSanitized ? (count + 7) / 8 : count; }

}  // namespace pathline::base
