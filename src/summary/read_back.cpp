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
#include "trace/match.hpp"

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

/// How many events stand before the first place from `ticks` on, or all of the location, which has
/// places.
uint64_t event_of_next_place(const ArchiveIndex& index, uint32_t location, uint64_t ticks) {
  const otf2::SeekPoints& places = index.places[location];
  const auto place = std::lower_bound(places.ticks.begin(), places.ticks.end(), ticks);
  if (place == places.ticks.end()) return std::max(index.events[location], places.event.back());
  return places.event[static_cast<size_t>(place - places.ticks.begin())];
}

}  // namespace

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

namespace {

/// An event of a message that is known already.
struct KnownEnd {
  uint64_t ticks;
  uint64_t bytes;
  uint32_t tag;
  bool is_send;
};

bool is_end(const trace::Events& events, size_t i, const KnownEnd& end) {
  using trace::EventKind;
  const EventKind kind = events.kind[i];
  const bool is_of_kind = end.is_send ? kind == EventKind::kMpiSend || kind == EventKind::kMpiIsend
                                      : kind == EventKind::kMpiRecv || kind == EventKind::kMpiIrecv;
  if (!is_of_kind) return false;
  const trace::PointToPoint fields = events.point_to_point(i);
  return fields.tag == end.tag && (!end.is_send || fields.bytes == end.bytes);
}

/// Decodes up to `until`, but leaves out known ends.
///
/// ends     by time.
/// returns  the time of the last event, left out or not.
uint64_t decode_without(std::span<const KnownEnd> ends, std::span<const uint8_t> file,
                        uint64_t until, otf2::EventStream& stream, trace::EventsBuilder& builder) {
  uint64_t last_ticks = 0;
  while (!ends.empty() && ends.front().ticks < until && !stream.fault()) {
    const uint64_t instant = ends.front().ticks;
    stream.decode_until(file, instant, builder);
    trace::EventsBuilder at_once;
    std::vector<trace::Region> open;
    builder.append_open_regions(open);
    for (const trace::Region region : open) at_once.enter(instant, region);
    const size_t earlier = at_once.size();
    stream.decode_until(file, instant + 1, at_once);
    if (at_once.size() > earlier) last_ticks = instant;
    const trace::Events events = at_once.finish();
    std::vector<KnownEnd> left;
    for (; !ends.empty() && ends.front().ticks == instant; ends = ends.subspan(1)) {
      left.push_back(ends.front());
    }
    for (size_t i = earlier; i < events.size(); ++i) {
      const auto known = std::find_if(left.begin(), left.end(),
                                      [&](const KnownEnd& end) { return is_end(events, i, end); });
      if (known == left.end()) {
        builder.copy(events, i);
      } else {
        left.erase(known);
      }
    }
  }
  if (!stream.fault()) stream.decode_until(file, until, builder);
  return std::max(last_ticks, builder.last_ticks());
}

/// known  per location, by time.
base::Result<trace::Trace> read_part(otf2::Archive archive, const ArchiveIndex& index,
                                     const trace::Trace& run, const PartOfRun& part,
                                     const std::vector<std::vector<KnownEnd>>& known,
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
    // So many will come, if the file of the summary is right; memory that is not needed goes back.
    const auto room = [&](uint64_t ticks) {
      const uint64_t last = std::min(event_of_next_place(index, i, ticks),
                                     places.event[place] + file.value().bytes().size() / 8);
      return static_cast<size_t>(last - std::min(last, places.event[place]));
    };
    trace::EventsBuilder before;
    before.reserve(room(part.from_ticks));
    for (const trace::Region region : places.open_at(place)) {
      before.enter(places.ticks[place], region);
    }
    const size_t open = before.size();
    stream.decode_until(file.value().bytes(), places.ticks[place], before);
    if (stream.fault() || before.size() != open || stream.next_ticks() != places.ticks[place]) {
      return is_another(archive.anchor,
                        fmt::format("{} has another event at byte {}", path.filename().string(),
                                    places.offset[place]));
    }
    stream.decode_until(file.value().bytes(), part.from_ticks, before);
    trace::EventsBuilder builder;
    std::vector<trace::Region> calls;
    before.append_open_regions(calls);
    builder.reserve(room(part.until_ticks) - std::min(room(part.until_ticks), before.size()));
    for (const trace::Region region : calls) builder.enter(part.from_ticks, region);
    std::span<const KnownEnd> ends;
    if (!known.empty()) ends = known[i];
    const uint64_t last_ticks =
        decode_without(ends, file.value().bytes(), part.until_ticks, stream, builder);
    if (stream.fault()) {
      return otf2::event_fault(path, archive.event_chunk_bytes, *stream.fault(),
                               places.event[place] + before.size() - open + builder.size() -
                                   calls.size() + stream.unknown());
    }
    const uint64_t end_ticks = stream.ended() ? last_ticks : part.until_ticks;
    calls.clear();
    builder.append_open_regions(calls);
    for (size_t k = calls.size(); k-- > 0;) builder.leave(end_ticks, calls[k]);
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

void put(const MarkedMessage& one, trace::Messages& to, size_t row) {
  to.sender.set(row, one.sender);
  to.receiver.set(row, one.receiver);
  to.send_ticks.set(row, one.send_ticks);
  to.send_end_ticks.set(row, one.send_end_ticks);
  to.recv_post_ticks.set(row, one.recv_post_ticks);
  to.recv_ticks.set(row, one.recv_ticks);
  to.bytes.set(row, one.bytes);
  to.tag.set(row, one.tag);
  to.comm.set(row, one.comm);
  to.send_location.set(row, one.send_location);
  to.recv_location.set(row, one.recv_location);
}

/// Adds messages to those of a trace, which are sorted, before what was sent at the same time.
void merge(std::vector<MarkedMessage> others, trace::Messages& messages) {
  using Key = std::pair<uint64_t, uint32_t>;
  const auto key = [](const MarkedMessage& one) { return Key(one.send_ticks, one.sender); };
  std::stable_sort(others.begin(), others.end(),
                   [&](const MarkedMessage& a, const MarkedMessage& b) { return key(a) < key(b); });
  trace::Messages all;
  all.resize(messages.size() + others.size());
  auto other = others.begin();
  size_t row = 0;
  for (size_t i = 0; i < messages.size(); ++i, ++row) {
    for (const Key at(messages.send_ticks[i], messages.sender[i]);
         other != others.end() && key(*other) <= at; ++row) {
      put(*other++, all, row);
    }
    for_each_column(all, messages, [&](auto& to, const auto& from) { to.set(row, from[i]); });
  }
  for (; other != others.end(); ++row) put(*other++, all, row);
  messages = std::move(all);
}

/// The messages under way at the ends of a part, between ranks whose locations are chosen.
std::vector<MarkedMessage> under_way(const Marks& marks, const PartOfRun& part,
                                     const std::vector<bool>& is_chosen) {
  std::vector<MarkedMessage> messages;
  for (const Mark& mark : marks) {
    if (mark.ticks != part.from_ticks && mark.ticks != part.until_ticks) continue;
    for (const MarkedMessage& one : mark.messages) {
      const bool was_there = mark.ticks == part.until_ticks && one.first_ticks() < part.from_ticks;
      if (!was_there && (is_chosen[one.send_location] || is_chosen[one.recv_location])) {
        messages.push_back(one);
      }
    }
  }
  return messages;
}

}  // namespace

base::Result<trace::Trace> read_back(otf2::Archive archive, const ArchiveIndex& index,
                                     const trace::Trace& run, const PartOfRun& part,
                                     base::ThreadPool& pool) {
  return read_part(std::move(archive), index, run, part, {}, pool);
}

base::Result<trace::Trace> read_back_messages(otf2::Archive archive, const ArchiveIndex& index,
                                              const Marks& marks, const trace::Trace& run,
                                              const PartOfRun& part, base::ThreadPool& pool) {
  std::vector<bool> is_chosen(run.locations.size());
  for (const uint32_t location : part.locations) is_chosen[location] = true;
  std::vector<MarkedMessage> known = under_way(marks, part, is_chosen);
  std::vector<std::vector<KnownEnd>> ends(run.locations.size());
  for (const MarkedMessage& one : known) {
    ends[one.send_location].push_back({one.send_ticks, one.bytes, one.tag, true});
    ends[one.recv_location].push_back({one.recv_ticks, one.bytes, one.tag, false});
  }
  for (auto& of_location : ends) {
    std::erase_if(of_location, [&](const KnownEnd& end) { return end.ticks < part.from_ticks; });
    std::stable_sort(of_location.begin(), of_location.end(),
                     [](const KnownEnd& a, const KnownEnd& b) { return a.ticks < b.ticks; });
  }
  auto trace = read_part(std::move(archive), index, run, part, ends, pool);
  if (!trace) return trace;
  trace::match_messages(trace.value(), pool);
  std::erase_if(known, [&](const MarkedMessage& one) {
    return !is_chosen[one.send_location] || !is_chosen[one.recv_location];
  });
  merge(std::move(known), trace.value().messages);
  return trace;
}

}  // namespace pathline::summary
