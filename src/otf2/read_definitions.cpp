// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/read_definitions.hpp"

#include <bit>
#include <type_traits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "otf2/bytes.hpp"
#include "otf2/check_definition.hpp"
#include "otf2/scan.hpp"

namespace pathline::otf2 {
namespace {

using trace::DefinitionKind;

struct Target {
  trace::Definitions& definitions;
  uint64_t unknown = 0;
  std::vector<uint32_t> words = {};
  bool out_of_memory = false;

  void put(uint64_t value, unsigned word_count) {
    words.push_back(static_cast<uint32_t>(value));
    if (word_count == 2) words.push_back(static_cast<uint32_t>(value >> 32U));
  }
  template <class Field>
  void put_field(Field field) {
    if constexpr (std::is_same_v<Field, OTF2_AttributeValue>) {
      // In every kind of definition the type is the field in front of the value.
      put(value_bits(static_cast<OTF2_Type>(words.back()), field), 2);
    } else {
      static_assert(std::is_integral_v<Field>, "arrays need a callback of their own");
      put(static_cast<uint64_t>(field), words_of<Field>());
    }
  }
  template <class Item>
  void put_items(size_t count, const Item* items) {
    for (size_t i = 0; i < count; ++i) put(items[i], words_of<Item>());
  }
};

/// Runs `body`, which collects words; an exception must not cross the library's C frames.
template <class Body>
OTF2_CallbackCode guarded(void* user, DefinitionKind kind, Body body) {
  auto& target = *static_cast<Target*>(user);
  try {
    target.words.clear();
    body(target);
    target.definitions.add(kind, target.words);
    return OTF2_CALLBACK_SUCCESS;
  } catch (const std::bad_alloc&) {
    target.out_of_memory = true;
    return OTF2_CALLBACK_INTERRUPT;
  }
}

/// Callback of all definitions with scalar fields only; the library's function types say which.
template <DefinitionKind kKind, class... Fields>
OTF2_CallbackCode on_definition(void* user, Fields... fields) {
  return guarded(user, kKind, [&](Target& target) { (target.put_field(fields), ...); });
}

template <DefinitionKind kKind>
struct Callback {
  template <class... Fields>
  static OTF2_CallbackCode call(void* user, Fields... fields) {
    return on_definition<kKind>(user, fields...);
  }
};

template <>
struct Callback<DefinitionKind::kString> {
  static OTF2_CallbackCode call(void* user, OTF2_StringRef self, const char* text) {
    auto& target = *static_cast<Target*>(user);
    try {
      target.definitions.add_string(self, text);
      return OTF2_CALLBACK_SUCCESS;
    } catch (const std::bad_alloc&) {
      target.out_of_memory = true;
      return OTF2_CALLBACK_INTERRUPT;
    }
  }
};

template <>
struct Callback<DefinitionKind::kGroup> {
  static OTF2_CallbackCode call(void* user, OTF2_GroupRef self, OTF2_StringRef name,
                                OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                uint32_t count, const uint64_t* members) {
    return guarded(user, DefinitionKind::kGroup, [&](Target& target) {
      for (const uint32_t field : {self, name, uint32_t{type}, uint32_t{paradigm}, flags, count}) {
        target.put(field, 1);
      }
      target.put_items(count, members);
    });
  }
};

template <>
struct Callback<DefinitionKind::kMetricClass> {
  static OTF2_CallbackCode call(void* user, OTF2_MetricRef self, uint8_t count,
                                const OTF2_MetricMemberRef* members,
                                OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder) {
    return guarded(user, DefinitionKind::kMetricClass, [&](Target& target) {
      target.put(self, 1);
      target.put(count, 1);
      target.put_items(count, members);
      target.put(occurrence, 1);
      target.put(recorder, 1);
    });
  }
};

template <>
struct Callback<DefinitionKind::kCartTopology> {
  static OTF2_CallbackCode call(void* user, OTF2_CartTopologyRef self, OTF2_StringRef name,
                                OTF2_CommRef comm, uint8_t count,
                                const OTF2_CartDimensionRef* dimensions) {
    return guarded(user, DefinitionKind::kCartTopology, [&](Target& target) {
      for (const uint32_t field : {self, name, comm, uint32_t{count}}) target.put(field, 1);
      target.put_items(count, dimensions);
    });
  }
};

template <>
struct Callback<DefinitionKind::kCartCoordinate> {
  static OTF2_CallbackCode call(void* user, OTF2_CartTopologyRef topology, uint32_t rank,
                                uint8_t count, const uint32_t* coordinates) {
    return guarded(user, DefinitionKind::kCartCoordinate, [&](Target& target) {
      for (const uint32_t field : {topology, rank, uint32_t{count}}) target.put(field, 1);
      target.put_items(count, coordinates);
    });
  }
};

template <>
struct Callback<DefinitionKind::kIoParadigm> {
  static OTF2_CallbackCode call(void* user, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                OTF2_StringRef name, OTF2_IoParadigmClass paradigm_class,
                                OTF2_IoParadigmFlag flags, uint8_t count,
                                const OTF2_IoParadigmProperty* properties, const OTF2_Type* types,
                                const OTF2_AttributeValue* values) {
    return guarded(user, DefinitionKind::kIoParadigm, [&](Target& target) {
      for (const uint32_t field : {uint32_t{self}, identification, name, uint32_t{paradigm_class},
                                   flags, uint32_t{count}}) {
        target.put(field, 1);
      }
      for (size_t i = 0; i < count; ++i) {
        target.put(properties[i], 1);
        target.put(types[i], 1);
        target.put_field(values[i]);
      }
    });
  }
};

OTF2_CallbackCode on_unknown(void* user) {
  ++static_cast<Target*>(user)->unknown;
  return OTF2_CALLBACK_SUCCESS;
}

struct DeleteCallbacks {
  void operator()(OTF2_GlobalDefReaderCallbacks* callbacks) const {
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  }
  void operator()(OTF2_DefReaderCallbacks* callbacks) const {
    OTF2_DefReaderCallbacks_Delete(callbacks);
  }
};

base::Error corrupt(std::string message) { return {base::ErrorCode::kCorrupt, std::move(message)}; }

}  // namespace

base::Status read_global_definitions(OTF2_Reader* reader, std::optional<uint64_t> limit,
                                     trace::Definitions& definitions,
                                     uint64_t& unknown_definitions) {
  QuietLibrary::forget();
  OTF2_GlobalDefReader* global = OTF2_Reader_GetGlobalDefReader(reader);
  if (global == nullptr) return corrupt(QuietLibrary::reason(OTF2_ERROR_INVALID));

  const std::unique_ptr<OTF2_GlobalDefReaderCallbacks, DeleteCallbacks> callbacks(
      OTF2_GlobalDefReaderCallbacks_New());
#define PATHLINE_REGISTER(name, number)                              \
  OTF2_GlobalDefReaderCallbacks_Set##name##Callback(callbacks.get(), \
                                                    &Callback<DefinitionKind::k##name>::call);
  PATHLINE_DEFINITION_KINDS(PATHLINE_REGISTER)
#undef PATHLINE_REGISTER
  OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(callbacks.get(), on_unknown);

  Target target{definitions};
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks.get(), &target);
  uint64_t expected = 0;
  OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected);
  uint64_t read = 0;
  const OTF2_ErrorCode code = limit
                                  ? OTF2_Reader_ReadGlobalDefinitions(reader, global, *limit, &read)
                                  : OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &read);
  std::string reason = code == OTF2_SUCCESS ? "" : QuietLibrary::reason(code);
  OTF2_Reader_CloseGlobalDefReader(reader, global);
  unknown_definitions = target.unknown;
  if (target.out_of_memory) return corrupt("the definitions need more memory than there is");
  if (code != OTF2_SUCCESS) {
    return corrupt(fmt::format("the OTF2 library stops after {} of {} definitions ({})",
                               definitions.size(), expected, reason));
  }
  if (!limit && read != expected) {
    return corrupt(fmt::format("{} definitions, but the anchor file says {}", read, expected));
  }
  return {};
}

