// SPDX-License-Identifier: BSD-3-Clause
#include "summary/archive_index.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "summary/states.hpp"

namespace pathline::summary {
namespace {

constexpr size_t kPlaceColumns = 3;  // Of "seek.place": differences of offset, event and ticks.

/// The first place from `ticks` on; their number if there is none.
size_t next_place(const otf2::SeekPoints& places, uint64_t ticks) {
  const auto next = std::lower_bound(places.ticks.begin(), places.ticks.end(), ticks);
  return static_cast<size_t>(next - places.ticks.begin());
}

/// They are small and much alike, but a location may map any number of ids: what is much is read
/// where it stands.
void write_local_files(const ArchiveIndex& index, ColumnWriter& out) {
  constexpr uint64_t kMostOfFile = 2;  // A part in so many, before it is packed to a third or less.
  const uint64_t most =
      file_budget(std::accumulate(index.file_bytes.begin(), index.file_bytes.end(), uint64_t{0})) /
      kMostOfFile;
  std::vector<uint64_t> sizes;
  std::vector<uint8_t> bytes;
  for (const auto& file : index.local_files) {
    if (file.size() > most - bytes.size()) return;
    sizes.push_back(file.size());
    bytes.insert(bytes.end(), file.begin(), file.end());
  }
  out.add("archive.local.bytes", sizes);
  out.add("archive.local", bytes);
}

base::Status read_local_files(const ColumnReader& file, ArchiveIndex& index) {
  if (!file.has("archive.local")) return {};
  const auto sizes = file.column<uint64_t>("archive.local.bytes");
  if (!sizes) return sizes.error();
  const auto bytes = file.column<uint8_t>("archive.local");
  if (!bytes) return bytes.error();
  if (sizes.value().size() != index.places.size()) {
    return file.damaged("table archive.local: its rows do not fit the run");
  }
  std::span<const uint8_t> left(bytes.value());
  for (const uint64_t size : sizes.value()) {
    if (size > left.size()) return file.damaged("table archive.local: it ends early");
    const auto one = left.first(size);
    index.local_files.emplace_back(one.begin(), one.end());
    left = left.subspan(size);
  }
  if (!left.empty()) return file.damaged("table archive.local: it has more than its locations");
  return {};
}

}  // namespace

size_t place_before(const otf2::SeekPoints& places, uint64_t from) {
  const size_t next = next_place(places, from);
  return next == 0 ? 0 : next - 1;
}

uint64_t event_of_next_place(const ArchiveIndex& index, uint32_t location, uint64_t ticks) {
  const otf2::SeekPoints& places = index.places[location];
  const size_t next = next_place(places, ticks);
  return next < places.size() ? places.event[next]
                              : std::max(index.events[location], places.event.back());
}

uint64_t offset_of_next_place(const ArchiveIndex& index, uint32_t location, uint64_t ticks) {
  const otf2::SeekPoints& places = index.places[location];
  const size_t next = next_place(places, ticks);
  return next < places.size() ? places.offset[next] : index.file_bytes[location];
}

void pack(const ArchiveIndex& index, const std::function<bool(size_t)>& is_mine,
          base::Packer& out) {
  for (size_t i = 0; i < index.places.size(); ++i) {
    if (!is_mine(i)) continue;
    const otf2::SeekPoints& places = index.places[i];
    out.put(uint64_t{i});
    out.put_list(places.offset);
    out.put_list(places.event);
    out.put_list(places.ticks);
    out.put_list(places.open_end);
    out.put_list(places.open);
    out.put_list(index.local_files[i]);
  }
  out.put(UINT64_MAX);
}

void take(base::Unpacker& in, ArchiveIndex& index) {
  for (uint64_t i = in.get<uint64_t>(); i != UINT64_MAX; i = in.get<uint64_t>()) {
    otf2::SeekPoints& places = index.places[i];
    places.offset = in.list<uint64_t>();
    places.event = in.list<uint64_t>();
    places.ticks = in.list<uint64_t>();
    places.open_end = in.list<uint64_t>();
    places.open = in.list<trace::Region>();
    index.local_files[i] = in.list<uint8_t>();
  }
}

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
  out.add("archive.events", index.events);
  out.add("seek.location.rows", rows);
  out.add("seek.place", numbers);
  out.add("seek.depth", depths);
  out.add("seek.region", regions);
  if (!index.local_files.empty()) write_local_files(index, out);
}

uint32_t checksum_of_index(const ColumnReader& file) {
  uint32_t sum = 0;
  for (const char* const name :
       {"archive.bytes", "archive.events", "seek.location.rows", "seek.place", "seek.depth",
        "seek.region", "archive.local.bytes", "archive.local"}) {
    sum = file.checksum(name, sum);
  }
  return sum;
}

