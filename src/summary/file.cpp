// SPDX-License-Identifier: BSD-3-Clause
#include "summary/file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/heap.hpp"
#include "summary/column_file.hpp"
#include "summary/columns.hpp"
#include "summary/message_sizes_file.hpp"
#include "summary/states_file.hpp"
#include "summary/steps_file.hpp"
#include "trace/ranks.hpp"

namespace pathline::summary {
namespace {

/// The numbers of comm::Summary, in the order in which they stand in the file.
template <class Facts, class Visit>
void for_each_fact(Facts& facts, Visit visit) {
  visit(facts.events);
  visit(facts.cpu_threads);
  visit(facts.streams);
  visit(facts.communicators);
  visit(facts.regions_visited);
  visit(facts.hosts);
  visit(facts.messages);
  visit(facts.message_bytes);
  visit(facts.unmatched_sends);
  visit(facts.unmatched_receives);
  visit(facts.collectives);
  visit(facts.io_operations);
  visit(facts.io_bytes_read);
  visit(facts.io_bytes_written);
  visit(facts.marked_steps);
  visit(facts.init_end_ticks);
  visit(facts.finalize_begin_ticks);
}

void write_definitions(const trace::Definitions& definitions, ColumnWriter& out) {
  std::vector<uint32_t> kinds;
  std::vector<uint32_t> lengths;
  std::vector<uint32_t> words;
  std::vector<std::string_view> texts;
  for (size_t i = 0; i < definitions.size(); ++i) {
    kinds.push_back(static_cast<uint32_t>(definitions.kind(i)));
    const auto own = definitions.words(i);
    if (definitions.kind(i) == trace::DefinitionKind::kString) {
      texts.emplace_back(definitions.text(own[1]));
      lengths.push_back(1);
      words.push_back(own[0]);
    } else {
      lengths.push_back(static_cast<uint32_t>(own.size()));
      words.insert(words.end(), own.begin(), own.end());
    }
  }
  out.add("definitions.kind", kinds);
  out.add("definitions.length", lengths);
  out.add("definitions.word", words);
  out.add("definitions.text", texts);
}

void write_run(const trace::Trace& run, std::string_view source, ColumnWriter& out) {
  out.add("run.text", {run.format, run.creator, run.machine, run.description, source});
  std::vector<std::string_view> properties;
  for (const auto& [name, value] : run.properties) {
    properties.emplace_back(name);
    properties.emplace_back(value);
  }
  out.add("run.property", properties);
  out.add("run.warning", std::vector<std::string_view>(run.warnings.begin(), run.warnings.end()));
  out.add("run.number",
          std::vector<uint64_t>{run.start_ticks, run.end_ticks, run.unknown_events,
                                run.unknown_definitions, run.complete ? 1U : 0U, run.rank_count});
  std::vector<uint8_t> complete;
  for (const trace::Location& location : run.locations) complete.push_back(location.complete);
  out.add("locations.complete", complete);
}

void write_profile(const profile::Profile& profile, ColumnWriter& out) {
  std::vector<uint32_t> parent, region, count, path;
  std::vector<uint64_t> visits, exclusive, sent, received;
  for (const profile::CallPathNode& node : profile.call_paths) {
    parent.push_back(node.parent.valid() ? uint32_t{node.parent} : UINT32_MAX);
    region.push_back(node.region.valid() ? uint32_t{node.region} : UINT32_MAX);
  }
  for (const auto& costs : profile.by_location) {
    count.push_back(static_cast<uint32_t>(costs.size()));
    for (const profile::Cost& cost : costs) {
      path.push_back(cost.call_path);
      visits.push_back(cost.visits);
      exclusive.push_back(cost.exclusive_ticks);
      sent.push_back(cost.bytes_sent);
      received.push_back(cost.bytes_received);
    }
  }
  out.add("paths.parent", parent);
  out.add("paths.region", region);
  out.add("profile.location.rows", count);
  out.add("profile.path", path);
  out.add("profile.visits", visits);
  out.add("profile.exclusive_ticks", exclusive);
  out.add("profile.bytes_sent", sent);
  out.add("profile.bytes_received", received);
}

/// Ticks of a pair as the file has them: what is behind them of one or two messages takes nothing.
struct PairTicks {
  std::vector<uint64_t> spread;  ///< From the shortest to the longest.
  /// What all but these two took longer than the shortest; folded().
  std::vector<uint64_t> rest;

