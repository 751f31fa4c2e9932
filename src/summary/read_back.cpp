// SPDX-License-Identifier: BSD-3-Clause
#include "summary/read_back.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/file.hpp"
#include "otf2/anchor.hpp"

namespace pathline::summary {
namespace {

constexpr size_t kPlaceColumns = 3;  // Of "seek.place": differences of offset, event and ticks.

base::Error is_another(const std::filesystem::path& archive, std::string_view how) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("{} is another archive than the one that was summarised: {}",
                      archive.string(), how)};
}

/// The last place before `from`, or the first.
size_t place_before(const otf2::SeekPoints& places, uint64_t from) {
  const auto after = std::lower_bound(places.ticks.begin(), places.ticks.end(), from);
  return after == places.ticks.begin() ? 0 : static_cast<size_t>(after - places.ticks.begin()) - 1;
}

}  // namespace

void write_archive_index(const ArchiveIndex& index, ColumnWriter& out) {
  if (index.empty()) return;
  std::vector<uint64_t> rows, numbers;
  std::vector<uint32_t> depths, regions;
  for (const otf2::SeekPoints& places : index.places) {
    rows.push_back(places.size());
    uint64_t offset = 0;
    uint64_t event = 0;
    uint64_t ticks = 0;
    for (size_t i = 0; i < places.size(); ++i) {
      numbers.push_back(places.offset[i] - std::exchange(offset, places.offset[i]));
      numbers.push_back(places.event[i] - std::exchange(event, places.event[i]));
      numbers.push_back(places.ticks[i] - std::exchange(ticks, places.ticks[i]));
      const auto open = places.open_at(i);
      depths.push_back(static_cast<uint32_t>(open.size()));
      for (const trace::Region region : open) regions.push_back(region);
    }
  }
  out.add("archive.bytes", index.file_bytes);
  out.add("seek.location.rows", rows);
  out.add("seek.place", numbers);
  out.add("seek.depth", depths);
  out.add("seek.region", regions);
}

base::Result<ArchiveIndex> read_archive_index(const ColumnReader& file, const trace::Trace& run) {
  ArchiveIndex index;
  if (!file.has("archive.bytes")) return index;
  auto bytes = file.column<uint64_t>("archive.bytes");
  if (!bytes) return bytes.error();
  const auto rows = file.column<uint64_t>("seek.location.rows");
  if (!rows) return rows.error();
  const auto numbers = file.column<uint64_t>("seek.place");
  if (!numbers) return numbers.error();
  const auto depths = file.column<uint32_t>("seek.depth");
  if (!depths) return depths.error();
  const auto regions = file.column<uint32_t>("seek.region");
  if (!regions) return regions.error();
  const size_t region_count = run.definitions.regions.size();
  const auto& region = regions.value();
  const bool fits_run =
      bytes.value().size() == run.locations.size() && rows.value().size() == run.locations.size() &&
      numbers.value().size() == depths.value().size() * kPlaceColumns &&
      std::all_of(region.begin(), region.end(), [&](uint32_t r) { return r < region_count; });
  if (!fits_run) return file.damaged("table seek: its rows do not fit the run");
  index.file_bytes = std::move(bytes).value();
  size_t row = 0;
  size_t open = 0;
  for (const uint64_t count : rows.value()) {
    if (count > depths.value().size() - row) return file.damaged("table seek: it ends early");
    otf2::SeekPoints& places = index.places.emplace_back();
    uint64_t offset = 0;
    uint64_t event = 0;
    uint64_t ticks = 0;
    for (const size_t end = row + count; row < end; ++row) {
      places.offset.push_back(offset += numbers.value()[row * kPlaceColumns]);
      places.event.push_back(event += numbers.value()[row * kPlaceColumns + 1]);
      places.ticks.push_back(ticks += numbers.value()[row * kPlaceColumns + 2]);
      const uint32_t depth = depths.value()[row];
      if (depth > region.size() - open) return file.damaged("table seek: it lacks open calls");
      for (const size_t last = open + depth; open < last; ++open) {
        places.open.emplace_back(region[open]);
      }
      places.open_end.push_back(places.open.size());
    }
    if (!std::is_sorted(places.ticks.begin(), places.ticks.end()) ||
        !std::is_sorted(places.event.begin(), places.event.end())) {
      return file.damaged("table seek: its times go back");
    }
  }
  return index;
}

uint64_t events_to_read(const ArchiveIndex& index, const PartOfRun& part) {
  uint64_t events = 0;
  for (const uint32_t location : part.locations) {
    const otf2::SeekPoints& places = index.places[location];
    if (places.size() == 0) continue;
    const auto end = std::lower_bound(places.ticks.begin(), places.ticks.end(), part.until_ticks);
    const uint64_t first = places.event[place_before(places, part.from_ticks)];
    const uint64_t last = end == places.ticks.end()
                              ? places.event.back() + otf2::SeekPoints::kEvery
                              : places.event[static_cast<size_t>(end - places.ticks.begin())];
    events += last - first;
  }
  return events;
}

base::Result<trace::Trace> read_back(otf2::Archive archive, const ArchiveIndex& index,
                                     const trace::Trace& run, const PartOfRun& part,
                                     base::ThreadPool& pool) {
  trace::Trace& trace = archive.trace;
  if (trace.locations.size() != run.locations.size() ||
      trace.definitions.regions.size() != run.definitions.regions.size() ||
      archive.event_bytes != index.file_bytes) {
    return is_another(archive.anchor, "its files have other sizes");
  }
  std::vector<std::optional<base::Error>> errors(part.locations.size());
  const auto read = [&](uint32_t i) -> base::Status {
    const otf2::SeekPoints& places = index.places[i];
    trace::Location& location = trace.locations[i];
    if (places.size() == 0 || places.ticks[0] >= part.until_ticks) return {};
    const auto path = otf2::events_path(archive.anchor, location.id);
    const auto file = base::MappedFile::open(path);
    if (!file) return file.error();
    const size_t place = place_before(places, part.from_ticks);
    otf2::EventStream stream(archive.event_chunk_bytes, trace.definitions, location.clock_offsets,
                             archive.mappings[i].get());
    stream.begin_at(places.offset[place], places.event[place]);
    trace::EventsBuilder builder;
    for (const trace::Region region : places.open_at(place)) {
      builder.enter(places.ticks[place], region);
    }
    const size_t open = builder.size();
    stream.decode_until(file.value().bytes(), places.ticks[place], builder);
    if (stream.fault() || builder.size() != open || stream.next_ticks() != places.ticks[place]) {
      return is_another(archive.anchor,
                        fmt::format("{} has another event at byte {}", path.filename().string(),
                                    places.offset[place]));
    }
    stream.decode_until(file.value().bytes(), part.until_ticks, builder);
    if (stream.fault()) {
      return otf2::event_fault(path, archive.event_chunk_bytes, *stream.fault(),
                               places.event[place] + builder.size() - open + stream.unknown());
    }
    if (!stream.ended()) {
      std::vector<trace::Region> calls;
      builder.append_open_regions(calls);
      for (size_t k = calls.size(); k-- > 0;) builder.leave(part.until_ticks, calls[k]);
    }
    location.events = builder.finish();
    return {};
  };
  pool.for_each(part.locations.size(), [&](size_t k) {
    if (auto status = read(part.locations[k]); !status) errors[k] = status.error();
  });
  for (const auto& error : errors) {
    if (error) return *error;
  }
  trace.start_ticks = run.start_ticks;
  trace.end_ticks = run.end_ticks;
  return std::move(archive.trace);
}

}  // namespace pathline::summary
