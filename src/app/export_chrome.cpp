// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/export.hpp"
#include "app/text_file.hpp"
#include "base/text.hpp"
#include "trace/calls.hpp"

namespace pathline::app {
namespace {

std::string json_string(std::string_view text) {
  return nlohmann::json(base::printable(text)).dump();
}

/// Locations without a rank get process numbers above all ranks.
uint32_t process_of(const trace::Trace& trace, const trace::Location& location) {
  return location.rank.valid() ? uint32_t{location.rank} : trace.rank_count;
}

class ChromeWriter {
 public:
  ChromeWriter(const trace::Trace& trace, const trace::Selection& selection, TextFile& out)
      : trace_(trace), selection_(selection), out_(out) {
    for (const auto& region : trace.definitions.regions) names_.push_back(json_string(region.name));
  }

  void write(base::Progress& progress) {
    out_.print("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    for (size_t i = 0; i < trace_.locations.size(); ++i) {
      const trace::Location& location = trace_.locations[i];
      if (wanted(location)) {
        write_names(location, i);
        write_calls(location, i);
        write_metrics(location, i);
      }
      progress.done += location.events.size();
    }
    write_messages();
    out_.print("\n]}}\n");
  }

 private:
  [[nodiscard]] bool wanted(const trace::Location& location) const {
    return selection_.ranks.empty() ||
           (location.rank.valid() && selection_.has_rank(location.rank));
  }
  [[nodiscard]] double us(uint64_t ticks) const { return 1e6 * trace_.seconds(ticks); }
  void begin() {
    if (!first_) out_.print(",\n");
    first_ = false;
  }

  void write_names(const trace::Location& location, size_t thread) {
    const uint32_t process = process_of(trace_, location);
    begin();
    out_.print(
        "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}}},\n",
        process,
        location.rank.valid() ? fmt::format("\"rank {}\"", process) : std::string("\"no rank\""));
    out_.print(
        "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":"
        "{{\"name\":{}}}}}",
        process, thread, json_string(location.name));
  }

  void write_calls(const trace::Location& location, size_t thread) {
    struct Open {
      trace::Region region;
      uint64_t since;
    };
    std::vector<Open> open;
    trace::walk_calls(
        trace_.definitions, location.events,
        [&](trace::Region region, uint64_t ticks) {
          open.push_back({region, ticks});
        },
        [&](uint64_t ticks) {
          const Open call = open.back();
          open.pop_back();
          if (ticks < selection_.from_ticks || call.since >= selection_.until_ticks) return;
          begin();
          out_.print(
              "{{\"ph\":\"X\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":"
              "{:.3f}}}",
              call.region.valid() ? names_[call.region] : std::string("\"?\""),
              process_of(trace_, location), thread, us(call.since),
              1e6 * trace_.span_seconds(ticks - call.since));
        });
  }

  void write_metrics(const trace::Location& location, size_t thread) {
    const trace::Events& events = location.events;
    for (size_t i = 0; i < events.size(); ++i) {
      if (events.kind[i] != trace::EventKind::kMetric) continue;
      if (!selection_.has_time(events.ticks[i])) continue;
      trace::WordReader in(events.fields(i));
      const trace::Metric* metric = trace_.definitions.metric(in.u32());
      const uint32_t count = in.u32();
      for (uint32_t k = 0; k < count; ++k) {
        const uint32_t type = in.u32();
        const uint64_t bits = in.u64();
        if (metric == nullptr || k >= metric->members.size()) continue;
        const auto* member = trace_.definitions.metric_member(metric->members[k]);
        if (member == nullptr) continue;
        constexpr uint32_t kDouble = 10;
        constexpr uint32_t kSigned = 8;
        const double value = type == kDouble   ? std::bit_cast<double>(bits)
                             : type == kSigned ? static_cast<double>(static_cast<int64_t>(bits))
                                               : static_cast<double>(bits);
        if (!std::isfinite(value)) continue;
        begin();
        out_.print(
            "{{\"ph\":\"C\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"args\":"
            "{{\"value\":{}}}}}",
            json_string(fmt::format("{} ({})", member->name, thread)), process_of(trace_, location),
            thread, us(events.ticks[i]), value);
      }
    }
  }

  void write_messages() {
    const trace::Messages& messages = trace_.messages;
    for (size_t i = 0; i < messages.size(); ++i) {
      if (!selection_.has_message(messages, i)) continue;
      const bool has_locations = messages.send_location[i] != base::IdMap::kNone;
      begin();
      out_.print(
          "{{\"ph\":\"s\",\"cat\":\"message\",\"name\":\"message\",\"id\":{},\"pid\":{},"
          "\"tid\":{},\"ts\":{:.3f},\"args\":{{\"bytes\":{},\"tag\":{}}}}},\n",
          i, messages.sender[i], has_locations ? messages.send_location[i] : 0,
          us(messages.send_ticks[i]), messages.bytes[i], messages.tag[i]);
      out_.print(
          "{{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"message\",\"name\":\"message\",\"id\":{},"
          "\"pid\":{},\"tid\":{},\"ts\":{:.3f}}}",
          i, messages.receiver[i], has_locations ? messages.recv_location[i] : 0,
          us(messages.recv_ticks[i]));
    }
  }

  const trace::Trace& trace_;
  const trace::Selection& selection_;
  TextFile& out_;
  std::vector<std::string> names_;
  bool first_ = true;
};

}  // namespace

base::Status export_chrome(const trace::Trace& trace, const trace::Selection& selection,
                           const std::filesystem::path& path, base::Progress& progress) {
  progress.begin("writing JSON", "events", trace.event_count());
  TextFile out(path);
  ChromeWriter(trace, selection, out).write(progress);
  return out.close();
}

}  // namespace pathline::app