  static uint64_t of_two(const comm::Matrix& matrix, size_t pair, uint64_t spread) {
    const uint64_t messages = matrix.traffic.messages[pair];
    return messages * static_cast<uint64_t>(matrix.min_ticks[pair]) + (messages > 1 ? spread : 0);
  }
  static double mean_of(uint64_t sum, uint64_t messages) {
    return static_cast<double>(static_cast<int64_t>(sum)) / static_cast<double>(messages);
  }
  /// returns  false, without `rest`, where a mean does not tell its sum: above 2^51 ticks.
  bool fill(const comm::Matrix& matrix) {
    constexpr double kMostSum = uint64_t{1} << 51U;
    bool tells = true;
    for (size_t i = 0; i < matrix.min_ticks.size(); ++i) {
      spread.push_back(static_cast<uint64_t>(matrix.max_ticks[i]) -
                       static_cast<uint64_t>(matrix.min_ticks[i]));
      const uint64_t messages = matrix.traffic.messages[i];
      const double sum = matrix.mean_ticks[i] * static_cast<double>(messages);
      tells = tells && std::abs(sum) < kMostSum;
      if (!tells) continue;
      const auto ticks = static_cast<uint64_t>(std::llround(sum));
      tells = mean_of(ticks, messages) == matrix.mean_ticks[i];
      rest.push_back(folded(ticks - of_two(matrix, i, spread.back())));
    }
    return tells;
  }
};

void write_matrix(const comm::Matrix& matrix, ColumnWriter& out) {
  out.add("pairs.sender.first", matrix.traffic.row);
  out.add("pairs.receiver", matrix.traffic.receiver);
  out.add("pairs.messages", matrix.traffic.messages);
  out.add("pairs.bytes", matrix.traffic.bytes);
  out.add("pairs.min_ticks", matrix.min_ticks);
  PairTicks ticks;
  if (ticks.fill(matrix)) {
    out.add("pairs.rest_ticks", ticks.rest);
  } else {
    out.add("pairs.mean_ticks", matrix.mean_ticks);
  }
  out.add("pairs.spread_ticks", ticks.spread);
}

void write_waits(const comm::Waits& waits, ColumnWriter& out) {
  std::vector<uint8_t> kind;
  std::vector<uint32_t> rank;
  std::vector<uint64_t> count, ticks;
  for (const comm::WaitRow& row : waits.rows) {
    kind.push_back(static_cast<uint8_t>(row.kind));
    rank.push_back(row.rank);
    count.push_back(row.count);
    ticks.push_back(row.ticks);
  }
  out.add("waits.kind", kind);
  out.add("waits.rank", rank);
  out.add("waits.count", count);
  out.add("waits.ticks", ticks);
  out.add("waits.messages_without_call", std::vector<uint64_t>{waits.messages_without_call});
}

void write_bytes(const trace::ArchiveBytes& bytes, ColumnWriter& out) {
  out.add("bytes.region", bytes.by_region);
  out.add("bytes.location", bytes.by_location);
}

void read_definitions(Columns& in, trace::Trace& run) {
  const auto kinds = in.numbers<uint32_t>("definitions.kind");
  const auto lengths = in.numbers<uint32_t>("definitions.length");
  const auto words = in.numbers<uint32_t>("definitions.word");
  const auto texts = in.texts("definitions.text");
  in.require(kinds.size() == lengths.size(), "definitions", "its columns differ in length");
  if (!in.status()) return;
  size_t word = 0;
  size_t text = 0;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const bool is_text = kinds[i] == static_cast<uint32_t>(trace::DefinitionKind::kString);
    const bool fits = lengths[i] <= words.size() - word && kinds[i] <= UINT8_MAX &&
                      (!is_text || (lengths[i] == 1 && text < texts.size()));
    in.require(fits, "definitions", "definition {} does not fit", i);
    if (!in.status()) return;
    const auto own = std::span<const uint32_t>(words).subspan(word, lengths[i]);
    const auto kind = static_cast<trace::DefinitionKind>(kinds[i]);
    if (is_text) {
      run.definitions.add_string(own[0], texts[text++]);
    } else {
      in.require(trace::definition_fits(kind, own), "definitions",
                 "definition {} has other fields than its kind", i);
      if (!in.status()) return;
      run.definitions.add(kind, own);
    }
    word += lengths[i];
  }
  const base::Status finished = run.definitions.finish();
  if (!finished) in.require(false, "definitions", "{}", finished.error().message);
}

void read_run(Columns& in, trace::Trace& run, std::string& source) {
  auto texts = in.texts("run.text");
  const auto properties = in.texts("run.property");
  auto warnings = in.texts("run.warning");
  const auto numbers = in.numbers<uint64_t>("run.number");
  const auto complete = in.numbers<uint8_t>("locations.complete");
  in.require(texts.size() >= 5 && numbers.size() >= 6 && properties.size() % 2 == 0, "run",
             "it has too few rows");
  in.require(complete.size() == run.definitions.locations.size(), "locations",
             "it has another number of rows than there are locations");
  if (!in.status()) return;
  run.format = std::move(texts[0]);
  run.creator = std::move(texts[1]);
  run.machine = std::move(texts[2]);
  run.description = std::move(texts[3]);
  source = std::move(texts[4]);
  for (size_t i = 0; i < properties.size(); i += 2) {
    run.properties.emplace_back(properties[i], properties[i + 1]);
  }
  run.warnings = std::move(warnings);
  run.start_ticks = numbers[0];
  run.end_ticks = numbers[1];
  run.unknown_events = numbers[2];
  run.unknown_definitions = numbers[3];
  run.complete = numbers[4] != 0;
  in.require(run.start_ticks <= run.end_ticks, "run", "it ends before it starts");
  run.locations.reserve(complete.size());
  base::use_huge_pages(run.locations.data(), complete.size() * sizeof(trace::Location));
  for (size_t i = 0; i < complete.size(); ++i) {
    const trace::LocationDefinition& defined = run.definitions.locations[i];
    trace::Location& location = run.locations.emplace_back();
    location.id = defined.id;
    location.name = defined.name;
    location.type = defined.type;
    location.complete = complete[i] != 0;
  }
  trace::assign_ranks(run);
  // A source of messages alone defines nothing, and has ranks: as many as the matrix.
  if (run.locations.empty() && in.rows<uint64_t>("pairs.sender.first") == numbers[5] + 1) {
    run.rank_count = static_cast<uint32_t>(numbers[5]);
  }
  in.require(run.rank_count == numbers[5], "run", "its definitions make other ranks");
}

comm::Summary read_facts(Columns& in) {
  comm::Summary facts;
  const auto numbers = in.numbers<uint64_t>("facts");
  const auto kinds = in.numbers<uint64_t>("facts.events_by_kind");
  size_t count = 0;
  for_each_fact(facts, [&](uint64_t&) { ++count; });
  in.require(numbers.size() >= count && kinds.size() == facts.events_by_kind.size(), "facts",
             "it has too few rows");
  if (!in.status()) return facts;
  size_t i = 0;
  for_each_fact(facts, [&](uint64_t& fact) { fact = numbers[i++]; });
  std::copy(kinds.begin(), kinds.end(), facts.events_by_kind.begin());
  return facts;
}

profile::Profile read_profile(Columns& in, const trace::Trace& run) {
  const auto parent = in.numbers<uint32_t>("paths.parent");
  const auto region = in.numbers<uint32_t>("paths.region");
  const auto count = in.numbers<uint32_t>("profile.location.rows");
  const auto path = in.numbers<uint32_t>("profile.path");
  const auto visits = in.numbers<uint64_t>("profile.visits");
  const auto exclusive = in.numbers<uint64_t>("profile.exclusive_ticks");
  const auto sent = in.numbers<uint64_t>("profile.bytes_sent");
  const auto received = in.numbers<uint64_t>("profile.bytes_received");
  const size_t rows = path.size();
  in.require(parent.size() == region.size() && visits.size() == rows && exclusive.size() == rows &&
                 sent.size() == rows && received.size() == rows,
             "profile", "its columns differ in length");
  in.require(count.size() == run.locations.size(), "profile",
             "it has another number of locations than the run");
  profile::Profile profile;
  for (uint32_t i = 0; in.status() && i < parent.size(); ++i) {
    in.require((parent[i] == UINT32_MAX || parent[i] < i) &&
                   (region[i] == UINT32_MAX || region[i] < run.definitions.regions.size()),
               "paths", "row {} refers to what does not exist", i);
    profile.call_paths.push_back(
        {parent[i] == UINT32_MAX ? profile::CallPath::none() : profile::CallPath(parent[i]),
         region[i] == UINT32_MAX ? trace::Region::none() : trace::Region(region[i])});
  }
  size_t row = 0;
  for (size_t location = 0; in.status() && location < count.size(); ++location) {
    in.require(count[location] <= rows - row, "profile", "it has too few rows");
    auto& costs = profile.by_location.emplace_back();
    for (const size_t end = row + count[location]; in.status() && row < end; ++row) {
      const bool ascends = costs.empty() || path[row] > costs.back().call_path;
      in.require(ascends && path[row] < parent.size(), "profile",
                 "row {} has no call path that could stand there", row);
      costs.push_back({path[row], visits[row], exclusive[row], sent[row], received[row]});
    }
  }
  return profile;
}

comm::Matrix read_matrix(Columns& in, const trace::Trace& run) {
  comm::Matrix matrix;
  graph::Traffic& traffic = matrix.traffic;
  traffic.row = in.numbers<uint64_t>("pairs.sender.first");
  traffic.receiver = in.numbers<uint32_t>("pairs.receiver");
  traffic.messages = in.numbers<uint64_t>("pairs.messages");
  traffic.bytes = in.numbers<uint64_t>("pairs.bytes");
  matrix.min_ticks = in.numbers<int64_t>("pairs.min_ticks");
  const auto spread = in.numbers<uint64_t>("pairs.spread_ticks");
  const bool has_means = in.has("pairs.mean_ticks");
  if (has_means) matrix.mean_ticks = in.numbers<double>("pairs.mean_ticks");
  const auto rest = has_means ? std::vector<uint64_t>() : in.numbers<uint64_t>("pairs.rest_ticks");
  const size_t rows = traffic.receiver.size();
  in.require(traffic.messages.size() == rows && traffic.bytes.size() == rows &&
                 matrix.min_ticks.size() == rows && spread.size() == rows &&
                 matrix.mean_ticks.size() + rest.size() == rows,
             "pairs", "its columns differ in length");
  in.require(traffic.row.size() == size_t{run.rank_count} + 1 && traffic.row.front() == 0 &&
                 traffic.row.back() == rows &&
                 std::is_sorted(traffic.row.begin(), traffic.row.end()),
             "pairs", "its rows are not those of the senders");
  for (uint32_t sender = 0; in.status() && sender < run.rank_count; ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      const bool ascends =
          i == traffic.row[sender] || traffic.receiver[i] > traffic.receiver[i - 1];
      if (ascends && traffic.receiver[i] < run.rank_count && traffic.messages[i] > 0) continue;
      in.require(false, "pairs", "row {} names no receiver in order", i);
      break;
    }
  }
  if (!in.status()) return matrix;
  matrix.max_ticks.reserve(rows);
  matrix.mean_ticks.reserve(rows);
  for (size_t i = 0; i < rows; ++i) {
    matrix.max_ticks.push_back(
        static_cast<int64_t>(static_cast<uint64_t>(matrix.min_ticks[i]) + spread[i]));
    if (has_means) continue;
    const uint64_t sum = PairTicks::of_two(matrix, i, spread[i]) + unfolded(rest[i]);
    matrix.mean_ticks.push_back(PairTicks::mean_of(sum, traffic.messages[i]));
  }
  return matrix;
}

