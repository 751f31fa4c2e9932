// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/decode_events.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "otf2/bytes.hpp"
#include "otf2/clock.hpp"

namespace pathline::otf2 {
namespace {

using trace::EventKind;

/// How a field stands in the file.
enum class Coding : uint8_t { kByte, kCompressed32, kCompressed64, kFull64 };

/// The fields of one kind, from its text in PATHLINE_EVENT_KINDS: the names of enumerations that
/// OTF2 writes as one byte are the same in all records.
struct Layout {
  std::array<Coding, 6> fields{};
  std::array<uint8_t, 6> mappings{};  // Types of the ids that they are; kNoMapping for others.
  size_t count = 0;
};

constexpr uint8_t kNoMapping = UINT8_MAX;

/// By the name of a field.
constexpr uint8_t mapping_of(std::string_view name) {
  if (name == "comm" || name == "thread_team" || name == "thread_contingent") {
    return OTF2_MAPPING_COMM;
  }
  if (name == "handle" || name == "old_handle" || name == "new_handle") {
    return OTF2_MAPPING_IO_HANDLE;
  }
  if (name == "region") return OTF2_MAPPING_REGION;
  if (name == "metric") return OTF2_MAPPING_METRIC;
  if (name == "parameter") return OTF2_MAPPING_PARAMETER;
  if (name == "string" || name == "program") return OTF2_MAPPING_STRING;
  if (name == "win") return OTF2_MAPPING_RMA_WIN;
  if (name == "group") return OTF2_MAPPING_GROUP;
  if (name == "calling_context") return OTF2_MAPPING_CALLING_CONTEXT;
  if (name == "interrupt_generator") return OTF2_MAPPING_INTERRUPT_GENERATOR;
  if (name == "file") return OTF2_MAPPING_IO_FILE;
  return kNoMapping;
}

constexpr bool is_byte(std::string_view name) {
  for (const std::string_view byte :
       {"mode", "operation", "model", "type", "lock_type", "sync_type", "whence", "io_paradigm"}) {
    if (name == byte) return true;
  }
  return false;
}

constexpr Layout layout_of(std::string_view text) {
  Layout layout;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    std::string_view name = text.substr(0, space);
    text = space == std::string_view::npos ? "" : text.substr(space + 1);
    const bool wide = name.ends_with('*') || name.ends_with('-');
    if (name.empty() || name == "...") continue;
    layout.mappings[layout.count] = mapping_of(name);
    layout.fields[layout.count++] = name == "stop_time*" ? Coding::kFull64
                                    : wide               ? Coding::kCompressed64
                                    : is_byte(name)      ? Coding::kByte
                                                         : Coding::kCompressed32;
  }
  return layout;
}

constexpr auto kLayouts = [] {
  std::array<Layout, trace::kEventKindCount> layouts{};
#define PATHLINE_LAYOUT(name, number, fields) layouts[number] = layout_of(fields);
  PATHLINE_EVENT_KINDS(PATHLINE_LAYOUT)
#undef PATHLINE_LAYOUT
  return layouts;
}();

/// Numbers in the byte order of one chunk. `end` is the end of a record, `limit` that of the chunk:
/// bytes between them may be loaded, but not used. Reading past `end` gives 0 and sets failed.
template <bool kBigEndian>
struct Input {
  const uint8_t* at;
  const uint8_t* end;
  const uint8_t* limit;
  bool failed = false;

  uint64_t fail() {
    failed = true;
    return 0;
  }

  uint64_t number(size_t size) {
    if (static_cast<size_t>(end - at) < size) [[unlikely]] {
      return fail();
    }
    uint64_t value = 0;
    if (limit - at >= 8) [[likely]] {
      std::memcpy(&value, at, 8);
      const auto unused = static_cast<unsigned>(64 - 8 * size);
      value = kBigEndian ? __builtin_bswap64(value) >> unused : value << unused >> unused;
    } else {
      for (size_t i = 0; i < size; ++i) {
        value = kBigEndian ? value << 8U | at[i] : value | uint64_t{at[i]} << (8 * i);
      }
    }
    at += size;
    return value;
  }
  uint8_t u8() { return at < end ? *at++ : static_cast<uint8_t>(fail()); }

