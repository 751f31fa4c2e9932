// SPDX-License-Identifier: BSD-3-Clause
#include "summary/sampled_codes.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "otf2/event_stream.hpp"
#include "summary/piece_reader.hpp"
#include "summary/share.hpp"

namespace pathline::summary {
namespace {

/// Of those that have events, some between the first and the last.
std::vector<size_t> some_locations(const otf2::Archive& archive) {
  constexpr size_t kMost = 16;
  std::vector<size_t> with_events;
  for (size_t i = 0; i < archive.event_bytes.size(); ++i) {
    if (archive.event_bytes[i] > 0) with_events.push_back(i);
  }
  const size_t count = std::min(kMost, with_events.size());
  std::vector<size_t> some(count);
  for (size_t i = 0; i < count; ++i)
    some[i] = with_events[(2 * i + 1) * with_events.size() / (2 * count)];
  return some;
}

/// What was sampled, by width.
struct Sample {
  std::array<uint64_t, 8> bytes;  ///< Wider ones take next to nothing.
  uint64_t events;
};

}  // namespace

CodeBytes sampled_code_bytes(otf2::Archive& archive, uint64_t budget_bytes, base::ThreadPool& pool,
                             exchange::Exchange& exchange) {
  constexpr uint64_t kBytesOfLocation = 512 << 10;
  trace::Trace& trace = archive.trace;
  if (recorded_events(trace.definitions) * kMostCodeBytes <= budget_bytes) return {};
  const std::vector<bool> owned = Share::owned(exchange, trace, archive.event_bytes);
  GrowingStates states(trace.definitions, trace.locations.size(), UINT64_MAX);
  const EventFolder folder(archive);
  Sample mine{};
  for (const size_t i : some_locations(archive)) {
    PieceReader reader;
    // What is wrong with a file is told when it is read for good.
    if (!owned[i] || !folder.open(i, reader)) continue;
    otf2::EventStream stream(archive.event_chunk_bytes, trace.definitions,
                             trace.locations[i].clock_offsets, archive.mappings[i].get());
    trace::EventsBuilder builder;
    stream.decode_until([&](uint64_t offset, size_t count) { return reader.read(offset, count); },
                        std::min(archive.event_bytes[i], kBytesOfLocation), kBytesOfLocation,
                        UINT64_MAX, builder);
    trace.locations[i].events = builder.finish();
    mine.events += trace.locations[i].events.size();
    states.add(trace, i, 0);
    trace.locations[i].events = {};
  }
  states.end(pool);
  const std::vector<uint64_t> bytes = states.code_bytes();
  std::copy_n(bytes.begin(), std::min(bytes.size(), mine.bytes.size()), mine.bytes.begin());
  Sample all{};
  for (const Sample& sample : exchange.all_gather(mine)) {
    all.events += sample.events;
    for (size_t k = 0; k < all.bytes.size(); ++k) all.bytes[k] += sample.bytes[k];
  }
  if (all.events == 0) return {};
  CodeBytes expected;
  for (const uint64_t of_width : all.bytes) {
    expected.push_back(static_cast<double>(of_width) / static_cast<double>(all.events));
  }
  return expected;
}

}  // namespace pathline::summary
