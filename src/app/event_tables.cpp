// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "app/run_tables.hpp"
#include "base/arena.hpp"
#include "base/column.hpp"
#include "base/packed_column.hpp"
#include "base/text.hpp"
#include "summary/states_file.hpp"

namespace pathline::app {
namespace {

using trace::EventKind;

std::string type_name(trace::LocationType type) {
  switch (type) {
    case trace::LocationType::kCpuThread: return "cpu_thread";
    case trace::LocationType::kAcceleratorStream: return "accelerator_stream";
    case trace::LocationType::kMetric: return "metric";
    case trace::LocationType::kUnknown: break;
  }
  return "unknown";
}

/// Events of a location that stand together.
struct Rows {
  size_t first;
  size_t count;
};

Rows rows_of(const trace::Events& events, const trace::Selection& selection) {
  const auto first_from = [&](uint64_t ticks) {
    const auto found = std::lower_bound(events.ticks.begin(), events.ticks.end(), ticks);
    return static_cast<size_t>(found - events.ticks.begin());
  };
  const size_t first = selection.from_ticks == 0 ? 0 : first_from(selection.from_ticks);
  const size_t end =
      selection.until_ticks == UINT64_MAX ? events.size() : first_from(selection.until_ticks);
  return {first, end - std::min(first, end)};
}

/// Codes of kinds of events and of regions; the names of each are the same for all locations.
class EventCodes {
 public:
  explicit EventCodes(const trace::Trace& trace) {
    std::array<bool, 256> seen{};
    for (const trace::Location& location : trace.locations) {
      for (const EventKind kind : location.events.kind) seen[static_cast<uint8_t>(kind)] = true;
    }
    for (size_t kind = 0; kind < seen.size(); ++kind) {
      if (!seen[kind]) continue;
      code_of_kind_[kind] =
          static_cast<int8_t>(kinds_.code(trace::event_name(static_cast<EventKind>(kind))));
    }
    none_ = regions_.code("");
    for (const auto& region : trace.definitions.regions) {
      code_of_region_.push_back(regions_.code(base::printable(region.name)));
    }
  }

  /// Fills from `to` on.
  void fill(const trace::Trace& trace, const trace::Events& events, const Rows& rows, size_t to,
            base::Column<double>& time_s, base::Column<int8_t>& event,
            base::Column<int32_t>& region) const {
    for (size_t i = rows.first; i < rows.first + rows.count; ++i, ++to) {
      time_s[to] = trace.seconds(events.ticks[i]);
      const EventKind kind = events.kind[i];
      event[to] = code_of_kind_[static_cast<uint8_t>(kind)];
      const bool is_call = kind == EventKind::kEnter || kind == EventKind::kLeave ||
                           kind == EventKind::kUnmatchedLeave;
      region[to] = is_call ? code(events.region(i)) : none_;
    }
  }

  void add_columns(DataTable& table, base::Column<double> time_s, base::Column<int8_t> event,
                   base::Column<int32_t> region) const {
    table.rows = time_s.size();
    table.columns.push_back(own_column("time_s", std::move(time_s)));
    table.columns.push_back(own_column("event", std::move(event)));
    table.columns.back().names = kinds_.names();
    table.columns.push_back(own_column("region", std::move(region)));
    table.columns.back().names = regions_.names();
  }

 private:
  [[nodiscard]] int32_t code(trace::Region region) const {
    return region.valid() && region < code_of_region_.size() ? code_of_region_[region] : none_;
  }