base::Result<LocalDefinitions> decode_local_definitions(std::span<const uint8_t> file,
                                                        uint64_t chunk_bytes) {
  constexpr uint8_t kMappingTable = 5;
  constexpr uint8_t kClockOffset = 6;
  constexpr uint64_t kDense = 0;
  LocalDefinitions local;
  std::shared_ptr<IdMappings> mappings;
  const auto visit = [&](const RawDefinition& definition) -> std::optional<std::string> {
    ByteCursor in(definition.payload);
    in.set_big_endian(definition.big_endian);
    if (definition.type == kClockOffset) {
      const uint64_t time = in.u64();
      const auto offset = static_cast<int64_t>(in.compressed(8));
      const auto deviation = std::bit_cast<double>(in.u64());
      if (in.failed()) return "a ClockOffset that does not fit into its record";
      local.clock_offsets.push_back({time, offset, deviation});
    } else if (definition.type == kMappingTable) {
      const uint8_t type = in.u8();
      const uint64_t count = in.compressed(8);
      const uint8_t mode = in.u8();
      if (mode > 1) return fmt::format("a MappingTable of mode {}, expected 0 or 1", mode);
      // An entry takes a byte at least for each of its numbers.
      const uint64_t numbers = mode == kDense ? 1 : 2;
      std::vector<uint64_t> dense;
      std::vector<std::pair<uint64_t, uint64_t>> sparse;
      bool fits = !in.failed() && count <= in.left() / numbers;
      for (uint64_t i = 0; fits && i < count; ++i) {
        const uint64_t first = in.compressed(8);
        if (mode == kDense) {
          dense.push_back(first);
        } else {
          sparse.emplace_back(first, in.compressed(8));
        }
        fits = !in.failed();
      }
      if (!fits) return "a MappingTable that does not fit into its record";
      if (mappings == nullptr) mappings = std::make_shared<IdMappings>();
      if (!mappings->add(type, std::move(dense), std::move(sparse))) local.odd_mappings = true;
    } else {
      return check_definition(definition);
    }
    return {};
  };
  if (const auto damage = for_each_definition(file, chunk_bytes, visit)) {
    return corrupt(fmt::format("offset {}, after {}: {}", damage->offset,
                               base::counted(damage->records_before, "definition", "definitions"),
                               damage->fact));
  }
  local.mappings = std::move(mappings);
  return local;
}

bool IdMappings::add(uint8_t type, std::vector<uint64_t> dense,
                     std::vector<std::pair<uint64_t, uint64_t>> sparse) {
  if (type >= kTypes || tables_[type].known) return false;
  std::stable_sort(sparse.begin(), sparse.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  tables_[type] = {std::move(dense), std::move(sparse), true};
  return true;
}

base::Status load_mappings(OTF2_Reader* reader, uint64_t location) {
  constexpr int kFirstRecordOffset = 18;  // The library does not say which one it dislikes.
  QuietLibrary::forget();
  OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, location);
  if (local == nullptr) return corrupt(QuietLibrary::reason(OTF2_ERROR_INVALID));
  uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
  const std::string reason = code == OTF2_SUCCESS ? "" : QuietLibrary::reason(code);
  OTF2_Reader_CloseDefReader(reader, local);
  if (code != OTF2_SUCCESS) {
    return corrupt(fmt::format("offset {}: the OTF2 library stops after {} definitions ({})",
                               kFirstRecordOffset, read, reason));
  }
  return {};
}

}  // namespace pathline::otf2