comm::Waits read_waits(Columns& in, const trace::Trace& run) {
  comm::Waits waits;
  const auto kind = in.numbers<uint8_t>("waits.kind");
  const auto rank = in.numbers<uint32_t>("waits.rank");
  const auto count = in.numbers<uint64_t>("waits.count");
  const auto ticks = in.numbers<uint64_t>("waits.ticks");
  const auto without_call = in.numbers<uint64_t>("waits.messages_without_call");
  const size_t rows = kind.size();
  in.require(rank.size() == rows && count.size() == rows && ticks.size() == rows &&
                 without_call.size() == 1,
             "waits", "its columns differ in length");
  for (size_t i = 0; in.status() && i < rows; ++i) {
    const bool ascends =
        i == 0 || std::pair(kind[i - 1], rank[i - 1]) < std::pair(kind[i], rank[i]);
    in.require(ascends && kind[i] < comm::kWaitKindCount && rank[i] < run.rank_count, "waits",
               "row {} is of no kind and rank that could stand there", i);
    waits.rows.push_back({static_cast<comm::WaitKind>(kind[i]), rank[i], count[i], ticks[i]});
  }
  if (in.status()) waits.messages_without_call = without_call[0];
  return waits;
}

trace::ArchiveBytes read_bytes(Columns& in, const trace::Trace& run) {
  trace::ArchiveBytes bytes{
      in.numbers<uint64_t>("bytes.region"), in.numbers<uint64_t>("bytes.location"), {}};
  in.require(bytes.by_region.size() == run.definitions.regions.size() + 1 &&
                 bytes.by_location.size() == run.locations.size(),
             "bytes", "it has another number of regions or locations than the run");
  return bytes;
}

}  // namespace

