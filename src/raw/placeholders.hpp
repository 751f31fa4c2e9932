// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "raw/names.hpp"
#include "trace/events.hpp"

namespace pathline::raw {

/// Puts the numbers that RunNames::placeholder gave in the place of those that stand for undefined
/// ones. numbers  per entity, by index in Stream::undefined.
void replace_placeholders(trace::Events& events,
                          const std::vector<uint32_t> (&numbers)[kEntityCount]);

}  // namespace pathline::raw