base::Result<ArchiveIndex> read_archive_index(const ColumnReader& file, const trace::Trace& run) {
  ArchiveIndex index;
  if (!file.has("archive.bytes")) return index;
  auto bytes = file.column<uint64_t>("archive.bytes");
  if (!bytes) return bytes.error();
  auto events = file.column<uint64_t>("archive.events");
  if (!events) return events.error();
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
      bytes.value().size() == run.locations.size() &&
      events.value().size() == run.locations.size() &&
      rows.value().size() == run.locations.size() &&
      numbers.value().size() == depths.value().size() * kPlaceColumns &&
      std::all_of(region.begin(), region.end(), [&](uint32_t r) { return r < region_count; });
  if (!fits_run) return file.damaged("table seek: its rows do not fit the run");
  index.file_bytes = std::move(bytes).value();
  index.events = std::move(events).value();
  index.places.reserve(run.locations.size());
  const std::span<const uint32_t> all_depths(depths.value());
  size_t row = 0;
  size_t open = 0;
  for (const uint64_t count : rows.value()) {
    if (count > depths.value().size() - row) return file.damaged("table seek: it ends early");
    const auto depth = all_depths.subspan(row, count);
    const uint64_t calls = std::accumulate(depth.begin(), depth.end(), uint64_t{0});
    if (calls > region.size() - open) return file.damaged("table seek: it lacks open calls");
    otf2::SeekPoints& places = index.places.emplace_back();
    places.offset.resize(count);
    places.event.resize(count);
    places.ticks.resize(count);
    places.open_end.resize(count);
    places.open.reserve(calls);
    for (const uint32_t r : std::span(region).subspan(open, calls)) places.open.emplace_back(r);
    open += calls;
    uint64_t offset = 0;
    uint64_t event = 0;
    uint64_t ticks = 0;
    uint64_t open_end = 0;
    for (size_t i = 0; i < count; ++i, ++row) {
      const uint64_t* const place = &numbers.value()[row * kPlaceColumns];
      places.offset[i] = offset += place[0];
      places.event[i] = event += place[1];
      places.ticks[i] = ticks += place[2];
      places.open_end[i] = open_end += depth[i];
    }
    if (!std::is_sorted(places.ticks.begin(), places.ticks.end()) ||
        !std::is_sorted(places.event.begin(), places.event.end())) {
      return file.damaged("table seek: its times go back");
    }
  }
  if (auto status = read_local_files(file, index); !status) return status.error();
  return index;
}

std::vector<size_t> pieces_of(const ArchiveIndex& index, const PartOfRun& part) {
  constexpr size_t kMost = 16;
  constexpr uint64_t kManyBytes = 1 << 20;  // Some 2 ms.
  std::vector<size_t> begins = {0};
  uint64_t bytes = 0;
  for (size_t k = 0; k < part.locations.size(); ++k) {
    const uint32_t location = part.locations[k];
    const otf2::SeekPoints& places = index.places[location];
    if (places.size() > 0) {
      const uint64_t begin = places.offset[place_before(places, part.from_ticks)];
      bytes += std::max(offset_of_next_place(index, location, part.until_ticks), begin) - begin;
    }
    if (bytes > kManyBytes || k + 1 - begins.back() == kMost) {
      begins.push_back(k + 1);
      bytes = 0;
    }
  }
  if (begins.back() < part.locations.size()) begins.push_back(part.locations.size());
  return begins;
}

uint64_t events_to_read(const ArchiveIndex& index, const PartOfRun& part) {
  uint64_t events = 0;
  for (const uint32_t location : part.locations) {
    const otf2::SeekPoints& places = index.places[location];
    if (places.size() == 0) continue;
    events += event_of_next_place(index, location, part.until_ticks) -
              places.event[place_before(places, part.from_ticks)];
  }
  return events;
}

uint64_t events_to_keep(const ArchiveIndex& index, const trace::Trace& run, const PartOfRun& part) {
  double events = 0;
  for (const uint32_t location : part.locations) {
    const otf2::SeekPoints& places = index.places[location];
    if (places.size() == 0) continue;
    const auto before = [&](uint64_t ticks) {
      if (ticks <= places.ticks[0]) return 0.0;
      const size_t place = place_before(places, ticks);
      const bool is_last = place + 1 == places.size();
      const uint64_t end_ticks = is_last ? run.end_ticks : places.ticks[place + 1];
      const uint64_t end_event =
          is_last ? std::max(index.events[location], places.event[place]) : places.event[place + 1];
      const auto first = static_cast<double>(places.event[place]);
      const auto span = static_cast<double>(end_ticks - std::min(end_ticks, places.ticks[place]));
      const double share =
          span > 0 ? std::min(1.0, static_cast<double>(ticks - places.ticks[place]) / span) : 1;
      return first + share * (static_cast<double>(end_event) - first);
    };
    events += before(part.until_ticks) - before(part.from_ticks);
  }
  return static_cast<uint64_t>(events);
}

PartOfRun between_marks(const Marks& marks, const PartOfRun& part) {
  PartOfRun wide = part;
  const auto is_before = [](const Mark& mark, uint64_t ticks) { return mark.ticks < ticks; };
  const auto end = std::lower_bound(marks.begin(), marks.end(), part.until_ticks, is_before);
  wide.until_ticks = end == marks.end() ? UINT64_MAX : end->ticks;
  const auto behind = std::lower_bound(marks.begin(), marks.end(), part.from_ticks + 1, is_before);
  wide.from_ticks = behind == marks.begin() ? 0 : (behind - 1)->ticks;
  return wide;
}

PartOfRun between_operations(const Marks& marks, const PartOfRun& part) {
  PartOfRun wide = between_marks(marks, part);
  wide.from_ticks = 0;
  uint64_t last = 0;
  for (const Mark& mark : marks) {
    if (mark.ticks > part.from_ticks) break;
    if (mark.knows_operations) wide.from_ticks = std::exchange(last, mark.ticks);
  }
  return wide;
}

uint64_t next_mark(const Marks& marks, uint64_t ticks) {
  const auto next = std::upper_bound(marks.begin(), marks.end(), ticks,
                                     [](uint64_t t, const Mark& mark) { return t < mark.ticks; });
  return next == marks.end() ? UINT64_MAX : next->ticks;
}

}  // namespace pathline::summary
