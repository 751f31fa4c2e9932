// SPDX-License-Identifier: BSD-3-Clause
// Long because the fields of a record and the ways through its chunk share one state.
#pragma once

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "otf2/bytes.hpp"
#include "otf2/clock.hpp"
#include "otf2/event_record.hpp"
#include "otf2/event_stream.hpp"
#include "otf2/read_definitions.hpp"
#include "otf2/read_events.hpp"

namespace pathline::otf2 {

/// The decoder behind decode_location_events() and EventStream. Only they include this.

using trace::EventKind;

inline constexpr uint8_t kTimestamp = 5;

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

/// Puts the events of a file, or of a part of it, into an EventsBuilder.
class Decoder {
 public:
  Decoder(const trace::Definitions& definitions, std::span<const trace::ClockOffset> clock_offsets,
          const IdMappings* mappings, trace::EventsBuilder& builder)
      : builder_(&builder), definitions_(definitions), mappings_(mappings), clock_(clock_offsets) {}
  /// Without a builder, until there is one.
  Decoder(const trace::Definitions& definitions, std::span<const trace::ClockOffset> clock_offsets,
          const IdMappings* mappings)
      : builder_(nullptr), definitions_(definitions), mappings_(mappings), clock_(clock_offsets) {}

  /// Decodes the chunks that begin in [begin, end), up to the end mark or the first fault.
  void run(std::span<const uint8_t> file, uint64_t chunk_bytes, uint64_t begin, uint64_t end) {
    for (uint64_t at = begin; at < end && !done() && !builder_->depends(); at += chunk_bytes) {
      run_chunk_at(file, chunk_bytes, at, kChunkHeaderBytes);
    }
  }
  /// Decodes on to the end mark, the first fault or the first time from `until` on.
  void run_until(std::span<const uint8_t> file, uint64_t chunk_bytes, uint64_t until) {
    begin_run(until);
    while (!done() && !paused_) {
      const uint64_t begin = position_ / chunk_bytes * chunk_bytes;
      if (begin >= file.size()) {
        end_file();
        break;
      }
      const size_t reached =
          run_chunk_at(file, chunk_bytes, begin, std::max(kChunkHeaderBytes, position_ - begin));
      position_ = paused_ ? begin + reached : begin + chunk_bytes;
    }
    event_ += builder_->size() - earlier_;
  }
  /// The same for a file whose bytes are read when they are needed.
  ///
  /// expected  so many bytes to begin with. Pieces behind are smaller at first, and no larger but
  ///           for a record that is.
  void run_until(const ReadBytes& read, uint64_t file_bytes, uint64_t expected,
                 uint64_t chunk_bytes, uint64_t until) {
    constexpr uint64_t kLeastBytes = 4096;
    uint64_t most_lacking = expected;
    uint64_t lacking = std::min(most_lacking, std::max(kLeastBytes, expected / 8));
    begin_run(until);
    while (!done() && !paused_) {
      const uint64_t begin = position_ / chunk_bytes * chunk_bytes;
      if (position_ >= file_bytes) {
        end_file();
        break;
      }
      // The byte order of a chunk stands at its begin, which may be far in front of the record.
      if (ordered_chunk_ != begin && position_ > begin + kChunkHeaderBytes &&
          !take_order(read(begin, kChunkHeaderBytes), begin)) {
        break;
      }
      const uint64_t from = ordered_chunk_ == begin ? std::max(begin, position_) : begin;
      const uint64_t most = std::min(chunk_bytes, file_bytes - begin) - (from - begin);
      const uint64_t skipped = std::max(begin + kChunkHeaderBytes, position_) - from;
      const uint64_t count = std::min(most, skipped + std::max<uint64_t>(expected, 1));
      const std::span<const uint8_t> bytes = read(from, count);
      const size_t reached = run_piece(bytes, from, begin, skipped);
      if (paused_) {
        position_ = from + reached;
      } else if (fault && bytes.size() == count && count < most) {
        // A record that did not fit may do so with the bytes behind; nothing of it was taken.
        fault.reset();
        position_ = from + reached;
        // A record is larger than the piece: from now on a piece holds one.
        if (reached <= skipped) most_lacking = lacking = 2 * count;
        expected = std::exchange(lacking, std::min(most_lacking, 2 * lacking));
      } else {
        position_ = begin + chunk_bytes;
      }
    }
    event_ += builder_->size() - earlier_;
  }
  /// Of run_until(): nullptr for none.
  void note_places(SeekPoints* places) { places_ = places; }
  /// Where run_until() goes on, and how many events stand before.
  void begin_at(uint64_t offset, uint64_t event) {
    position_ = offset;
    event_ = event;
  }
  void set_builder(trace::EventsBuilder& builder) { builder_ = &builder; }
  [[nodiscard]] uint64_t next_ticks() const { return next_ticks_; }
  [[nodiscard]] uint64_t position() const { return position_; }

