// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <otf2/otf2.h>

#include "trace/event_kind.hpp"

namespace pathline::otf2 {

/// Keeps the library from printing its errors while it lives; the last one of this thread is kept
/// instead. The library has one such hook per process, so these may nest but not overlap oddly.
class QuietLibrary {
 public:
  QuietLibrary();
  ~QuietLibrary();
  QuietLibrary(const QuietLibrary&) = delete;
  QuietLibrary& operator=(const QuietLibrary&) = delete;

  /// What the library said last in this thread, or the meaning of `code`.
  static std::string reason(OTF2_ErrorCode code);
  static void forget();
  /// The first error in this thread since reason() or forget(), OTF2_SUCCESS if there was none. The
  /// library does not return every error that it reports: not those of writing out a buffer.
  static OTF2_ErrorCode first_error();
};

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using ReaderHandle = std::unique_ptr<OTF2_Reader, CloseReader>;

/// A text of the anchor; "" without.
std::string text_of(OTF2_Reader* reader, OTF2_ErrorCode (*get)(OTF2_Reader*, char**));
/// Names and values, by name: the library has them in the reverse of any order.
std::vector<std::pair<std::string, std::string>> properties_of(OTF2_Reader* reader);

/// The bits of a value of `type`. The library leaves the rest of its union as it was, so that the
/// same archive would give different traces.
uint64_t value_bits(OTF2_Type type, const OTF2_AttributeValue& value);

/// 32-bit words that a field of a record takes in the columns of a trace.
template <class Field>
constexpr unsigned words_of() {
  return sizeof(Field) == 8 ? 2 : 1;
}

}  // namespace pathline::otf2
