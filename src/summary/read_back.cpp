// SPDX-License-Identifier: BSD-3-Clause
// Long because what is read of a location and what is known of its messages go together.
#include "summary/read_back.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/spares.hpp"
#include "otf2/anchor.hpp"
#include "summary/part_of_file.hpp"
#include "summary/piece_reader.hpp"
#include "trace/collective_stream.hpp"
#include "trace/match.hpp"
#include "trace/outer_calls.hpp"
#include "trace/ranks.hpp"

namespace pathline::summary {
namespace {

base::Error is_another(const std::filesystem::path& archive, std::string_view how) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("{} is another archive than the one that was summarised: {}",
                      archive.string(), how),
          "'pathline reduce' makes a summary of what is there now."};
}

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

/// Adds an event of a message with a communicator that does not exist, so that it is matched with
/// nothing: what was done in the call around it shows all the same.
void add_unmatched(const trace::Events& events, size_t i, trace::EventsBuilder& builder) {
  const auto words = events.fields(i);
  uint32_t* const to = builder.add_words(events.kind[i], events.ticks[i], words.size());
  std::copy(words.begin(), words.end(), to);
  constexpr size_t kComm = 1;
  to[kComm] = trace::kUndefined;
}
bool is_unmatched(const trace::Trace& trace, const trace::Unmatched& one) {
  const trace::Events& events = trace.locations[one.location].events;
  return events.point_to_point(one.event).comm == trace::kUndefined;
}

/// How known ends are read.
enum class Known : uint8_t { kLeftOut, kUnmatched };

/// Decodes up to `until`, but known ends otherwise.
///
/// ends     by time.
/// returns  the time of the last event, left out or not.
uint64_t decode_without(std::span<const KnownEnd> ends, Known known_are, uint64_t until,
                        PartOfFile& file, trace::EventsBuilder& builder) {
  uint64_t last_ticks = 0;
  while (!ends.empty() && ends.front().ticks < until && !file.stream().fault()) {
    const uint64_t instant = ends.front().ticks;
    file.decode_until(instant, builder);
    trace::EventsBuilder at_once;
    std::vector<trace::Region> open;
    builder.append_open_regions(open);
    for (const trace::Region region : open) at_once.enter(instant, region);
    const size_t earlier = at_once.size();
    file.decode_until(instant + 1, at_once);
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
        if (known_are == Known::kUnmatched) add_unmatched(events, i, builder);
        left.erase(known);
      }
    }
  }
  if (!file.stream().fault()) file.decode_until(until, builder);
  return std::max(last_ticks, builder.last_ticks());
}

/// What is known of messages that are under way at the ends of a part.
struct UnderWay {
  bool ends_calls = true;  // Those that go on behind the part get a Leave.
  Known are = Known::kLeftOut;
  std::vector<std::vector<KnownEnd>> ends;  // Per location, by time; or empty.
  // Of Known::kUnmatched, per location:
  std::vector<std::vector<uint64_t>> sends;  // When something was sent before the part, by time.
  trace::Region of_sends;                    // A region of MPI for the calls that they stand in.
  bool stay_in_calls = false;                // Those sent in a call of MPI that goes on.
};

/// Which of the calls that are open, outermost first, is the first one of MPI; their number
/// without.
size_t outermost_of_mpi(const std::vector<trace::Region>& calls,
                        const std::vector<trace::CallClass>& classes) {
  const auto first = std::find_if(calls.begin(), calls.end(), [&](trace::Region region) {
    return region.valid() && classes[region] == trace::CallClass::kMpi;
  });
  return static_cast<size_t>(first - calls.begin());
}

/// What was sent before a part, and the calls that are open at its begin.
///
/// sends   when it was sent, by time. What stays in a call that goes on may still wait for its
///         receiver there; the call then begins when it did, not with the part.
/// before  the events of the location until there; given away.
void begin_part(const std::vector<trace::CallClass>& classes, uint64_t from_ticks,
                const UnderWay& known, std::span<const uint64_t> sends,
                trace::EventsBuilder& before, trace::EventsBuilder& builder) {
  std::vector<trace::Region> calls;
  before.append_open_regions(calls);
  const size_t first = outermost_of_mpi(calls, classes);
  uint64_t begin_ticks = from_ticks;
  trace::Events events;
  uint32_t sent = UINT32_MAX;  // From this event on in the call of MPI.
  if (known.stay_in_calls && !sends.empty() && first < calls.size()) {
    const uint32_t enter = before.open_calls()[first];
    events = before.finish();
    if (sends.back() >= events.ticks[enter]) {
      begin_ticks = events.ticks[enter];
      sent = enter;
    }
  }
  for (const uint64_t ticks : sends) {
    if (sent != UINT32_MAX && ticks >= begin_ticks) break;
    builder.enter(ticks, known.of_sends);
    builder.leave(ticks, known.of_sends);
  }
  for (const trace::Region region : calls) builder.enter(begin_ticks, region);
  for (size_t i = sent; i < events.size(); ++i) {
    if (events.kind[i] == trace::EventKind::kMpiSend) add_unmatched(events, i, builder);
  }
}