bool looks_like_summary(std::span<const uint8_t> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return text.starts_with(kMagic);
}

base::Status write(const RunSummary& summary, const std::filesystem::path& path,
                   uint64_t left_free) {
  ColumnWriter out(path);
  write_definitions(summary.run.definitions, out);
  write_run(summary.run, summary.source, out);
  std::vector<uint64_t> facts;
  for_each_fact(summary.facts, [&](uint64_t fact) { facts.push_back(fact); });
  out.add("facts", facts);
  out.add("facts.events_by_kind", std::span<const uint64_t>(summary.facts.events_by_kind));
  write_profile(summary.profile, out);
  write_matrix(summary.matrix, out);
  write_waits(summary.waits, out);
  if (summary.sizes) write_message_sizes(*summary.sizes, out);
  write_bytes(summary.bytes, out);
  write_steps(summary, out);
  write_archive_index(summary.archive, out);
  write_marks(summary.marks, out);
  if (!summary.judged.empty()) out.add("judged", std::span<const char>(summary.judged));
  // Last, as they get what is left.
  const auto& files = summary.archive.file_bytes;
  const uint64_t budget = file_budget(std::accumulate(files.begin(), files.end(), uint64_t{0}));
  write_states(summary.states, budget - std::min(budget, left_free), out);
  return out.finish();
}