  /// All chunks were decoded.
  void end_file() {
    if (!ended_) stop("the file ends without its end mark (truncated)");
  }
  [[nodiscard]] bool done() const { return ended_ || fault; }

  /// Goes on behind a part of the file that another decoder has decoded.
  /// returns  false, and nothing has changed, if this one has to do it itself: what the other did
  ///          would have been different behind what stands in front of the part.
  bool join(Decoder& part, uint64_t first_ticks, trace::EventsBuilder&& events) {
    if (part.fault || first_ticks < ticks_ || !attributes_.empty() || !part.attributes_.empty() ||
        !builder_->join(std::move(events))) {
      return false;
    }
    ticks_ = part.ticks_;
    ended_ = part.ended_;
    unknown += part.unknown;
    return true;
  }

  uint64_t unknown = 0;
  std::optional<std::string> fault;

 private:
  static constexpr uint8_t kEndOfChunk = 0;
  static constexpr uint8_t kEndOfFile = 2;
  static constexpr uint8_t kAttributeList = 6;

  struct Attribute {
    uint32_t id;
    uint8_t type;
    uint64_t value;
  };

  void stop(std::string why) {
    if (!fault) fault = std::move(why);
  }

  void begin_run(uint64_t until) {
    until_ = until;
    paused_ = false;
    earlier_ = builder_->size();
    place_at_ =
        places_ != nullptr ? earlier_ + (next_place_ - std::min(next_place_, event_)) : SIZE_MAX;
  }

  /// The chunk at `begin` of the file from its byte `from` on.
  /// returns  where in the chunk it stopped, if it paused.
  size_t run_chunk_at(std::span<const uint8_t> file, uint64_t chunk_bytes, uint64_t begin,
                      size_t from) {
    const auto chunk = file.subspan(begin, std::min<uint64_t>(chunk_bytes, file.size() - begin));
    return run_piece(chunk, begin, begin, from);
  }

  /// Looks at the first bytes of the chunk at `begin` of the file.
  /// returns  false where they are no header: there is a fault.
  bool take_order(std::span<const uint8_t> bytes, uint64_t begin) {
    ordered_chunk_ = UINT64_MAX;
    if (bytes.size() < kChunkHeaderBytes || bytes[0] != kBlockHeader) {
      stop("there is no header of a chunk");
      return false;
    }
    if (bytes[1] != kLittleEndian && bytes[1] != kBigEndian) {
      stop("the header of its chunk names no byte order");
      return false;
    }
    ordered_chunk_ = begin;
    is_big_endian_ = bytes[1] == kBigEndian;
    return true;
  }

  /// Bytes of the chunk at `begin` of the file, which stand at `first` there: from `from` of them
  /// on.
  /// returns  where in them it stopped, if it paused or failed.
  size_t run_piece(std::span<const uint8_t> bytes, uint64_t first, uint64_t begin, size_t from) {
    bytes_begin_ = first;
    if (first == begin && !take_order(bytes, begin)) return 0;
    return is_big_endian_ ? run_chunk<true>(bytes, from) : run_chunk<false>(bytes, from);
  }

