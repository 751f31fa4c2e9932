// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/event_stream.hpp"

#include "otf2/event_decoder.hpp"

namespace pathline::otf2 {

struct EventStream::State {
  SeekPoints points;
  Decoder decoder;
  uint64_t chunk_bytes;

  State(uint64_t bytes, const trace::Definitions& definitions,
        std::span<const trace::ClockOffset> clock_offsets, const IdMappings* mappings)
      : decoder(definitions, clock_offsets, mappings), chunk_bytes(bytes) {
    decoder.note_places(&points);
  }
};

EventStream::EventStream(uint64_t chunk_bytes, const trace::Definitions& definitions,
                         std::span<const trace::ClockOffset> clock_offsets,
                         const IdMappings* mappings)
    : state_(std::make_unique<State>(chunk_bytes, definitions, clock_offsets, mappings)) {}
EventStream::EventStream(EventStream&&) noexcept = default;
EventStream& EventStream::operator=(EventStream&&) noexcept = default;
EventStream::~EventStream() = default;

void EventStream::decode_until(std::span<const uint8_t> file, uint64_t until_ticks,
                               trace::EventsBuilder& builder) {
  state_->decoder.set_builder(builder);
  collect(state_->decoder, builder,
          [&] { state_->decoder.run_until(file, state_->chunk_bytes, until_ticks); });
}
void EventStream::decode_until(const ReadBytes& read, uint64_t file_bytes, uint64_t expected,
                               uint64_t until_ticks, trace::EventsBuilder& builder) {
  state_->decoder.set_builder(builder);
  collect(state_->decoder, builder, [&] {
    state_->decoder.run_until(read, file_bytes, expected, state_->chunk_bytes, until_ticks);
  });
}
void EventStream::begin_at(uint64_t offset, uint64_t event) {
  state_->decoder.note_places(nullptr);
  state_->decoder.begin_at(offset, event);
}
const SeekPoints& EventStream::seek_points() const { return state_->points; }
uint64_t EventStream::next_ticks() const { return state_->decoder.next_ticks(); }
uint64_t EventStream::position() const { return state_->decoder.position(); }
bool EventStream::ended() const { return state_->decoder.done(); }
uint64_t EventStream::unknown() const { return state_->decoder.unknown; }
const std::optional<std::string>& EventStream::fault() const { return state_->decoder.fault; }

}  // namespace pathline::otf2
