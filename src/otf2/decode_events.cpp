// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/decode_events.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "otf2/bytes.hpp"
#include "otf2/clock.hpp"
#include "otf2/event_decoder.hpp"

namespace pathline::otf2 {
namespace {

/// A piece of a file, decoded as if nothing stood in front of it.
struct Part {
  trace::EventsBuilder events;
  std::optional<Decoder> decoder;  // None for one that cannot be.
  uint64_t first_ticks = 0;
};

/// The corrected time that a chunk begins with; nullopt if it begins with something else.
std::optional<uint64_t> first_ticks(std::span<const uint8_t> chunk,
                                    std::span<const trace::ClockOffset> clock_offsets) {
  ByteCursor in(chunk);
  in.skip(1);
  in.set_big_endian(in.u8() == kBigEndian);
  in.skip(kChunkHeaderBytes - 2);
  if (in.u8() != kTimestamp) return {};
  const uint64_t local = in.u64();
  if (in.failed()) return {};
  return corrected_ticks(local, clock_offsets);
}

}  // namespace

LocationEvents decode_location_events(std::span<const uint8_t> file, uint64_t chunk_bytes,
                                      const trace::Definitions& definitions,
                                      std::span<const trace::ClockOffset> clock_offsets,
                                      const IdMappings* mappings, size_t expected_events,
                                      trace::EventsBuilder& builder) {
  Decoder decoder(definitions, clock_offsets, mappings, builder);
  LocationEvents result = collect(decoder, builder, [&] {
    builder.reserve(expected_events);
    decoder.run(file, chunk_bytes, 0, file.size());
    decoder.end_file();
  });
  result.events = builder.finish();
  return result;
}

LocationEvents decode_location_events(std::span<const uint8_t> file, uint64_t chunk_bytes,
                                      const trace::Definitions& definitions,
                                      std::span<const trace::ClockOffset> clock_offsets,
                                      const IdMappings* mappings,
                                      std::span<const EventPiece> pieces, base::ThreadPool& pool,
                                      base::Progress& progress) {
  // Without an arena: columns as large as these are better off with memory of their own.
  trace::EventsBuilder builder;
  Decoder decoder(definitions, clock_offsets, mappings, builder);
  std::vector<Part> parts(pieces.size());
  const auto decode_part = [&](size_t i) {
    const EventPiece& piece = pieces[i];
    Part& part = parts[i];
    const auto ticks = first_ticks(file.subspan(piece.begin), clock_offsets);
    if (!ticks) return;
    try {
      part.first_ticks = *ticks;
      part.events = builder.part(piece.first_event, piece.event_count);
      part.decoder.emplace(definitions, clock_offsets, mappings, part.events);
      part.decoder->run(file, chunk_bytes, piece.begin, piece.end);
    } catch (const std::exception&) {
      // Too little memory, or more events than its header said: the join looks at it again.
      part.decoder.reset();
    }
  };
  LocationEvents result = collect(decoder, builder, [&] {
    const size_t rows = pieces.back().first_event + pieces.back().event_count;
    builder.reserve(rows);
    pool.for_each(pieces.size(), [&](size_t i) {
      decode_part(i);
      progress.done += pieces[i].end - pieces[i].begin;
    });
    size_t words = 0;
    for (const Part& part : parts) words += part.events.word_count();
    builder.reserve(rows, std::min<size_t>(words, UINT32_MAX));
    for (size_t i = 0; i < pieces.size() && !decoder.done(); ++i) {
      Part& part = parts[i];
      if (!part.decoder || !decoder.join(*part.decoder, part.first_ticks, std::move(part.events))) {
        decoder.run(file, chunk_bytes, pieces[i].begin, pieces[i].end);
      }
    }
    decoder.end_file();
  });
  parts.clear();
  result.events = builder.finish(pool);
  result.events.pack(nullptr, &pool);
  return result;
}

}  // namespace pathline::otf2
