// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "summary/file.hpp"
#include "summary/read_back.hpp"
#include "summary/states_file.hpp"
#include "summary/test_states.hpp"

namespace pathline::summary {

/// For tests only. Everything that can be compared, in a line each.
inline std::vector<std::string> lines(const RunSummary& summary) {
  std::vector<std::string> result;
  const auto add = [&](const std::string& name, const auto&... values) {
    std::string line = name;
    ((line += ' ' + testing::PrintToString(values)), ...);
    result.push_back(line);
  };
  const trace::Trace& run = summary.run;
  add("run", run.format, run.creator, run.machine, run.description, run.properties);
  add("times", run.start_ticks, run.end_ticks, run.rank_count, run.complete);
  for (const std::string& warning : run.warnings) add("warning", warning);
  for (const trace::Location& location : run.locations) {
    add("location", location.id, location.name, uint32_t{location.rank}, location.complete);
  }
  const comm::Summary& facts = summary.facts;
  add("facts", facts.events, facts.events_by_kind, facts.cpu_threads, facts.streams,
      facts.communicators, facts.regions_visited, facts.hosts);
  add("messages", facts.messages, facts.message_bytes, facts.unmatched_sends,
      facts.unmatched_receives, facts.collectives);
  add("io and steps", facts.io_operations, facts.io_bytes_read, facts.io_bytes_written,
      facts.marked_steps);
  for (const profile::CallPathNode& path : summary.profile.call_paths) {
    add("path", uint32_t{path.parent}, uint32_t{path.region});
  }
  for (size_t i = 0; i < summary.profile.by_location.size(); ++i) {
    for (const profile::Cost& cost : summary.profile.by_location[i]) {
      add("cost", i, cost.call_path, cost.visits, cost.exclusive_ticks, cost.bytes_sent,
          cost.bytes_received);
    }
  }
  const comm::Matrix& matrix = summary.matrix;
  for (uint32_t sender = 0; sender < matrix.traffic.rank_count(); ++sender) {
    for (size_t i = matrix.traffic.row[sender]; i < matrix.traffic.row[sender + 1]; ++i) {
      add("pair", sender, matrix.traffic.receiver[i], matrix.traffic.messages[i],
          matrix.traffic.bytes[i], matrix.min_ticks[i], matrix.max_ticks[i], matrix.mean_ticks[i]);
    }
  }
  for (const comm::WaitRow& row : summary.waits.rows) {
    add("wait", comm::wait_name(row.kind), row.rank, row.count, row.ticks);
  }
  add("bytes", summary.bytes.by_region, summary.bytes.by_location);
  add("without call", summary.waits.messages_without_call);
  const comm::MessageSizes sizes = summary.sizes.value_or(comm::MessageSizes());
  const auto add_sum = [&](const char* kind, const comm::SizeSum& of) {
    add(kind, of.min_bytes, of.max_bytes, of.count, of.bytes, of.timed, of.ticks);
  };
  for (const comm::SizeSum& of : sizes.messages) add_sum("messages", of);
  for (const comm::SizeSum& of : sizes.operations) add_sum("operations", of);
  for (const comm::TinyPair& one : sizes.tiny) {
    add("tiny", one.sender, one.receiver, one.count, one.bytes);
  }
  const auto add_counters = [&](const std::string& name, const steps::Counters& of) {
    add(name, of.mpi_ticks, of.io_ticks, of.sent_messages, of.sent_bytes, of.received_messages,
        of.received_bytes, of.read_bytes, of.written_bytes);
  };
  const bool is_packed = !summary.packed_steps.outside().empty();
  const steps::Table steps = is_packed ? summary.packed_steps.table() : summary.steps;
  for (const steps::Row& row : steps.rows) {
    add("step", row.step, row.rank, row.begin_ticks, row.end_ticks, row.recorded);
    add_counters("in it", row.counters);
  }
  for (const steps::Counters& outside : steps.outside) add_counters("outside", outside);
  for (size_t l = 0; l < summary.states.levels.size(); ++l) {
    const StateLevel& level = summary.states.levels[l];
    add("level", level.shift, level.first_bin, level.code, codes_of(summary.states, l),
        level.error);
  }
  for (const trace::LocationEnds& ends : summary.states.ends) {
    add("ends", ends.events, ends.first_ticks, ends.last_ticks, ends.has_calls);
    for (const auto& call : {ends.init, ends.finalize}) {
      if (call) add("call", call->enter, call->leave);
    }
  }
  return result;
}

/// For tests only. What only a run that was read in windows has.
inline std::vector<std::string> archive_lines(const RunSummary& summary) {
  std::vector<std::string> result = {testing::PrintToString(summary.archive.file_bytes),
                                     testing::PrintToString(summary.archive.events)};
  for (const otf2::SeekPoints& places : summary.archive.places) {
    result.push_back(testing::PrintToString(
        std::tuple(places.offset, places.event, places.ticks, places.open_end,
                   std::vector<uint32_t>(places.open.begin(), places.open.end()))));
  }
  for (const auto& file : summary.archive.local_files) {
    result.push_back(testing::PrintToString(file));
  }
  for (const Mark& mark : summary.marks) {
    for (const MarkedMessage& one : mark.messages) {
      result.push_back(testing::PrintToString(std::vector<uint64_t>{
          mark.ticks, one.sender, one.receiver, one.send_location, one.recv_location,
          one.send_ticks, one.send_end_ticks, one.recv_post_ticks, one.recv_ticks, one.bytes,
          one.tag, one.comm}));
    }
  }
  return result;
}

/// For tests only. A file with all that is read only when it is asked for.
inline base::Result<RunSummary> read_all(const std::filesystem::path& file) {
  auto summary = read(file, {.sizes = true});
  if (!summary) return summary;
  RunSummary all = std::move(summary).value();
  const auto columns = ColumnReader::open(file);
  if (!columns) return columns.error();
  auto states = read_state_index(columns.value(), all.run);
  if (!states) return states.error();
  all.states = std::move(states).value();
  for (size_t i = 0; i < all.states.levels.size(); ++i) {
    auto status = read_codes(columns.value(), all.run, i, all.states.levels[i]);
    if (!status) return status.error();
  }
  auto archive = read_archive_index(columns.value(), all.run);
  if (!archive) return archive.error();
  all.archive = std::move(archive).value();
  auto marks = read_marks(columns.value(), all.run);
  if (!marks) return marks.error();
  all.marks = std::move(marks).value();
  return all;
}

}  // namespace pathline::summary
