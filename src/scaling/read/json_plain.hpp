// SPDX-License-Identifier: BSD-3-Clause
//
// The short cut of the reader of JSON Lines; no interface of the layer.
#pragma once

#include <string>
#include <string_view>

#include "scaling/read/json_events.hpp"

namespace pathline::scaling {

/// Scans a line of JSON that holds nothing but objects, arrays, numbers and strings of plain ASCII
/// letters, in a third of the time of the parser that knows all of JSON. The events are those that
/// the parser would send.
class PlainScanner {
 public:
  /// takes_semicolons  `;` is as good as `,`.
  explicit PlainScanner(bool takes_semicolons) : takes_semicolons_(takes_semicolons) {}

  /// Returns false, after some of the events, if there is anything else in the line, or a handler
  /// returned false: the parser must then decide what it is.
  bool scan(std::string_view line, JsonEvents& events);

 private:
  bool value(JsonEvents& events, int depth);
  bool object(JsonEvents& events, int depth);
  bool array(JsonEvents& events, int depth);
  bool number(JsonEvents& events);
  bool string();
  bool separator();
  [[nodiscard]] char next();
  size_t digits();

  bool takes_semicolons_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string string_;
};

}  // namespace pathline::scaling
