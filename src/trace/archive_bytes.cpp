// SPDX-License-Identifier: BSD-3-Clause
#include "trace/archive_bytes.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>

#include "trace/find_kinds.hpp"
#include "trace/plain_events.hpp"

namespace pathline::trace {
namespace {

/// Records that are as old as the format and have one number only do without their length.
constexpr bool is_bare(EventKind kind) {
  switch (static_cast<unsigned>(kind)) {
    case 12:
    case 13:
    case 16:
    case 17:
    case 20:
    case 21:
    case 24:
    case 28:
    case 29:
    case 30: return true;
    default: return kind == EventKind::kUnmatchedLeave;
  }
}

static_assert(is_bare(EventKind::kMpiIsendComplete) && is_bare(EventKind::kMpiIrecvRequest),
              "as message_bytes() has it");

bool is_one_byte(std::string_view field) {
  return field == "operation" || field == "mode" || field == "lock_type" || field == "type" ||
         field == "whence" || field == "model";
}

/// How a field stands in a file.
enum class Field : uint8_t { kByte, kNumber, kWide, kTime, kItems, kMetrics };

std::vector<Field> fields_of(EventKind kind) {
  std::vector<Field> result;
  std::string_view fields = event_fields(kind);
  while (!fields.empty()) {
    const size_t end = fields.find(' ');
    const std::string_view field = fields.substr(0, end);
    fields = end == std::string_view::npos ? std::string_view() : fields.substr(end + 1);
    if (field == "...") {
      result.push_back(kind == EventKind::kMetric ? Field::kMetrics : Field::kItems);
    } else if (field.ends_with('*') || field.ends_with('-')) {
      // A time stands there as it is.
      result.push_back(kind == EventKind::kBufferFlush ? Field::kTime : Field::kWide);
    } else {
      result.push_back(is_one_byte(field) || field == "n" ? Field::kByte : Field::kNumber);
    }
  }
  return result;
}

const std::vector<Field>& known_fields(EventKind kind) {
  static const auto kAll = [] {
    std::array<std::vector<Field>, kEventKindCount> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = fields_of(static_cast<EventKind>(i));
    return all;
  }();
  return kAll[static_cast<size_t>(kind)];
}

bool is_of_call(EventKind kind) {
  return kind == EventKind::kEnter || kind == EventKind::kLeave ||
         kind == EventKind::kUnmatchedLeave;
}

/// Bytes of the attributes of an event, one event after the other.
class AttributeBytes {
 public:
  AttributeBytes(const Attributes& attributes, size_t first_event)
      : all_(attributes),
        next_(static_cast<size_t>(
            std::lower_bound(all_.event.begin(), all_.event.end(), first_event) -
            all_.event.begin())) {}
  uint64_t of(size_t event) { return next_ == all_.event.size() ? 0 : look_at(event); }

 private:
  uint64_t look_at(size_t event) {
    constexpr uint8_t kDouble = 10;
    uint64_t bytes = 0;
    for (; next_ < all_.event.size() && all_.event[next_] == event; ++next_) {
      bytes += 3 + compressed_bytes(all_.attribute[next_], false) +
               (all_.type[next_] == kDouble ? 8 : 4);
    }
    return bytes;
  }