base::Status add_judged(const std::filesystem::path& path, std::string_view judged) {
  const auto file = ColumnReader::open(path);
  if (!file) return file.error();
  ColumnWriter out(path);
  out.take(file.value());
  out.add("judged", std::span<const char>(judged));
  return out.finish();
}

base::Result<RunSummary> read(const std::filesystem::path& path, const Parts& parts) {
  const auto file = ColumnReader::open(path);
  if (!file) return file.error();
  Columns in(file.value());
  RunSummary summary;
  read_definitions(in, summary.run);
  if (in.status()) read_run(in, summary.run, summary.source);
  if (in.status()) summary.facts = read_facts(in);
  if (in.status() && parts.profile) summary.profile = read_profile(in, summary.run);
  if (in.status() && parts.pairs) summary.matrix = read_matrix(in, summary.run);
  if (in.status() && parts.waits) summary.waits = read_waits(in, summary.run);
  if (in.status() && parts.sizes) summary.sizes = read_message_sizes(in, summary.run);
  if (in.status() && parts.bytes) summary.bytes = read_bytes(in, summary.run);
  if (in.status() && parts.steps) summary.steps = read_steps(in, summary.run);
  if (in.status() && parts.judged && file.value().has("judged")) {
    const auto bytes = in.numbers<uint8_t>("judged");
    summary.judged.assign(bytes.begin(), bytes.end());
  }
  if (!in.status()) return in.status().error();
  trace::Trace& run = summary.run;
  if (run.locations.empty()) run.rank_location.assign(run.rank_count, base::IdMap::kNone);
  return summary;
}

}  // namespace pathline::summary
