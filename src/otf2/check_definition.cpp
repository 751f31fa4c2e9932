// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/check_definition.hpp"

#include <string_view>

#include <fmt/format.h>

#include "otf2/bytes.hpp"

namespace pathline::otf2 {
namespace {

/// The fields of the definitions in a file, by number: b a byte, w and d compressed numbers of 32
/// and 64 bits, s a string, v a type and a value of it, n(...) and N(...) a list whose length is a
/// byte or a compressed number; what stands behind | came later and may be missing.
constexpr std::string_view fields_of(uint8_t type) {
  switch (type) {
    case 5: return "ddd|d";          // ClockProperties
    case 6: return "bwb";            // Paradigm
    case 7: return "bbv";            // ParadigmProperty
    case 8: return "bwwbwn(bv)";     // IoParadigm
    case 10: return "ws";            // String
    case 11: return "wwb|w";         // Attribute
    case 12: return "wwww";          // SystemTreeNode
    case 13: return "wwbw|w";        // LocationGroup
    case 14: return "dwbdw";         // Location
    case 15: return "wwwbwww|wbbw";  // Region
    case 16: return "wwwww";         // Callsite
    case 17: return "www";           // Callpath
    case 18: return "wwbN(d)|bbw";   // Group
    case 19: return "wwwbbbbdw";     // MetricMember
    case 20: return "wn(w)b|b";      // MetricClass
    case 21: return "wwdbd";         // MetricInstance
    case 22: return "wwww|w";        // Comm
    case 23: return "wwb";           // Parameter
    case 24: return "www|w";         // RmaWin
    case 25: return "wd";            // MetricClassRecorder
    case 26: return "www|v";         // SystemTreeNodeProperty
    case 27: return "wb";            // SystemTreeNodeDomain
    case 28: return "www|v";         // LocationGroupProperty
    case 29: return "dww|v";         // LocationProperty
    case 30: return "wwwb";          // CartDimension
    case 31: return "wwwn(w)";       // CartTopology
    case 32: return "wwn(w)";        // CartCoordinate
    case 33: return "www";           // SourceCodeLocation
    case 34: return "wwww";          // CallingContext
    case 35: return "wwv";           // CallingContextProperty
    case 36: return "wwbbdd";        // InterruptGenerator
    case 37: return "wwv";           // IoFileProperty
    case 38: return "www";           // IoRegularFile
    case 39: return "www";           // IoDirectory
    case 40: return "wwwbwww";       // IoHandle
    case 41: return "wbw";           // IoPreCreatedHandleState
    case 42: return "wwv";           // CallpathParameter
    case 43: return "wwwwww";        // InterComm
    default: return "";
  }
}

void skip_value(ByteCursor& in) {
  const uint8_t type = in.u8();
  switch (type) {
    case 1:
    case 5: in.skip(1); break;
    case 2:
    case 6: in.skip(2); break;
    case 9: in.skip(4); break;
    case 10: in.skip(8); break;
    case 0:
    case 4:
    case 8:
    case 13: in.compressed(8); break;
    default: in.compressed(type <= 25 ? 4 : 8); break;
  }
}

void skip_fields(ByteCursor& in, std::string_view fields) {
  for (size_t i = 0; i < fields.size() && !in.failed(); ++i) {
    switch (fields[i]) {
      case 'b': in.skip(1); break;
      case 'w': in.compressed(4); break;
      case 'd': in.compressed(8); break;
      case 's': in.skip_text(); break;
      case 'v': skip_value(in); break;
      case '|':
        if (in.left() == 0) return;
        break;
      default: {  // A list.
        const uint64_t count = fields[i] == 'n' ? in.u8() : in.compressed(4);
        const size_t end = fields.find(')', i);
        const std::string_view item = fields.substr(i + 2, end - i - 2);
        for (uint64_t k = 0; k < count && !in.failed(); ++k) skip_fields(in, item);
        i = end;
      }
    }
  }
}

}  // namespace

std::optional<std::string> check_definition(const RawDefinition& definition) {
  ByteCursor in(definition.payload);
  in.set_big_endian(definition.big_endian);
  skip_fields(in, fields_of(definition.type));
  if (!in.failed()) return {};
  return fmt::format("the fields of this definition of type {} do not fit into its {} bytes",
                     definition.type, definition.payload.size());
}

}  // namespace pathline::otf2
