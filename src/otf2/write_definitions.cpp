// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/write_definitions.hpp"

#include <tuple>
#include <type_traits>

#include <fmt/format.h>

namespace pathline::otf2 {
namespace {

using trace::DefinitionKind;

template <class Field>
Field take(trace::WordReader& in) {
  if constexpr (std::is_same_v<Field, OTF2_AttributeValue>) {
    OTF2_AttributeValue value{};
    value.uint64 = in.u64();
    return value;
  } else {
    return static_cast<Field>(words_of<Field>() == 2 ? in.u64() : in.u32());
  }
}

/// Calls one of the library's functions with the fields in `in`; its type says which they are.
template <class... Fields>
OTF2_ErrorCode write_fields(OTF2_GlobalDefWriter* writer,
                            OTF2_ErrorCode (*function)(OTF2_GlobalDefWriter*, Fields...),
                            trace::WordReader in) {
  // Braces, not parentheses: they order the evaluation.
  const std::tuple<Fields...> fields{take<Fields>(in)...};
  return std::apply([&](auto... field) { return function(writer, field...); }, fields);
}

template <class Item>
std::vector<Item> take_items(trace::WordReader& in, size_t count) {
  std::vector<Item> items(count);
  for (Item& item : items) item = take<Item>(in);
  return items;
}

/// One definition of the kinds that hold arrays or text, which a table of functions cannot express.
OTF2_ErrorCode write_array(OTF2_GlobalDefWriter* writer, DefinitionKind kind, trace::WordReader in,
                           const trace::Definitions& definitions) {
  switch (kind) {
    case DefinitionKind::kString: {
      const uint32_t self = in.u32();
      return OTF2_GlobalDefWriter_WriteString(writer, self, definitions.text(in.u32()).c_str());
    }
    case DefinitionKind::kGroup: {
      const auto head = take_items<uint32_t>(in, 6);
      const auto members = take_items<uint64_t>(in, head[5]);
      return OTF2_GlobalDefWriter_WriteGroup(
          writer, head[0], head[1], static_cast<OTF2_GroupType>(head[2]),
          static_cast<OTF2_Paradigm>(head[3]), head[4], head[5], members.data());
    }
    case DefinitionKind::kMetricClass: {
      const uint32_t self = in.u32();
      const auto members = take_items<OTF2_MetricMemberRef>(in, in.u32());
      const auto occurrence = take<OTF2_MetricOccurrence>(in);
      return OTF2_GlobalDefWriter_WriteMetricClass(
          writer, self, static_cast<uint8_t>(members.size()), members.data(), occurrence,
          take<OTF2_RecorderKind>(in));
    }
    case DefinitionKind::kCartTopology: {
      const auto head = take_items<uint32_t>(in, 4);
      const auto dimensions = take_items<OTF2_CartDimensionRef>(in, head[3]);
      return OTF2_GlobalDefWriter_WriteCartTopology(
          writer, head[0], head[1], head[2], static_cast<uint8_t>(head[3]), dimensions.data());
    }
    case DefinitionKind::kCartCoordinate: {
      const auto head = take_items<uint32_t>(in, 3);
      const auto coordinates = take_items<uint32_t>(in, head[2]);
      return OTF2_GlobalDefWriter_WriteCartCoordinate(
          writer, head[0], head[1], static_cast<uint8_t>(head[2]), coordinates.data());
    }
    default: {  // IoParadigm
      const auto head = take_items<uint32_t>(in, 6);
      std::vector<OTF2_IoParadigmProperty> properties;
      std::vector<OTF2_Type> types;
      std::vector<OTF2_AttributeValue> values;
      for (uint32_t i = 0; i < head[5]; ++i) {
        properties.push_back(take<OTF2_IoParadigmProperty>(in));
        types.push_back(take<OTF2_Type>(in));
        values.push_back(take<OTF2_AttributeValue>(in));
      }
      return OTF2_GlobalDefWriter_WriteIoParadigm(
          writer, static_cast<OTF2_IoParadigmRef>(head[0]), head[1], head[2],
          static_cast<OTF2_IoParadigmClass>(head[3]), head[4], static_cast<uint8_t>(head[5]),
          properties.data(), types.data(), values.data());
    }
  }
}

OTF2_ErrorCode write_location(OTF2_GlobalDefWriter* writer, trace::WordReader in,
                              const trace::Location& location) {
  const uint64_t self = in.u64();
  const uint32_t name = in.u32();
  const auto type = take<OTF2_LocationType>(in);
  const uint64_t stated = in.u64();
  return OTF2_GlobalDefWriter_WriteLocation(
      writer, self, name, type, location.complete ? stated : location.events.size(), in.u32());
}

OTF2_ErrorCode write_one(OTF2_GlobalDefWriter* writer, const trace::Trace& trace, size_t i) {
  const trace::Definitions& definitions = trace.definitions;
  const trace::WordReader in(definitions.words(i));
  const DefinitionKind kind = definitions.kind(i);
  // Callsite is deprecated, but what an old archive holds is written again.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  switch (kind) {
#define PATHLINE_CASE(name) \
  case DefinitionKind::k##name: return write_fields(writer, OTF2_GlobalDefWriter_Write##name, in);
    PATHLINE_CASE(ClockProperties)
    PATHLINE_CASE(Paradigm)
    PATHLINE_CASE(ParadigmProperty)
    PATHLINE_CASE(Attribute)
    PATHLINE_CASE(SystemTreeNode)
    PATHLINE_CASE(LocationGroup)
    PATHLINE_CASE(Region)
    PATHLINE_CASE(Callsite)
    PATHLINE_CASE(Callpath)
    PATHLINE_CASE(MetricMember)
    PATHLINE_CASE(MetricInstance)
    PATHLINE_CASE(Comm)
    PATHLINE_CASE(Parameter)
    PATHLINE_CASE(RmaWin)
    PATHLINE_CASE(MetricClassRecorder)
    PATHLINE_CASE(SystemTreeNodeProperty)
    PATHLINE_CASE(SystemTreeNodeDomain)
    PATHLINE_CASE(LocationGroupProperty)
    PATHLINE_CASE(LocationProperty)
    PATHLINE_CASE(CartDimension)
    PATHLINE_CASE(SourceCodeLocation)
    PATHLINE_CASE(CallingContext)
    PATHLINE_CASE(CallingContextProperty)
    PATHLINE_CASE(InterruptGenerator)
    PATHLINE_CASE(IoFileProperty)
    PATHLINE_CASE(IoRegularFile)
    PATHLINE_CASE(IoDirectory)
    PATHLINE_CASE(IoHandle)
    PATHLINE_CASE(IoPreCreatedHandleState)
    PATHLINE_CASE(CallpathParameter)
    PATHLINE_CASE(InterComm)
#undef PATHLINE_CASE
    case DefinitionKind::kLocation: {
      const uint64_t id = trace::WordReader(in).u64();
      return write_location(writer, in, trace.locations[definitions.location_index(id)]);
    }
    case DefinitionKind::kString:
    case DefinitionKind::kGroup:
    case DefinitionKind::kMetricClass:
    case DefinitionKind::kCartTopology:
    case DefinitionKind::kCartCoordinate:
    case DefinitionKind::kIoParadigm: return write_array(writer, kind, in, definitions);
  }
#pragma GCC diagnostic pop
  return OTF2_ERROR_INVALID_ARGUMENT;
}

}  // namespace

base::Status write_definitions(OTF2_GlobalDefWriter* writer, const trace::Trace& trace) {
  for (size_t i = 0; i < trace.definitions.size(); ++i) {
    const OTF2_ErrorCode code = write_one(writer, trace, i);
    if (code == OTF2_SUCCESS) continue;
    return base::Error{
        base::ErrorCode::kIo,
        fmt::format("the OTF2 library refuses definition {}, a {} ({})", i,
                    definition_name(trace.definitions.kind(i)), QuietLibrary::reason(code))};
  }
  return {};
}

}  // namespace pathline::otf2