  uint64_t compressed(unsigned width) {
    if (at >= end) [[unlikely]] {
      return fail();
    }
    const uint8_t size = *at++;
    if (size == 0) return 0;
    if (size > width) [[unlikely]] {
      if (size == 0xff) return width == 4 ? UINT32_MAX : UINT64_MAX;
      return fail();
    }
    return number(size);
  }

  uint64_t field(Coding coding) {
    switch (coding) {
      case Coding::kByte: return u8();
      case Coding::kCompressed32: return compressed(4);
      case Coding::kCompressed64: return compressed(8);
      default: return number(8);
    }
  }
};
static_assert(std::endian::native == std::endian::little, "Input::number() loads words");

/// corrected_ticks() for times that grow: remembers between which offsets the last one was.
class Clock {
 public:
  explicit Clock(std::span<const trace::ClockOffset> offsets) : offsets_(offsets) { select(1); }

  uint64_t correct(uint64_t local) {
    if (offsets_.size() < 2) return local;
    if (local < last_) [[unlikely]] {
      select(1);
    }
    last_ = local;
    while (end_ + 1 < offsets_.size() && local > offsets_[end_].local_ticks) select(end_ + 1);
    return correction_.apply(local);
  }

 private:
  void select(size_t end) {
    end_ = end;
    if (offsets_.size() >= 2) correction_ = Correction(offsets_[end - 1], offsets_[end]);
  }

  std::span<const trace::ClockOffset> offsets_;
  Correction correction_;
  size_t end_ = 1;
  uint64_t last_ = 0;
};

class Decoder {
 public:
  Decoder(const trace::Definitions& definitions, std::span<const trace::ClockOffset> clock_offsets,
          const IdMappings* mappings)
      : definitions_(definitions), mappings_(mappings), clock_(clock_offsets) {}

  /// Decodes on to the end mark, the first fault or the first time from `until` on.
  void run(std::span<const uint8_t> file, uint64_t chunk_bytes, uint64_t until,
           trace::EventsBuilder& builder) {
    builder_ = &builder;
    until_ = until;
    paused_ = false;
    while (!ended_ && !fault && !paused_) {
      const uint64_t begin = position_ / chunk_bytes * chunk_bytes;
      if (begin >= file.size()) {
        stop("the file ends without its end mark (truncated)");
        break;
      }
      const auto chunk = file.subspan(begin, std::min<uint64_t>(chunk_bytes, file.size() - begin));
      if (chunk.size() < kChunkHeaderBytes || chunk[0] != kBlockHeader) {
        stop("there is no header of a chunk");
        break;
      }
      const size_t from = std::max<size_t>(kChunkHeaderBytes, position_ - begin);
      size_t reached = 0;
      if (chunk[1] == kLittleEndian) {
        reached = run_chunk<false>(chunk, from);
      } else if (chunk[1] == kBigEndian) {
        reached = run_chunk<true>(chunk, from);
      } else {
        stop("the header of its chunk names no byte order");
      }
      position_ = paused_ ? begin + reached : begin + chunk_bytes;
    }
  }
  [[nodiscard]] bool ended() const { return ended_ || fault; }
  [[nodiscard]] uint64_t next_ticks() const { return next_ticks_; }
  [[nodiscard]] uint64_t position() const { return position_; }

  uint64_t unknown = 0;
  std::optional<std::string> fault;

 private:
  static constexpr size_t kChunkHeaderBytes = 18;
  static constexpr uint8_t kEndOfChunk = 0;
  static constexpr uint8_t kEndOfFile = 2;
  static constexpr uint8_t kTimestamp = 5;
  static constexpr uint8_t kAttributeList = 6;

  struct Attribute {
    uint32_t id;
    uint8_t type;
    uint64_t value;
  };

  void stop(std::string why) {
    if (!fault) fault = std::move(why);
  }

