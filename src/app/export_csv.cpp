// SPDX-License-Identifier: BSD-3-Clause
#include "app/export.hpp"
#include "app/text_file.hpp"
#include "base/text.hpp"
#include "trace/calls.hpp"

namespace pathline::app {
namespace {

using trace::EventKind;

std::string field(std::string_view text) { return base::csv_field(base::printable(text)); }

std::string_view type_name(trace::LocationType type) {
  switch (type) {
    case trace::LocationType::kCpuThread: return "cpu_thread";
    case trace::LocationType::kAcceleratorStream: return "accelerator_stream";
    case trace::LocationType::kMetric: return "metric";
    case trace::LocationType::kUnknown: break;
  }
  return "unknown";
}

/// A collective's root, a rank unless it is one of OTF2's special values.
std::string root_name(uint32_t root) {
  constexpr uint32_t kSelf = trace::kUndefined - 1;       // This one, of several at once.
  constexpr uint32_t kThisGroup = trace::kUndefined - 2;  // Elsewhere in an inter-communicator.
  return root == trace::kUndefined ? ""
         : root == kSelf           ? "self"
         : root == kThisGroup      ? "this_group"
                                   : fmt::format("{}", root);
}

/// Value of the next field, "" if it says "not known" or "none": every number but the one that a
/// program recorded itself has such a value.
std::string value_of(std::string_view name, char suffix, trace::WordReader& in) {
  const bool any_value = name == "value";
  if (suffix == '-') {
    const auto value = static_cast<int64_t>(in.u64());
    return value == INT64_MIN && !any_value ? "" : fmt::format("{}", value);
  }
  if (suffix == '*') {
    const uint64_t value = in.u64();
    return value == UINT64_MAX && !any_value ? "" : fmt::format("{}", value);
  }
  const uint32_t value = in.u32();
  if (name == "root") return root_name(value);
  return value == trace::kUndefined ? "" : fmt::format("{}", value);
}

/// "receiver=3 comm=0 tag=7 bytes=4096".
std::string named_fields(const trace::Events& events, size_t i) {
  trace::WordReader in(events.fields(i));
  std::string text;
  std::string_view rest = trace::event_fields(events.kind[i]);
  while (!rest.empty()) {
    std::string_view name = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name == "...") break;
    const char suffix = name.back();
    if (suffix == '*' || suffix == '-') name.remove_suffix(1);
    if (!text.empty()) text += ' ';
    text += fmt::format("{}={}", name, value_of(name, suffix, in));
  }
  for (const uint32_t word : in.rest()) text += fmt::format(" {}", word);
  return text;
}

}  // namespace

base::Status export_csv(const trace::Trace& trace, const trace::Selection& selection,
                        const std::filesystem::path& folder, base::Progress& progress) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) {
    return base::Error{base::ErrorCode::kIo,
                       fmt::format("cannot make {}: {}", folder.string(), code.message())};
  }
  progress.begin("writing CSV", "events", trace.event_count());
  TextFile locations(folder / "locations.csv");
  TextFile regions(folder / "regions.csv");
  TextFile calls(folder / "calls.csv");
  TextFile messages(folder / "messages.csv");
  TextFile events(folder / "events.csv");

  locations.print("location,name,type,rank,events\n");
  regions.print("region,name,file,line\n");
  calls.print("location,region,begin_s,end_s,depth,name\n");
  messages.print("sender,receiver,send_s,recv_s,bytes,tag\n");
  events.print("location,time_s,event,fields\n");
  std::vector<std::string> names;  // By Region, as fields.
  for (const auto& region : trace.definitions.regions) {
    names.push_back(field(region.name));
    regions.print("{},{},{},{}\n", region.id, names.back(), field(region.file), region.line);
  }
  for (const trace::Location& location : trace.locations) {
    if (!selection.ranks.empty() && !(location.rank.valid() && selection.has_rank(location.rank))) {
      continue;
    }
    locations.print("{},{},{},{},{}\n", location.id, field(location.name), type_name(location.type),
                    location.rank.valid() ? fmt::format("{}", uint32_t{location.rank}) : "",
                    location.events.size());
    struct Open {
      trace::Region region;
      uint64_t since;
    };
    std::vector<Open> open;
    trace::walk_calls(
        trace.definitions, location.events,
        [&](trace::Region region, uint64_t ticks) {
          open.push_back({region, ticks});
        },
        [&](uint64_t ticks) {
          const Open call = open.back();
          open.pop_back();
          if (ticks < selection.from_ticks || call.since >= selection.until_ticks) return;
          const bool known = call.region.valid();
          calls.print("{},{},{:.9f},{:.9f},{},{}\n", location.id,
                      known ? fmt::format("{}", trace.definitions.regions[call.region].id) : "",
                      trace.seconds(call.since), trace.seconds(ticks), open.size(),
                      known ? names[call.region] : "");
        });
    for (size_t i = 0; i < location.events.size(); ++i) {
      const EventKind kind = location.events.kind[i];
      if (kind == EventKind::kEnter || kind == EventKind::kLeave ||
          !selection.has_time(location.events.ticks[i])) {
        continue;
      }
      events.print("{},{:.9f},{},{}\n", location.id, trace.seconds(location.events.ticks[i]),
                   trace::event_name(kind), named_fields(location.events, i));
    }
    progress.done += location.events.size();
  }
  for (size_t i = 0; i < trace.messages.size(); ++i) {
    if (!selection.has_message(trace.messages, i)) continue;
    messages.print("{},{},{:.9f},{:.9f},{},{}\n", trace.messages.sender[i],
                   trace.messages.receiver[i], trace.seconds(trace.messages.send_ticks[i]),
                   trace.seconds(trace.messages.recv_ticks[i]), trace.messages.bytes[i],
                   trace.messages.tag[i]);
  }
  const auto files = {&locations, &regions, &calls, &messages, &events};
  for (TextFile* file : files) {
    if (auto status = file->flush(); !status) return status;
  }
  for (TextFile* file : files) {
    if (auto status = file->close(); !status) return status;
  }
  return {};
}

}  // namespace pathline::app