  Dictionary kinds_;
  Dictionary regions_;
  std::array<int8_t, 256> code_of_kind_{};
  std::vector<int32_t> code_of_region_;
  int32_t none_ = 0;
};

template <class T>
void copy_to(T* place, const base::PackedColumn<T>& packed, const Rows& rows) {
  for (size_t i = 0; i < rows.count; ++i) place[i] = packed[rows.first + i];
}

template <class T>
base::Column<T> unpacked(const base::PackedColumn<T>& packed, const Rows& rows) {
  base::Column<T> values(rows.count);
  copy_to(values.data(), packed, rows);
  return values;
}

template <class T>
std::span<std::byte> bytes_of(base::Column<T>& column) {
  return {reinterpret_cast<std::byte*>(column.data()), column.size() * sizeof(T)};
}

template <class T>
DataColumn chosen(std::string name, const base::PackedColumn<T>& values,
                  const std::vector<uint32_t>& rows) {
  std::vector<T> kept;
  kept.reserve(rows.size());
  for (const uint32_t row : rows) kept.push_back(values[row]);
  return own_column(std::move(name), std::move(kept));
}

DataTable locations_of(const trace::Trace& run,
                       const std::vector<std::optional<uint64_t>>& events) {
  std::vector<uint64_t> ids;
  std::vector<std::string> names;
  std::vector<std::string> types;
  std::vector<std::optional<uint64_t>> ranks;
  for (const trace::Location& location : run.locations) {
    ids.push_back(location.id);
    names.push_back(base::printable(location.name));
    types.push_back(type_name(location.type));
    ranks.push_back(location.rank.valid() ? std::optional<uint64_t>(uint32_t{location.rank})
                                          : std::nullopt);
  }
  DataTable table{.rows = ids.size()};
  table.columns.push_back(own_column("location", std::move(ids)));
  table.columns.push_back(text_column("name", names));
  table.columns.push_back(text_column("type", types));
  table.columns.push_back(optional_column("rank", ranks));
  table.columns.push_back(optional_column("events", events));
  return table;
}

DataTable regions_of(const trace::Definitions& definitions) {
  std::vector<uint32_t> ids;
  std::vector<std::string> names;
  std::vector<std::string> files;
  std::vector<uint32_t> lines;
  for (const auto& region : definitions.regions) {
    ids.push_back(region.id);
    names.push_back(base::printable(region.name));
    files.push_back(base::printable(region.file));
    lines.push_back(region.line);
  }
  DataTable table{.rows = ids.size()};
  table.columns.push_back(own_column("region", std::move(ids)));
  table.columns.push_back(text_column("name", names));
  table.columns.push_back(text_column("file", files));
  table.columns.push_back(own_column("line", std::move(lines)));
  return table;
}

}  // namespace

DataTable messages_table(const SharedTrace& trace, const trace::Selection& selection) {
  const trace::Messages& messages = trace->messages;
  DataTable table;
  const bool all = selection.everything();
  std::vector<uint32_t> rows;
  for (size_t i = 0; !all && i < messages.size(); ++i) {
    if (selection.has_message(messages, i)) rows.push_back(static_cast<uint32_t>(i));
  }
  table.rows = all ? messages.size() : rows.size();
  const auto add = [&]<class T>(const char* name, const base::PackedColumn<T>& values) {
    table.columns.push_back(all ? own_column(name, unpacked(values, {0, values.size()}))
                                : chosen(name, values, rows));
  };
  const auto add_seconds = [&](const char* name, const base::PackedColumn<uint64_t>& ticks) {
    std::vector<double> seconds(table.rows);
    for (size_t i = 0; i < seconds.size(); ++i)
      seconds[i] = trace->seconds(ticks[all ? i : rows[i]]);
    table.columns.push_back(own_column(name, std::move(seconds)));
  };
  add("sender", messages.sender);
  add("receiver", messages.receiver);
  add_seconds("send_s", messages.send_ticks);
  add_seconds("recv_s", messages.recv_ticks);
  add("bytes", messages.bytes);
  add("tag", messages.tag);
  add("send_ticks", messages.send_ticks);
  add("recv_ticks", messages.recv_ticks);
  return table;
}

DataTable locations_table(const SharedTrace& trace) {
  std::vector<std::optional<uint64_t>> events;
  for (const trace::Location& location : trace->locations) {
    events.emplace_back(location.events.size());
  }
  return locations_of(*trace, events);
}

base::Result<DataTable> locations_table(const SummaryFile& file) {
  const trace::Trace& run = file.tables->run;
  const auto columns = summary::ColumnReader::open(file.path);
  if (!columns) return columns.error();
  const auto states = summary::read_state_index(columns.value(), run);
  if (!states) return states.error();
  std::vector<std::optional<uint64_t>> events(run.locations.size());
  for (size_t i = 0; i < states.value().ends.size(); ++i) events[i] = states.value().ends[i].events;
  return locations_of(run, events);
}

DataTable regions_table(const SharedTrace& trace) { return regions_of(trace->definitions); }

DataTable regions_table(const SummaryFile& file) {
  return regions_of(file.tables->run.definitions);
}

DataTable events_table(const SharedTrace& trace, uint32_t location,
                       const trace::Selection& selection) {
  const trace::Events& events = trace->locations[location].events;
  const Rows rows = rows_of(events, selection);
  const EventCodes codes(*trace);
  base::Column<double> time_s(rows.count);
  base::Column<int8_t> event(rows.count);
  base::Column<int32_t> region(rows.count);
  codes.fill(*trace, events, rows, 0, time_s, event, region);
  DataTable table;
  codes.add_columns(table, std::move(time_s), std::move(event), std::move(region));
  table.columns.push_back(own_column("ticks", unpacked(events.ticks, rows)));
  return table;
}

DataTable events_table(const SharedTrace& trace, const trace::Selection& selection,
                       base::ThreadPool& pool) {
  std::vector<Rows> rows;
  std::vector<size_t> first(trace->locations.size() + 1, 0);
  for (size_t i = 0; i < trace->locations.size(); ++i) {
    rows.push_back(rows_of(trace->locations[i].events, selection));
    first[i + 1] = first[i] + rows[i].count;
  }
  const size_t count = first.back();
  const EventCodes codes(*trace);
  base::Column<uint64_t> location(count);
  base::Column<uint64_t> ticks(count);
  base::Column<double> time_s(count);
  base::Column<int8_t> event(count);
  base::Column<int32_t> region(count);
  // All will be written: their pages are asked for at once.
  const std::array<std::span<std::byte>, 5> memory = {
      bytes_of(location), bytes_of(ticks), bytes_of(time_s), bytes_of(event), bytes_of(region)};
  pool.for_each(memory.size(),
                [&](size_t i) { base::populate(memory[i].data(), memory[i].size()); });
  pool.for_each(trace->locations.size(), [&](size_t i) {
    const trace::Events& events = trace->locations[i].events;
    std::fill_n(location.data() + first[i], rows[i].count, trace->locations[i].id);
    copy_to(ticks.data() + first[i], events.ticks, rows[i]);
    codes.fill(*trace, events, rows[i], first[i], time_s, event, region);
  });
  DataTable table;
  table.columns.push_back(own_column("location", std::move(location)));
  codes.add_columns(table, std::move(time_s), std::move(event), std::move(region));
  table.columns.push_back(own_column("ticks", std::move(ticks)));
  return table;
}

}  // namespace pathline::app