  /// returns  where in the chunk it stopped, if it did.
  template <bool kBigEndian>
  size_t run_chunk(std::span<const uint8_t> chunk, size_t from) {
    const uint8_t* const limit = chunk.data() + chunk.size();
    Input<kBigEndian> in{chunk.data() + from, limit, limit};
    while (!fault) {
      if (in.at >= limit) {
        stop("its chunk ends without an end mark");
        break;
      }
      const uint8_t* const record = in.at;
      const uint8_t type = *in.at++;
      switch (type) {
        case kEndOfChunk: return 0;
        case kEndOfFile: ended_ = true; return 0;
        case kTimestamp:
          if (!timestamp(in)) {
            paused_ = true;
            return static_cast<size_t>(record - chunk.data());
          }
          break;
        case kAttributeList: attribute_list(in); break;
#define PATHLINE_CASE(name, number, fields) \
  case number: event<EventKind::k##name>(in); break;
          PATHLINE_EVENT_KINDS(PATHLINE_CASE)
#undef PATHLINE_CASE
        default: unknown_event(in, type); break;
      }
    }
    return 0;
  }

  /// returns  false for a time at which to stop.
  template <class In>
  bool timestamp(In& in) {
    in.end = in.limit;
    const uint64_t local = in.number(8);
    if (in.failed) {
      stop("its time does not fit into the chunk");
      return true;
    }
    const uint64_t ticks = clock_.correct(local);
    if (ticks < ticks_) {
      stop(
          fmt::format("its time {} is before that of the event in front of it, {}", ticks, ticks_));
      return true;
    }
    if (ticks >= until_ && until_ != UINT64_MAX) {
      next_ticks_ = ticks;
      return false;
    }
    ticks_ = ticks;
    return true;
  }

  /// Reads the length of a record and sets the input's end to the end of its payload.
  template <class In>
  bool open_record(In& in, const char* what) {
    in.end = in.limit;
    uint64_t length = in.u8();
    if (length == 0xff) length = in.number(8);
    if (in.failed || length > static_cast<uint64_t>(in.limit - in.at)) {
      stop(fmt::format("{} does not fit into the chunk", what));
      return false;
    }
    in.end = in.at + length;
    return true;
  }

  /// Ten kinds of OTF2 1.0 have a single compressed number and no length.
  static constexpr bool is_bare(EventKind kind) {
    switch (kind) {
      case EventKind::kEnter:
      case EventKind::kLeave:
      case EventKind::kMpiIsendComplete:
      case EventKind::kMpiIrecvRequest:
      case EventKind::kMpiRequestTest:
      case EventKind::kMpiRequestCancelled:
      case EventKind::kOmpFork:
      case EventKind::kOmpTaskCreate:
      case EventKind::kOmpTaskSwitch:
      case EventKind::kOmpTaskComplete: return true;
      default: return false;
    }
  }

  template <EventKind kKind, class In>
  inline void event(In& in) {
    constexpr Layout kLayout = kLayouts[static_cast<size_t>(kKind)];
    if constexpr (kKind == EventKind::kMetric || kKind == EventKind::kProgramBegin) {
      list_event<kKind>(in);
    } else if constexpr (kKind == EventKind::kEnter || kKind == EventKind::kLeave) {
      in.end = in.limit;
      const uint64_t id = mapped(OTF2_MAPPING_REGION, in.compressed(4));
      if (in.failed) return no_number(kKind);
      const trace::Region region = definitions_.region(id);
      if (!region.valid()) {
        return stop(fmt::format("it refers to region {}, which is not defined", id));
      }
      kKind == EventKind::kEnter ? builder_->enter(ticks_, region)
                                 : builder_->leave(ticks_, region);
      if (!attributes_.empty()) [[unlikely]] {
        attach();
      }
    } else {
      if constexpr (is_bare(kKind)) {
        in.end = in.limit;
      } else if (!open_record(in, "the record")) {
        return;
      }
      std::array<uint64_t, kLayout.fields.size()> values{};
      for (size_t i = 0; i < kLayout.count; ++i) {
        values[i] = in.field(kLayout.fields[i]);
        if (kLayout.mappings[i] != kNoMapping) values[i] = mapped(kLayout.mappings[i], values[i]);
      }
      if (in.failed) return no_number(kKind);
      if constexpr (kKind == EventKind::kBufferFlush) values[0] = clock_.correct(values[0]);
      constexpr unsigned kWords = trace::event_words(kKind);
      if constexpr (kWords <= 1) {
        builder_->add(kKind, ticks_, static_cast<uint32_t>(values[0]));
      } else {
        trace::WordWriter out(builder_->add_words(kKind, ticks_, kWords));
        for (size_t i = 0; i < kLayout.count; ++i) {
          const bool wide =
              kLayout.fields[i] == Coding::kCompressed64 || kLayout.fields[i] == Coding::kFull64;
          out.put(values[i], wide ? 2 : 1);
        }
      }
      if constexpr (!is_bare(kKind)) in.at = in.end;  // Fields of later versions.
      if (!attributes_.empty()) [[unlikely]] {
        attach();
      }
    }
  }