/// open_at_end  per location, gets the begin of the call of MPI that goes on behind the part; or
///              null.
base::Result<trace::Trace> read_part(otf2::Archive archive, const ArchiveIndex& index,
                                     const trace::Trace& run, const PartOfRun& part,
                                     const UnderWay& known, std::vector<uint64_t>* open_at_end,
                                     base::ThreadPool& pool) {
  trace::Trace& trace = archive.trace;
  const auto classes = trace::call_classes(trace.definitions);
  if (archive.event_bytes != index.file_bytes) {
    return is_another(archive.anchor, "its files have other sizes");
  }
  // What is known of messages and steps names ranks, communicators and regions.
  if (!trace.definitions.same_as(run.definitions) || trace.rank_count != run.rank_count) {
    return is_another(archive.anchor, "it defines something else");
  }
  std::vector<std::optional<base::Error>> errors(part.locations.size());
  const EventFolder folder(archive);
  const auto read = [&](uint32_t i, PieceReader& reader,
                        trace::EventsBuilder& builder) -> base::Status {
    const otf2::SeekPoints& places = index.places[i];
    trace::Location& location = trace.locations[i];
    if (places.size() == 0 || places.ticks[0] >= part.until_ticks) return {};
    const auto path = [&] { return otf2::events_path(archive.anchor, location.id); };
    if (auto status = folder.open(i, reader); !status) return status;
    const uint64_t file_bytes = archive.event_bytes[i];
    const size_t place = place_before(places, part.from_ticks);
    otf2::EventStream begun(archive.event_chunk_bytes, trace.definitions, location.clock_offsets,
                            archive.mappings[i].get());
    begun.begin_at(places.offset[place], places.event[place]);
    PartOfFile file(std::move(begun), reader, file_bytes,
                    offset_of_next_place(index, i, part.until_ticks));
    const otf2::EventStream& stream = file.stream();
    // So many will come, if the file of the summary is right; memory that is not needed goes back.
    const auto room = [&](uint64_t ticks) {
      const uint64_t last =
          std::min(event_of_next_place(index, i, ticks), places.event[place] + file_bytes / 8);
      return static_cast<size_t>(last - std::min(last, places.event[place]));
    };
    trace::EventsBuilder before;
    before.reserve(room(part.from_ticks));
    for (const trace::Region region : places.open_at(place)) {
      before.enter(places.ticks[place], region);
    }
    const size_t open = before.size();
    file.decode_until(places.ticks[place], before);
    if (auto status = read_status(archive, i, reader); !status) return status;
    if (stream.fault() || before.size() != open || stream.next_ticks() != places.ticks[place]) {
      return is_another(archive.anchor,
                        fmt::format("{} has another event at byte {}", path().filename().string(),
                                    places.offset[place]));
    }
    file.decode_until(part.from_ticks, before);
    const size_t events_before = before.size() - open;
    builder.reserve(room(part.until_ticks) - std::min(room(part.until_ticks), before.size()));
    std::span<const uint64_t> sends;
    if (!known.sends.empty()) sends = known.sends[i];
    begin_part(classes, part.from_ticks, known, sends, before, builder);
    const size_t added = builder.size();
    std::span<const KnownEnd> ends;
    if (!known.ends.empty()) ends = known.ends[i];
    const uint64_t last_ticks = decode_without(ends, known.are, part.until_ticks, file, builder);
    if (auto status = read_status(archive, i, reader); !status) return status;
    if (stream.fault()) {
      return otf2::event_fault(
          path(), archive.event_chunk_bytes, *stream.fault(),
          places.event[place] + events_before + builder.size() - added + stream.unknown());
    }
    const uint64_t end_ticks = stream.ended() ? last_ticks : part.until_ticks;
    std::vector<trace::Region> calls;
    builder.append_open_regions(calls);
    const std::vector<uint32_t> enters(builder.open_calls().begin(), builder.open_calls().end());
    for (size_t k = calls.size(); known.ends_calls && k-- > 0;) builder.leave(end_ticks, calls[k]);
    // Few are copied, so that their memory is used again; many keep what they have.
    constexpr size_t kFewEvents = 1 << 16;
    location.events =
        builder.size() <= kFewEvents ? builder.finish_unpacked(*trace.arena) : builder.finish();
    if (open_at_end != nullptr && !stream.ended()) {
      const size_t first = outermost_of_mpi(calls, classes);
      if (first < calls.size()) (*open_at_end)[i] = location.events.ticks[enters[first]];
    }
    return {};
  };
  struct Hands {
    PieceReader reader;
    trace::EventsBuilder builder;
  };
  base::Spares<Hands> spares;
  const std::vector<size_t> pieces = pieces_of(index, part);
  pool.for_each(pieces.size() - 1, [&](size_t piece) {
    std::unique_ptr<Hands> hands = spares.take();
    for (size_t k = pieces[piece]; k < pieces[piece + 1]; ++k) {
      if (auto status = read(part.locations[k], hands->reader, hands->builder); !status) {
        errors[k] = status.error();
        return;
      }
    }
    spares.give(std::move(hands));
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

/// Of messages, those under way at the ends of a part.
UnderWay ends_of(const std::vector<MarkedMessage>& messages, uint64_t from_ticks,
                 size_t locations) {
  UnderWay known;
  known.ends.resize(locations);
  for (const MarkedMessage& one : messages) {
    known.ends[one.send_location].push_back({one.send_ticks, one.bytes, one.tag, true});
    known.ends[one.recv_location].push_back({one.recv_ticks, one.bytes, one.tag, false});
  }
  for (auto& of_location : known.ends) {
    std::erase_if(of_location, [&](const KnownEnd& end) { return end.ticks < from_ticks; });
    std::stable_sort(of_location.begin(), of_location.end(),
                     [](const KnownEnd& a, const KnownEnd& b) { return a.ticks < b.ticks; });
  }
  return known;
}

/// A call of MPI that sends without waiting for the receiver, and neither begins nor ends MPI;
/// none() without.
trace::Region sending_region(const trace::Definitions& definitions) {
  const auto classes = trace::call_classes(definitions);
  for (uint32_t region = 0; region < classes.size(); ++region) {
    const std::string_view name = definitions.regions[region].name;
    const bool sends = name.find("send") != std::string::npos ||
                       name.find("Send") != std::string::npos ||
                       name.find("SEND") != std::string::npos;
    const bool waits = name.find("ssend") != std::string::npos ||
                       name.find("Ssend") != std::string::npos ||
                       name.find("SSEND") != std::string::npos;
    if (sends && !waits && classes[region] == trace::CallClass::kMpi) return trace::Region(region);
  }
  return trace::Region::none();
}

/// Nonblocking operations that are not complete at the end of the part: which those behind them are
/// the i-th of is not known before.
uint64_t pending_operations(const trace::Trace& trace) {
  uint64_t pending = 0;
  for (const trace::Location& location : trace.locations) {
    std::set<uint64_t> requests;
    const trace::Events& events = location.events;
    for (size_t i = 0; i < events.size(); ++i) {
      if (events.kind[i] == trace::EventKind::kNonBlockingCollectiveRequest) {
        requests.insert(events.word64(i));
      } else if (events.kind[i] == trace::EventKind::kNonBlockingCollectiveComplete) {
        constexpr size_t kRequest = 7;
        requests.erase(events.word64(i, kRequest));
      }
    }
    pending += requests.size();
  }
  return pending;
}

/// How many calls that were asked for are not known to their end.
uint64_t cut_calls(const trace::Trace& trace, const std::vector<uint64_t>& open_at_end,
                   uint64_t part_end_ticks, const AskedCalls& asked) {
  const auto is_asked_for = [&](uint64_t begin, uint64_t end) {
    return begin <= asked.until_ticks &&
           (begin >= asked.from_ticks || (asked.with_open && end >= asked.from_ticks));
  };
  auto count = static_cast<uint64_t>(std::count_if(
      open_at_end.begin(), open_at_end.end(),
      [&](uint64_t begin) { return begin != UINT64_MAX && is_asked_for(begin, UINT64_MAX); }));
  if (part_end_ticks == UINT64_MAX) return count;
  count += pending_operations(trace);
  const trace::CommunicatorRanks ranks(trace);
  const trace::Collectives& all = trace.collectives;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_whole = all.first[i + 1] - all.first[i] >= ranks.size(all.comm[i]);
    if (is_whole || trace::is_self(trace.definitions, all.comm[i])) continue;
    bool any = false;
    for (uint32_t row = all.first[i]; row < all.first[i + 1]; ++row) {
      any = any || is_asked_for(all.begin_ticks[row], all.end_ticks[row]);
    }
    count += any ? 1 : 0;
  }
  return count;
}

}  // namespace

base::Result<trace::Trace> read_back(otf2::Archive archive, const ArchiveIndex& index,
                                     const trace::Trace& run, const PartOfRun& part,
                                     base::ThreadPool& pool) {
  return read_part(std::move(archive), index, run, part, {}, nullptr, pool);
}

base::Result<trace::Trace> read_back_recorded(otf2::Archive archive, const ArchiveIndex& index,
                                              const trace::Trace& run, const PartOfRun& part,
                                              base::ThreadPool& pool) {
  UnderWay known;
  known.ends_calls = false;
  return read_part(std::move(archive), index, run, part, known, nullptr, pool);
}

base::Result<trace::Trace> read_back_messages(otf2::Archive archive, const ArchiveIndex& index,
                                              const Marks& marks, const trace::Trace& run,
                                              const PartOfRun& part, base::ThreadPool& pool) {
  std::vector<bool> is_chosen(run.locations.size());
  for (const uint32_t location : part.locations) is_chosen[location] = true;
  std::vector<MarkedMessage> known = under_way(marks, part, is_chosen);
  auto trace = read_part(std::move(archive), index, run, part,
                         ends_of(known, part.from_ticks, run.locations.size()), nullptr, pool);
  if (!trace) return trace;
  trace::match_messages(trace.value(), pool);
  std::erase_if(known, [&](const MarkedMessage& one) {
    return !is_chosen[one.send_location] || !is_chosen[one.recv_location];
  });
  merge(std::move(known), trace.value().messages);
  return trace;
}

base::Result<JudgedPart> read_back_waits(otf2::Archive archive, const ArchiveIndex& index,
                                         const Marks& marks, const trace::Trace& run,
                                         const PartOfRun& part, const AskedCalls& asked,
                                         std::shared_ptr<const trace::WholeRun> whole,
                                         base::ThreadPool& pool) {
  const size_t locations = run.locations.size();
  std::vector<MarkedMessage> messages = under_way(marks, part, std::vector<bool>(locations, true));
  UnderWay known = ends_of(messages, part.from_ticks, locations);
  known.are = Known::kUnmatched;
  known.of_sends = sending_region(archive.trace.definitions);
  known.stay_in_calls = asked.sends_stay_in_calls;
  if (known.of_sends.valid()) {
    known.sends.resize(locations);
    for (const MarkedMessage& one : messages) {
      if (one.send_ticks < part.from_ticks) {
        known.sends[one.send_location].push_back(one.send_ticks);
      }
    }
    for (auto& sends : known.sends) {
      std::sort(sends.begin(), sends.end());
      sends.erase(std::unique(sends.begin(), sends.end()), sends.end());
    }
  }
  std::vector<uint64_t> open_at_end(locations, UINT64_MAX);
  auto read = read_part(std::move(archive), index, run, part, known, &open_at_end, pool);
  if (!read) return read.error();
  JudgedPart result{std::move(read).value()};
  trace::Trace& trace = result.trace;
  trace.whole = std::move(whole);
  trace::match_messages(trace, pool);
  for (auto* const list : {&trace.unmatched_sends, &trace.unmatched_receives}) {
    std::erase_if(*list, [&](const trace::Unmatched& one) { return is_unmatched(trace, one); });
  }
  const auto is_asked_for = [&](uint64_t ticks) {
    return ticks >= asked.from_ticks && ticks <= asked.until_ticks;
  };
  for (const MarkedMessage& one : messages) {
    const bool is_cut = one.recv_ticks >= part.until_ticks;
    const bool is_seen = is_asked_for(one.send_ticks) || is_asked_for(one.recv_post_ticks);
    result.cut_calls += is_cut && is_seen ? 1 : 0;
  }
  std::erase_if(messages, [&](const MarkedMessage& one) {  // The receiving call is not there.
    return one.recv_ticks < part.from_ticks || one.recv_ticks >= part.until_ticks;
  });
  merge(std::move(messages), trace.messages);
  std::span<const trace::BegunOperation> begun;
  for (const Mark& mark : marks) {
    if (mark.ticks == part.from_ticks) begun = mark.operations;
  }
  trace::match_collectives(trace, pool, begun, part.from_ticks);
  result.cut_calls += cut_calls(trace, open_at_end, part.until_ticks, asked);
  return result;
}

}  // namespace pathline::summary
