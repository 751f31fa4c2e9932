// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>

#include "trace/events.hpp"

namespace pathline::trace {

/// Which part of two lists of events is the first that differs; "" for the same events. For tests
/// only; no program includes this.
inline std::string difference(const Events& a, const Events& b) {
  std::string found;
  const auto compare = [&](const char* name, bool same) {
    if (found.empty() && !same) found = name;
  };
  const auto columns = [&](const char* name, const auto& one, const auto& other) {
    compare(name, std::equal(one.begin(), one.end(), other.begin(), other.end()));
  };
  columns("ticks", a.ticks, b.ticks);
  columns("kind", a.kind, b.kind);
  columns("ref", a.ref, b.ref);
  columns("words", a.words, b.words);
  columns("attributes.event", a.attributes.event, b.attributes.event);
  columns("attributes.attribute", a.attributes.attribute, b.attributes.attribute);
  columns("attributes.type", a.attributes.type, b.attributes.type);
  columns("attributes.value", a.attributes.value, b.attributes.value);
  compare("leaves_of_earlier_calls", a.leaves_of_earlier_calls == b.leaves_of_earlier_calls);
  compare("misplaced_leaves", a.misplaced_leaves == b.misplaced_leaves);
  compare("open_calls", a.open_calls == b.open_calls);
  return found;
}

}  // namespace pathline::trace