  /// Metric and ProgramBegin: a reference, a count, and items.
  template <EventKind kKind, class In>
  void list_event(In& in) {
    constexpr bool kMetric = kKind == EventKind::kMetric;
    if (!open_record(in, "the record")) return;
    constexpr uint8_t kMapping = kMetric ? OTF2_MAPPING_METRIC : OTF2_MAPPING_STRING;
    const auto reference = static_cast<uint32_t>(mapped(kMapping, in.compressed(4)));
    const uint64_t count = kMetric ? in.u8() : in.compressed(4);
    // An item takes a byte at least: no count can ask for more memory than a few times the file.
    if (in.failed || count > static_cast<uint64_t>(in.end - in.at)) return no_number(kKind);
    items_.clear();
    for (uint64_t i = 0; i < count; ++i) {
      if (kMetric) items_.push_back(in.u8());
      uint64_t item = in.compressed(kMetric ? 8 : 4);
      if (!kMetric) item = mapped(kMapping, item);
      items_.push_back(static_cast<uint32_t>(item));
      if (kMetric) items_.push_back(static_cast<uint32_t>(item >> 32U));
    }
    if (in.failed) return no_number(kKind);
    in.at = in.end;
    uint32_t* const words = builder_->add_words(kKind, ticks_, 2 + items_.size());
    words[0] = reference;
    words[1] = static_cast<uint32_t>(count);
    std::copy(items_.begin(), items_.end(), words + 2);
    attach();
  }

  template <class In>
  void attribute_list(In& in) {
    if (!open_record(in, "the attribute list in front of it")) return;
    attributes_.clear();
    const uint64_t count = in.compressed(4);
    for (uint64_t i = 0; i < count && !in.failed; ++i) {
      const auto id = static_cast<uint32_t>(mapped(OTF2_MAPPING_ATTRIBUTE, in.compressed(4)));
      const uint8_t type = in.u8();
      uint64_t value = attribute_value(in, type);
      // Types of references stand in the order of the types of mappings.
      if (type >= OTF2_TYPE_STRING && type <= OTF2_TYPE_LOCATION_GROUP) {
        value = mapped(static_cast<uint8_t>(type - OTF2_TYPE_STRING), value);
      }
      attributes_.push_back({id, type, value});
    }
    if (in.failed) return stop("the attribute list in front of it ends early");
    in.at = in.end;
  }

  template <class In>
  static uint64_t attribute_value(In& in, uint8_t type) {
    switch (type) {
      case OTF2_TYPE_UINT8:
      case OTF2_TYPE_INT8: return in.u8();
      case OTF2_TYPE_UINT16:
      case OTF2_TYPE_INT16: return in.number(2);
      case OTF2_TYPE_FLOAT: return in.number(4);
      case OTF2_TYPE_DOUBLE: return in.number(8);
      case OTF2_TYPE_NONE:
      case OTF2_TYPE_UINT64:
      case OTF2_TYPE_INT64:
      case OTF2_TYPE_LOCATION: return in.compressed(8);
      default: return in.compressed(type <= OTF2_TYPE_LOCATION_GROUP ? 4 : 8);
    }
  }