  const Attributes& all_;
  size_t next_;
};

std::vector<uint64_t> bytes_of_calls(const Definitions& definitions) {
  std::vector<uint64_t> bytes;
  bytes.reserve(definitions.regions.size());
  for (const RegionDefinition& region : definitions.regions) {
    bytes.push_back(1 + compressed_bytes(region.id, false));
  }
  return bytes;
}

/// The bytes of an event that is no call.
///
/// words  of its fields, words[0] and so on; `count` of them.
template <class Words>
uint64_t record_bytes(EventKind kind, const Words& words, size_t count) {
  size_t next = 0;
  uint64_t bytes = is_bare(kind) ? 1 : 2;
  for (const Field field : known_fields(kind)) {
    switch (field) {
      case Field::kByte:
        ++next;
        ++bytes;
        break;
      case Field::kNumber: bytes += compressed_bytes(words[next++], false); break;
      case Field::kWide:
        bytes += compressed_bytes(words[next] | uint64_t{words[next + 1]} << 32U, true);
        next += 2;
        break;
      case Field::kTime:
        next += 2;
        bytes += 8;
        break;
      case Field::kItems:
        for (; next < count; ++next) bytes += compressed_bytes(words[next], false);
        break;
      case Field::kMetrics:
        for (; next + 3 <= count; next += 3) {
          bytes += 1 + compressed_bytes(words[next + 1] | uint64_t{words[next + 2]} << 32U, true);
        }
        break;
    }
  }
  return bytes;
}

/// Calls visit(region or the number of regions, whether the call itself, bytes, ticks) for the
/// events from `first` on. In front of them stand the Enters of open calls.
///
/// all  the same events.
template <class Columns, class Visit>
void for_each_event(const Definitions& definitions, const std::vector<uint64_t>& call_bytes,
                    const Events& all, const Columns& events, size_t first, Visit visit) {
  const size_t outside = definitions.regions.size();
  std::vector<uint32_t> open;  // Enters.
  for (uint32_t i = 0; i < first; ++i) {
    if (events.kind[i] == EventKind::kEnter) open.push_back(i);
  }
  const auto innermost = [&] { return open.empty() ? outside : size_t{events.ref[open.back()]}; };
  size_t current = innermost();
  AttributeBytes attributes(all.attributes, first);
  const auto visit_call = [&](size_t i, size_t region) {
    visit(region, true, call_bytes[region] + attributes.of(i), events.ticks[i]);
  };
  const size_t count = events.size();
  for (size_t i = first; i < count; ++i) {
    switch (events.kind[i]) {
      case EventKind::kEnter:
        current = events.ref[i];
        visit_call(i, current);
        open.push_back(static_cast<uint32_t>(i));
        break;
      case EventKind::kLeave: {
        const uint32_t enter = events.ref[i];
        visit_call(i, events.ref[enter]);
        while (!open.empty() && open.back() >= enter) open.pop_back();
        current = innermost();
        break;
      }
      case EventKind::kUnmatchedLeave: visit_call(i, events.ref[i]); break;
      case EventKind::kMpiSend:
      case EventKind::kMpiIsend:
      case EventKind::kMpiIsendComplete:
      case EventKind::kMpiIrecvRequest:
      case EventKind::kMpiRecv:
      case EventKind::kMpiIrecv:
        if constexpr (std::is_same_v<Columns, PlainEvents>) {
          const uint64_t bytes = message_bytes(events.kind[i], events.words + events.ref[i]);
          visit(current, false, bytes + attributes.of(i), events.ticks[i]);
          break;
        }
        [[fallthrough]];
      default:
        visit(current, false, otf2_bytes(definitions, all, i) + attributes.of(i), events.ticks[i]);
        break;
    }
  }
}

}  // namespace

uint64_t otf2_bytes(const Definitions& definitions, const Events& events, size_t i) {
  const EventKind kind = events.kind[i];
  if (is_of_call(kind))
    return 1 + compressed_bytes(definitions.regions[events.region(i)].id, false);
  const uint32_t* const plain = events.words.plain().data();
  const bool is_plain = plain != nullptr && event_words(kind) > 1;
  if (is_plain && is_of_message(kind)) return message_bytes(kind, plain + events.ref[i]);
  if (is_plain && kind != EventKind::kMetric && kind != EventKind::kProgramBegin) {
    return record_bytes(kind, plain + events.ref[i], event_words(kind));
  }
  const Fields fields = events.fields(i);
  return record_bytes(kind, fields, fields.size());
}

/// Counts a stretch of the locations at a time, so that few have a row of all regions.
template <class Body>
void add_by_region(size_t locations, size_t regions, base::ThreadPool& pool,
                   std::vector<uint64_t>& by_region, Body body) {
  const size_t pieces = std::min<size_t>(locations, 4 * size_t{pool.thread_count()});
  std::mutex joining;
  pool.for_each(pieces, [&](size_t piece) {
    std::vector<uint64_t> own(regions + 1, 0);
    for (size_t i = piece * locations / pieces; i < (piece + 1) * locations / pieces; ++i) {
      body(i, own);
    }
    const std::lock_guard lock(joining);
    for (size_t r = 0; r < own.size(); ++r) by_region[r] += own[r];
  });
}

ArchiveBytes archive_bytes(const Trace& trace, const std::vector<bool>& left_out,
                           base::ThreadPool& pool) {
  const size_t locations = trace.locations.size();
  const size_t regions = trace.definitions.regions.size();
  ArchiveBytes result{std::vector<uint64_t>(regions + 1, 0), std::vector<uint64_t>(locations, 0),
                      std::vector<uint64_t>(locations, 0)};
  const std::vector<uint64_t> call_bytes = bytes_of_calls(trace.definitions);
  add_by_region(locations, regions, pool, result.by_region, [&](size_t i, auto& by_region) {
    uint64_t last_all = UINT64_MAX;
    uint64_t last_kept = UINT64_MAX;
    const auto add = [&](size_t region, bool is_call, uint64_t bytes, uint64_t ticks) {
      if (!is_call || left_out.empty() || !left_out[region]) {
        result.kept[i] += bytes + (ticks != last_kept ? kTimeRecordBytes : 0);
        last_kept = ticks;
      }
      const uint64_t all = bytes + (ticks != last_all ? kTimeRecordBytes : 0);
      last_all = ticks;
      by_region[region] += all;
      result.by_location[i] += all;
    };
    const Events& events = trace.locations[i].events;
    with_columns(events, [&](const auto& columns) {
      for_each_event(trace.definitions, call_bytes, events, columns, 0, add);
    });
  });
  return result;
}

GrowingArchiveBytes::GrowingArchiveBytes(const Trace& run)
    : bytes_{std::vector<uint64_t>(run.definitions.regions.size() + 1, 0),
             std::vector<uint64_t>(run.locations.size(), 0),
             {}},
      call_bytes_(bytes_of_calls(run.definitions)),
      last_ticks_(run.locations.size(), UINT64_MAX) {}

GrowingArchiveBytes::Follower::Follower(GrowingArchiveBytes& all, size_t location)
    : all_(all),
      location_(location),
      call_bytes_(all.call_bytes_.data()),
      outside_(all.call_bytes_.size()),
      last_(all.last_ticks_[location]) {
  // All 0 between two locations, which have few of the regions.
  thread_local std::vector<uint64_t> by_region;
  thread_local std::vector<uint32_t> regions;
  for (const uint32_t region : regions) by_region[region] = 0;  // Of one that was given up.
  regions.clear();
  by_region.resize(std::max(by_region.size(), all.bytes_.by_region.size()));
  sums_ = by_region.data();
  regions_ = &regions;
}

void GrowingArchiveBytes::Follower::end() {
  all_.last_ticks_[location_] = last_;
  all_.bytes_.by_location[location_] += of_location_;
  const std::lock_guard lock(all_.joining_);
  for (const uint32_t region : *regions_) {
    all_.bytes_.by_region[region] += std::exchange(sums_[region], 0);
  }
  regions_->clear();
}

void GrowingArchiveBytes::add(const Trace& part, size_t location, size_t kept) {
  Follower follower(*this, location);
  const Events& events = part.locations[location].events;
  with_columns(events, [&](const auto& columns) {
    for_each_event(part.definitions, call_bytes_, events, columns, kept,
                   [&](size_t region, bool, uint64_t bytes, uint64_t ticks) {
                     follower.add(region, bytes, ticks);
                   });
  });
  follower.end();
}

void GrowingArchiveBytes::pack(base::Packer& out) const {
  out.put_list(bytes_.by_region);
  out.put_list(bytes_.by_location);
}

void GrowingArchiveBytes::take(base::Unpacker& in) {
  for (std::vector<uint64_t>* sums : {&bytes_.by_region, &bytes_.by_location}) {
    const auto others = in.list<uint64_t>();
    for (size_t i = 0; i < others.size(); ++i) (*sums)[i] += others[i];
  }
}

}  // namespace pathline::trace