  template <bool kBigEndian>
  size_t run_chunk(std::span<const uint8_t> chunk, size_t from) {
    const uint8_t* const limit = chunk.data() + chunk.size();
    Input<kBigEndian> in{chunk.data() + std::min(from, chunk.size()), limit, limit};
    const uint8_t* record = in.at;
    while (!fault) {
      if constexpr (!kBigEndian) in.at = run_usual(in.at, limit);
      record = in.at;
      if (in.at >= limit) {
        stop("its chunk ends without an end mark");
        break;
      }
      const uint8_t type = *in.at++;
      switch (type) {
        case kEndOfChunk: return 0;
        case kEndOfFile: ended_ = true; return 0;
        case kTimestamp:
          if (!timestamp(in)) {
            paused_ = true;
            return static_cast<size_t>(record - chunk.data());
          }
          if (builder_->size() >= place_at_) [[unlikely]] {
            note_place(bytes_begin_ + static_cast<uint64_t>(record - chunk.data()));
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
    return static_cast<size_t>(record - chunk.data());
  }

  /// Takes records for as long as they are of the kinds that most are, written as usual and far
  /// from the end of their chunk: with no more checks than they need. The first one that is not, or
  /// in which something is wrong, is for run_chunk(); nothing of it was taken.
  ///
  /// returns  where that one begins.
  const uint8_t* run_usual(const uint8_t* at, const uint8_t* limit) {
    if (!attributes_.empty()) return at;
    while (limit - at >= UsualRecord::kMostBytes) {
      switch (*at) {
        case kTimestamp: {
          uint64_t local = 0;
          std::memcpy(&local, at + 1, sizeof(local));
          const uint64_t ticks = clock_.correct(local);
          if (ticks < ticks_ || ticks >= until_ || builder_->size() >= place_at_) return at;
          ticks_ = ticks;
          at += 1 + sizeof(local);
          break;
        }
        case static_cast<uint8_t>(EventKind::kEnter):
        case static_cast<uint8_t>(EventKind::kLeave): {
          UsualRecord record(at + 1);
          const trace::Region region =
              definitions_.region(mapped(OTF2_MAPPING_REGION, record.compressed(4)));
          if (record.is_unusual() || !region.valid()) return at;
          if (*at == static_cast<uint8_t>(EventKind::kEnter)) {
            builder_->enter(ticks_, region);
          } else {
            builder_->leave(ticks_, region);
          }
          at = record.at();
          break;
        }
        case static_cast<uint8_t>(EventKind::kMpiIsendComplete):
        case static_cast<uint8_t>(EventKind::kMpiIrecvRequest): {
          UsualRecord record(at + 1);
          const uint64_t request = record.compressed(8);
          if (record.is_unusual()) return at;
          trace::WordWriter(builder_->add_words(static_cast<EventKind>(*at), ticks_, 2))
              .put(request, 2);
          at = record.at();
          break;
        }
        case static_cast<uint8_t>(EventKind::kMpiSend):
        case static_cast<uint8_t>(EventKind::kMpiIsend):
        case static_cast<uint8_t>(EventKind::kMpiRecv):
        case static_cast<uint8_t>(EventKind::kMpiIrecv): {
          const auto kind = static_cast<EventKind>(*at);
          const bool has_request = kind == EventKind::kMpiIsend || kind == EventKind::kMpiIrecv;
          const uint8_t length = at[1];
          UsualRecord record(at + 2);
          const uint64_t peer = record.compressed(4);
          const uint64_t comm = mapped(OTF2_MAPPING_COMM, record.compressed(4));
          const uint64_t tag = record.compressed(4);
          const uint64_t bytes = record.compressed(8);
          const uint64_t request = has_request ? record.compressed(8) : 0;
          if (record.is_unusual() || record.at() - (at + 2) != length) return at;
          trace::WordWriter out(builder_->add_words(kind, ticks_, has_request ? 7 : 5));
          for (const uint64_t word : {peer, comm, tag}) out.put(word, 1);
          out.put(bytes, 2);
          if (has_request) out.put(request, 2);
          at = record.at();
          break;
        }
        default: return at;
      }
    }
    return at;
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

  void note_place(uint64_t offset) {
    if (fault || !attributes_.empty()) return;
    const uint64_t event = event_ + (builder_->size() - earlier_);
    next_place_ = (event / SeekPoints::kEvery + 1) * SeekPoints::kEvery;
    place_at_ = earlier_ + (next_place_ - event_);
    if (builder_->depth() > SeekPoints::kMostOpen) return;
    places_->offset.push_back(offset);
    places_->event.push_back(event);
    places_->ticks.push_back(ticks_);
    builder_->append_open_regions(places_->open);
    places_->open_end.push_back(places_->open.size());
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

  trace::EventsBuilder* builder_;
  const trace::Definitions& definitions_;
  const IdMappings* mappings_;
  Clock clock_;
  uint64_t ticks_ = 0;
  std::vector<Attribute> attributes_;  // Of the next event.
  std::vector<uint32_t> items_;        // Of a list_event, while it is read.
  uint64_t position_ = 0;              // In the file: of the next record, or the begin of a chunk.
  uint64_t until_ = UINT64_MAX;
  uint64_t next_ticks_ = 0;  // Of the event at which it paused.
  SeekPoints* places_ = nullptr;
  uint64_t next_place_ = 0;              // Events in front of it, at least.
  size_t place_at_ = SIZE_MAX;           // The same as a size of the builder.
  uint64_t event_ = 0;                   // Events before those of this run_until().
  size_t earlier_ = 0;                   // In the builder, when it began.
  uint64_t bytes_begin_ = 0;             // In the file, of those that are decoded.
  uint64_t ordered_chunk_ = UINT64_MAX;  // Begin of the chunk whose byte order is known.
  bool is_big_endian_ = false;
  bool paused_ = false;
  bool ended_ = false;
};

/// Decodes with `decode` and takes what the builder has then.
template <class Decode>
LocationEvents collect(Decoder& decoder, trace::EventsBuilder& builder, const Decode& decode) {
  try {
    decode();
  } catch (const std::bad_alloc&) {
    decoder.fault = "there is not enough memory for the events";
  } catch (const std::length_error& error) {
    decoder.fault = fmt::format("the location is too large: {}", error.what());
  }
  LocationEvents result;
  result.unknown = decoder.unknown;
  result.fault = decoder.fault;
  result.fault_event = builder.size() + decoder.unknown;
  return result;
}

}  // namespace pathline::otf2