  [[nodiscard]] uint64_t mapped(uint8_t type, uint64_t id) const {
    return mappings_ == nullptr ? id : mappings_->find(type, id);
  }

  void attach() {
    for (const Attribute& a : attributes_) builder_->attribute(a.id, a.type, a.value);
    attributes_.clear();
  }

  template <class In>
  void unknown_event(In& in, uint8_t type) {
    if (type < kTimestamp) {
      return stop(fmt::format("mark {:#04x} where a record was expected", type));
    }
    if (!open_record(in, "the record")) return;
    in.at = in.end;
    attributes_.clear();
    ++unknown;
  }

  void no_number(EventKind kind) {
    stop(fmt::format("the fields of the {} record do not fit into it", trace::event_name(kind)));
  }

  trace::EventsBuilder* builder_ = nullptr;
  const trace::Definitions& definitions_;
  const IdMappings* mappings_;
  Clock clock_;
  uint64_t ticks_ = 0;
  std::vector<Attribute> attributes_;  // Of the next event.
  std::vector<uint32_t> items_;        // Of a list_event, while it is read.
  uint64_t position_ = 0;              // In the file: of the next record, or the begin of a chunk.
  uint64_t until_ = UINT64_MAX;
  uint64_t next_ticks_ = 0;  // Of the event at which it paused.
  bool paused_ = false;
  bool ended_ = false;
};

/// Decodes on and says what stopped it beside the file's bytes.
void decode(Decoder& decoder, std::span<const uint8_t> file, uint64_t chunk_bytes, uint64_t until,
            trace::EventsBuilder& builder) {
  try {
    decoder.run(file, chunk_bytes, until, builder);
  } catch (const std::bad_alloc&) {
    decoder.fault = "there is not enough memory for the events";
  } catch (const std::length_error& error) {
    decoder.fault = fmt::format("the location is too large: {}", error.what());
  }
}

}  // namespace

struct EventStream::State {
  Decoder decoder;
  uint64_t chunk_bytes;
};

EventStream::EventStream(uint64_t chunk_bytes, const trace::Definitions& definitions,
                         std::span<const trace::ClockOffset> clock_offsets,
                         const IdMappings* mappings)
    : state_(new State{Decoder(definitions, clock_offsets, mappings), chunk_bytes}) {}
EventStream::EventStream(EventStream&&) noexcept = default;
EventStream& EventStream::operator=(EventStream&&) noexcept = default;
EventStream::~EventStream() = default;

void EventStream::decode_until(std::span<const uint8_t> file, uint64_t until_ticks,
                               trace::EventsBuilder& builder) {
  decode(state_->decoder, file, state_->chunk_bytes, until_ticks, builder);
}
uint64_t EventStream::next_ticks() const { return state_->decoder.next_ticks(); }
uint64_t EventStream::position() const { return state_->decoder.position(); }
bool EventStream::ended() const { return state_->decoder.ended(); }
uint64_t EventStream::unknown() const { return state_->decoder.unknown; }
const std::optional<std::string>& EventStream::fault() const { return state_->decoder.fault; }

LocationEvents decode_location_events(std::span<const uint8_t> file, uint64_t chunk_bytes,
                                      const trace::Definitions& definitions,
                                      std::span<const trace::ClockOffset> clock_offsets,
                                      const IdMappings* mappings, size_t expected_events,
                                      trace::EventsBuilder& builder) {
  Decoder decoder(definitions, clock_offsets, mappings);
  try {
    builder.reserve(expected_events);
    decode(decoder, file, chunk_bytes, UINT64_MAX, builder);
  } catch (const std::bad_alloc&) {
    decoder.fault = "there is not enough memory for the events";
  } catch (const std::length_error& error) {
    decoder.fault = fmt::format("the location is too large: {}", error.what());
  }
  LocationEvents result;
  result.unknown = decoder.unknown;
  result.fault = std::move(decoder.fault);
  result.fault_event = builder.size() + decoder.unknown;
  result.events = builder.finish();
  return result;
}

}  // namespace pathline::otf2
