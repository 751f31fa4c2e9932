// SPDX-License-Identifier: BSD-3-Clause
#include "input/raw_run.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "input/raw_losses.hpp"
#include "input/raw_names.hpp"
#include "input/raw_process.hpp"
#include "input/raw_stream.hpp"
#include "trace/finish.hpp"

namespace pathline::input {
namespace {

namespace fs = std::filesystem;
using trace::DefinitionKind;
using trace::kUndefined;

/// A damaged file may state any number of ranks: so many are believed, or 64 a file.
constexpr uint64_t kLeastRankLimit = 1U << 16U;

class RunReader {
 public:
  RunReader(base::ThreadPool& pool, base::Progress& progress, const RawRunOptions& options)
      : options_(options), pool_(pool), progress_(progress) {}

  base::Result<RawRun> read(const std::vector<fs::path>& files) {
    if (auto status = open(files); !status) return status.error();
    order();
    if (processes_.empty()) {
      return base::Error{base::ErrorCode::kCorrupt, "cannot read " + refused_};
    }
    find_hosts();
    set_clocks();
    names_.emplace(worlds_, (uint64_t{1} << 20U) + 8 * total_bytes_);
    names_->begin(hosts_);
    of_process_ = names_->unify(processes_);
    find_ends();
    read_streams();
    define_locations();
    describe();
    find_losses(processes_, jobs_, *names_, findings_);
    take_counted();
    run_.trace.definitions = names_->take_definitions();
    if (auto status = run_.trace.definitions.finish(); !status) return status.error();
    progress_.begin("matching messages", "", 0);
    trace::finish(run_.trace, pool_, progress_);
    note_ends();
    trace::Trace& trace = run_.trace;
    run_.warnings = findings_.warnings;
    trace.warnings.insert(trace.warnings.begin(), run_.warnings.begin(), run_.warnings.end());
    trace.complete = trace.complete && findings_.complete;
    return std::move(run_);
  }

 private:
  void incomplete(const std::string& what) { findings_.incomplete(what); }
  void warn(const std::string& what) { findings_.warn(what); }

  base::Status open(const std::vector<fs::path>& files) {
    if (files.empty()) {
      return base::Error{base::ErrorCode::kNotFound, "there are no raw files (*.raw)"};
    }
    progress_.begin("opening raw files", "files", files.size());
    std::vector<std::optional<base::Result<chunk::RawFile>>> opened(files.size());
    std::vector<RawDefinitions> definitions(files.size());
    pool_.for_each(files.size(), [&](size_t i) {
      opened[i] = chunk::RawFile::open(files[i]);
      if (*opened[i]) definitions[i] = read_definitions(opened[i]->value());
      ++progress_.done;
    });
    for (size_t i = 0; i < files.size(); ++i) {
      if (!*opened[i]) {
        unreadable_.push_back(opened[i]->error());
        continue;
      }
      processes_.emplace_back(std::move(*opened[i]).value());
      processes_.back().definitions = std::move(definitions[i]);
      for (const auto& stream : processes_.back().file.streams) {
        for (const auto& chunk : stream.chunks) total_bytes_ += chunk.payload.size();
      }
    }
    if (processes_.empty()) return unreadable_.front();
    for (const base::Error& error : unreadable_) incomplete(error.message);
    return {};
  }

  /// When a process began, by the clock on the wall; a process without a clock comes last.
  static uint64_t began_ns(const RawProcess& process) {
    uint64_t first = UINT64_MAX;
    for (const TickPair& pair : process.definitions.realtime_pairs)
      first = std::min(first, pair.ns);
    return first;
  }

  /// How many ranks a world has, by what its files state: what most of them do, if all are in it.
  /// A damaged file must not make up thousands of ranks.
  static uint32_t rank_count_of(const std::vector<const chunk::RawFile*>& files, uint32_t limit) {
    std::map<uint32_t, size_t> votes;
    uint32_t highest = 0;
    for (const chunk::RawFile* file : files) {
      if (file->rank == UINT32_MAX) return 1;
      if (file->rank >= file->rank_count || file->rank_count > limit) continue;
      ++votes[file->rank_count];
      highest = std::max(highest, file->rank);
    }
    uint32_t count = 0;
    for (const auto& [candidate, number] : votes) {
      if (candidate > highest && (count == 0 || number > votes[count])) count = candidate;
    }
    return count;
  }

  /// Sorts the processes by world and rank and numbers them through.
  void order() {
    // A process without MPI is a world of its own.
    using Key = std::pair<uint32_t, uint32_t>;  // World, process if that is no rank.
    const auto key_of = [](const RawProcess& process) {
      const bool alone = process.file.rank == UINT32_MAX;
      return Key(process.file.world, alone ? process.file.process_id : UINT32_MAX);
    };
    std::map<Key, uint64_t> begin;
    for (const RawProcess& process : processes_) {
      const auto [found, added] = begin.try_emplace(key_of(process), UINT64_MAX);
      found->second = std::min(found->second, began_ns(process));
    }
    std::vector<std::pair<uint64_t, Key>> by_time;
    for (const auto& [key, ns] : begin) by_time.emplace_back(ns, key);
    std::sort(by_time.begin(), by_time.end());
    std::map<Key, size_t> world_index;
    for (size_t i = 0; i < by_time.size(); ++i) world_index[by_time[i].second] = i;

    const auto limit = static_cast<uint32_t>(std::min<uint64_t>(
        UINT32_MAX / 4, std::max(kLeastRankLimit / by_time.size(), 64 * processes_.size())));
    std::vector<std::vector<const chunk::RawFile*>> of_world(by_time.size());
    for (const RawProcess& process : processes_) {
      of_world[world_index[key_of(process)]].push_back(&process.file);
    }
    std::vector<uint32_t> counts;
    for (const auto& files : of_world) counts.push_back(rank_count_of(files, limit));
    std::vector<RawProcess> kept;
    std::map<std::pair<size_t, uint32_t>, const chunk::RawFile*> seen;
    std::stable_sort(processes_.begin(), processes_.end(),
                     [&](const RawProcess& a, const RawProcess& b) {
                       return std::tuple(world_index[key_of(a)], a.file.rank) <
                              std::tuple(world_index[key_of(b)], b.file.rank);
                     });
    for (RawProcess& process : processes_) {
      const std::string path = process.file.path().string();
      const bool alone = process.file.rank == UINT32_MAX;
      process.world = world_index[key_of(process)];
      process.rank = alone ? 0 : process.file.rank;
      if (process.rank >= counts[process.world] ||
          (!alone && process.rank >= process.file.rank_count)) {
        refused_ = fmt::format("{}: it states rank {} of {}, which cannot be (offset {})", path,
                               process.file.rank, process.file.rank_count,
                               offsetof(chunk::FileHeader, who));
        incomplete(refused_);
        continue;
      }
      if (!seen.emplace(std::pair(process.world, process.rank), nullptr).second) {
        incomplete(fmt::format("{}: another file of rank {} was read instead", path, process.rank));
        continue;
      }
      kept.push_back(std::move(process));
    }
    processes_ = std::move(kept);
    uint32_t first = 0;
    for (const uint32_t count : counts) {
      worlds_.push_back({first, count});
      first += count;
    }
    rank_count_ = first;
    for (RawProcess& process : processes_) process.rank += worlds_[process.world].first_rank;
    std::vector<bool> present(rank_count_);
    for (const RawProcess& process : processes_) present[process.rank] = true;
    std::set<uint32_t> missing;
    for (uint32_t rank = 0; rank < rank_count_; ++rank) {
      if (!present[rank]) missing.insert(rank);
    }
    if (!missing.empty()) incomplete("there is no raw file of " + rank_list(missing));
    if (worlds_.size() > 1) note_worlds();
  }

  /// Several mpiruns in a script, spawned programs, or ranks that did not find one another because
  /// they were started by another MPI's launcher.
  void note_worlds() {
    constexpr size_t kMostWorlds = 6;
    std::string ranks;
    for (size_t i = 0; i < std::min(worlds_.size(), kMostWorlds); ++i) {
      const World& world = worlds_[i];
      if (i > 0) ranks += ", then ";
      ranks += world.rank_count == 1 ? fmt::format("{}", world.first_rank)
                                     : fmt::format("{}-{}", world.first_rank,
                                                   world.first_rank + world.rank_count - 1);
    }
    if (worlds_.size() > kMostWorlds) ranks += " ...";
    warn(
        fmt::format("the run holds {} MPI programs, each with its own MPI_COMM_WORLD; their ranks "
                    "are numbered through: {}",
                    worlds_.size(), ranks));
  }

  static std::string setting_of(const RawProcess& process, std::string_view key) {
    for (const auto& setting : process.definitions.settings) {
      if (std::string_view(setting).starts_with(key)) {
        return std::string(std::string_view(setting).substr(key.size()));
      }
    }
    return "";
  }

  void find_hosts() {
    for (const RawProcess& process : processes_) {
      const auto index = static_cast<uint32_t>(hosts_.size());
      if (host_index_.emplace(process.file.host, index).second) hosts_.push_back(process.file.host);
    }
  }

  void set_clocks() {
    size_t ignored_pairs = 0;
    size_t ignored_offsets = 0;
    std::set<uint32_t> without_clock;
    for (RawProcess& process : processes_) {
      process.clock = TickClock(process.file.ticks_per_second, process.definitions.clock_pairs,
                                chunk_pairs(process.file));
      ignored_pairs += process.clock.ignored_pairs();
      if (!process.clock.any() && !process.file.streams.empty()) {
        without_clock.insert(process.rank);
      }
      process.offsets = usable_offsets(process.definitions.clock_offsets, ignored_offsets);
      process.life = life_of(process);
      run_.alive = run_.alive || process.life == Life::kAlive;
      run_.may_be_alive = run_.may_be_alive || process.life == Life::kUnknown;
    }
    if (!without_clock.empty()) {
      warn(rank_list(without_clock) + " recorded no time beside the ticks: its times are wrong");
    }
    if (ignored_pairs + ignored_offsets > 0) {
      warn(base::counted(ignored_pairs + ignored_offsets, "clock reading contradicts",
                         "clock readings contradict") +
           " the others and was not used");
    }
    share_counters();
    join_clocks();
    RawClocks& clocks = run_.clocks;
    const auto name = [](chunk::ClockSource source) {
      return source == chunk::ClockSource::kTsc            ? "tsc"
             : source == chunk::ClockSource::kMonotonicRaw ? "monotonic_raw"
                                                           : "unknown";
    };
    clocks.source = name(processes_[0].file.clock);
    clocks.ticks_per_second = processes_[0].clock.ticks_per_second();
    for (const RawProcess& process : processes_) {
      if (process.file.clock != processes_[0].file.clock) clocks.source = "";
    }
  }

  /// The processes of a host read the same counter, so that one conversion serves them all: two,
  /// each as good as its readings, would let messages arrive before they are sent. A process in a
  /// time namespace of its own, which has other nanoseconds, keeps its own.
  void share_counters() {
    constexpr uint64_t kSameNs = 1'000'000;
    std::map<std::string_view, const RawProcess*> best;  // The first with two readings, or any.
    const auto readings = [](const RawProcess& p) { return p.definitions.clock_pairs.size(); };
    for (const RawProcess& process : processes_) {
      if (process.file.clock != chunk::ClockSource::kTsc || !process.clock.any()) continue;
      const RawProcess*& known = best[process.file.host];
      if (known == nullptr || (readings(*known) < 2 && readings(process) >= 2)) known = &process;
    }
    for (RawProcess& process : processes_) {
      if (process.file.clock != chunk::ClockSource::kTsc) continue;
      const auto known = best.find(process.file.host);
      if (known == best.end() || known->second == &process) continue;
      const TickClock& shared = known->second->clock;
      const auto& pairs = process.definitions.clock_pairs;
      const bool same = std::all_of(pairs.begin(), pairs.end(), [&](const TickPair& pair) {
        const uint64_t ns = shared.ns(pair.ticks);
        return (ns > pair.ns ? ns - pair.ns : pair.ns - ns) < kSameNs;
      });
      if (same) process.clock = shared;
    }
  }

  /// Which processes share the clock of rank 0, and where the others get their offset from.
  void join_clocks() {
    std::set<uint32_t> unknown;
    std::set<uint32_t> single;
    for (size_t w = 0; w < worlds_.size(); ++w) join_world(w, unknown, single);
    if (!single.empty()) {
      warn("offset at end missing: the clock of " + rank_list(single) +
           " was compared with that of rank 0 only once, so that a drift could not be corrected");
    }
    if (!unknown.empty()) {
      run_.clocks.synchronised = false;
      warn("the clock of " + rank_list(unknown) +
           " was never compared with that of rank 0: its times cannot be related to others");
    }
  }

  void join_world(size_t world, std::set<uint32_t>& unknown, std::set<uint32_t>& single) {
    // The process of each host that knows most: processes of a host share CLOCK_MONOTONIC.
    std::map<std::string_view, size_t> best;
    std::string_view main_host;
    for (size_t i = 0; i < processes_.size(); ++i) {
      const RawProcess& process = processes_[i];
      if (process.world != world) continue;
      if (process.rank == worlds_[world].first_rank) main_host = process.file.host;
      const auto [found, added] = best.try_emplace(process.file.host, i);
      const auto measured = [&](size_t k) {
        return processes_[k].definitions.clock_offsets.size();
      };
      if (measured(i) > measured(found->second)) found->second = i;
    }
    // Spawned programs measure against the first rank of their own world.
    int64_t shift = 0;
    double shift_error = 0;
    bool related = world == 0;
    for (const RawProcess& process : processes_) {
      if (related || process.world >= world || process.file.host != main_host) continue;
      related = true;
      if (process.offsets.empty()) continue;
      shift = process.offsets[0].offset_ticks;
      shift_error = process.offsets[0].deviation;
    }
    std::vector<std::pair<size_t, std::vector<trace::ClockOffset>>> borrowed;
    for (size_t i = 0; i < processes_.size(); ++i) {
      RawProcess& process = processes_[i];
      if (process.world != world) continue;
      const RawProcess& other = processes_[best[process.file.host]];
      const bool on_main_host = process.file.host == main_host;
      if (process.offsets.empty() && !other.offsets.empty()) {
        borrowed.emplace_back(i, other.offsets);
      } else if (process.offsets.empty() && !on_main_host) {
        unknown.insert(process.rank);
      }
      if (!related) unknown.insert(process.rank);
      const bool measured_once = other.definitions.clock_offsets.size() == 1;
      if (measured_once && !on_main_host && process.rank != worlds_[world].first_rank) {
        single.insert(process.rank);
      }
    }
    for (auto& [i, offsets] : borrowed) processes_[i].offsets = std::move(offsets);
    for (RawProcess& process : processes_) {
      if (process.world != world) continue;
      if (shift != 0 && process.offsets.empty()) {
        process.offsets = {{0, 0, 0}, {1'000'000'000, 0, 0}};
      }
      for (trace::ClockOffset& offset : process.offsets) {
        offset.offset_ticks += shift;
        offset.deviation += shift_error;
        run_.clocks.error_ns =
            std::max(run_.clocks.error_ns,
                     static_cast<uint64_t>(std::min(std::max(offset.deviation, 0.0), 1e18)));
      }
      // What corrects nothing need not be written.
      if (std::all_of(process.offsets.begin(), process.offsets.end(),
                      [](const auto& offset) { return offset.offset_ticks == 0; })) {
        process.offsets.clear();
      }
    }
  }

  /// The region around everything that a process does, and when it died if that is known.
  void find_ends() {
    for (RawProcess& process : processes_) {
      if (!process.file.program.empty()) {
        process.program_region =
            names_->program(fs::path(process.file.program).filename().string());
      }
      // With several programs one after another the end of the command is that of the last.
      const auto& pairs = process.definitions.realtime_pairs;
      const bool died = !process.file.finished && process.life != Life::kAlive;
      if (!died || worlds_.size() != 1 || pairs.empty()) continue;
      const auto [ticks, realtime_ns] = pairs.back();
      const auto later = static_cast<int64_t>(options_.ended_realtime_ns - realtime_ns);
      constexpr int64_t kLongest = 366LL * 86400 * 1'000'000'000;
      if (std::abs(later) > kLongest || static_cast<int64_t>(ticks) + later < 0) continue;
      process.end_ns = OffsetClock(process.offsets).global_ns(ticks + static_cast<uint64_t>(later));
    }
  }

  void read_streams() {
    for (size_t i = 0; i < processes_.size(); ++i) {
      const size_t before = jobs_.size();
      for (const chunk::StreamChunks& stream : processes_[i].file.streams) {
        if (stream.stream != chunk::kDefinitionStream) jobs_.push_back({i, &stream, {}});
      }
      if (jobs_.size() == before) jobs_.push_back({i, nullptr, {}});
    }
    progress_.begin("reading raw files", "B", total_bytes_);
    pool_.for_each(jobs_.size(), [&](size_t i) {
      StreamJob& job = jobs_[i];
      if (job.stream == nullptr) return;
      job.result =
          read_stream(processes_[job.process], *job.stream, of_process_[job.process], *names_);
      for (const auto& chunk : job.stream->chunks) progress_.done += chunk.payload.size();
    });
    // Numbers for what is not defined, in the order of the streams.
    std::map<std::tuple<size_t, size_t, uint64_t>, uint32_t> made;
    std::set<uint32_t> nameless;
    for (StreamJob& job : jobs_) {
      std::vector<uint32_t> numbers[kEntityCount];
      bool any = false;
      for (size_t kind = 0; kind < kEntityCount; ++kind) {
        for (const uint64_t id : job.result.undefined[kind]) {
          const auto [found, added] = made.try_emplace({kind, job.process, id}, 0U);
          if (added) {
            found->second =
                names_->placeholder(static_cast<Entity>(kind), id, processes_[job.process]);
          }
          numbers[kind].push_back(found->second);
          any = true;
        }
      }
      if (!any) continue;
      nameless.insert(processes_[job.process].rank);
      replace_placeholders(job.result.events, numbers);
    }
    if (!nameless.empty()) {
      incomplete("the definitions of " + base::counted(made.size(), "name", "names") +
                 " that events of " + rank_list(nameless) + " use are not in the recording");
    }
  }

  void define_locations() {
    run_.trace.locations.reserve(rank_count_ + jobs_.size());
    std::vector<uint64_t> members;
    size_t job = 0;
    size_t process = 0;
    for (uint32_t rank = 0; rank < rank_count_; ++rank) {
      const bool present = process < processes_.size() && processes_[process].rank == rank;
      const uint32_t node =
          present ? host_index_.find(processes_[process].file.host)->second + 1 : kUndefined;
      size_t world = 0;
      while (world + 1 < worlds_.size() && worlds_[world + 1].first_rank <= rank) ++world;
      const std::string name = world == 0 ? fmt::format("MPI Rank {}", rank)
                                          : fmt::format("MPI Rank {} of world {}",
                                                        rank - worlds_[world].first_rank, world);
      names_->define(DefinitionKind::kLocationGroup,
                     {rank, names_->text(name), 1, node, kUndefined});
      bool first = true;
      while (present && job < jobs_.size() && jobs_[job].process == process) {
        add_location(rank, jobs_[job++], first ? &members : nullptr);
        first = false;
      }
      if (first) {
        StreamJob none{0, nullptr, {}};
        add_location(rank, none, &members);
      }
      if (present) ++process;
    }
    names_->define_ranks(members);
  }

  void add_location(uint32_t rank, StreamJob& job, std::vector<uint64_t>* members) {
    const uint32_t stream = job.stream == nullptr ? 0 : job.stream->stream;
    trace::Location& location = run_.trace.locations.emplace_back();
    location.id = uint64_t{stream} << 32U | rank;
    location.name = stream == 0 ? "Master thread" : fmt::format("Thread {}", stream);
    location.type = trace::LocationType::kCpuThread;
    if (job.stream != nullptr) {
      const RawProcess& process = processes_[job.process];
      for (const auto& named : process.definitions.streams) {
        if (named.id == stream && !named.text.empty()) location.name = named.text;
      }
      job.event_count = job.result.events.size();
      location.events = std::move(job.result.events);
      location.clock_offsets = process.offsets;
    }
    const uint64_t count = location.events.size();
    names_->define(DefinitionKind::kLocation,
                   {rank, stream, names_->text(location.name), static_cast<uint32_t>(location.type),
                    static_cast<uint32_t>(count), static_cast<uint32_t>(count >> 32U), rank});
    if (members != nullptr) members->push_back(location.id);
  }

  /// Clock, creator and settings.
  void describe() {
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    for (const trace::Location& location : run_.trace.locations) {
      if (location.events.size() == 0) continue;
      first = std::min(first, location.events.ticks[0]);
      last = std::max(last, location.events.ticks[location.events.size() - 1]);
    }
    if (first > last) first = last = 0;
    uint64_t realtime = UINT64_MAX;
    if (!processes_[0].definitions.realtime_pairs.empty()) {
      const RawProcess& process = processes_[0];
      const TickPair& pair = process.definitions.realtime_pairs[0];
      const uint64_t global = OffsetClock(process.offsets).global_ns(pair.ticks);
      const auto since = static_cast<int64_t>(first - global);
      realtime = pair.ns + static_cast<uint64_t>(since);
      if (realtime > INT64_MAX) realtime = UINT64_MAX;
    }
    const auto low = [](uint64_t value) { return static_cast<uint32_t>(value); };
    const auto high = [](uint64_t value) { return static_cast<uint32_t>(value >> 32U); };
    const uint64_t length = last - first;
    constexpr uint64_t kTicksPerSecond = 1'000'000'000;
    names_->define(DefinitionKind::kClockProperties,
                   {low(kTicksPerSecond), high(kTicksPerSecond), low(first), high(first),
                    low(length), high(length), low(realtime), high(realtime)});
    run_.trace.format = "Pathline raw files";
    run_.trace.creator = "Pathline " PATHLINE_VERSION;
    for (const std::string_view text : processes_[0].definitions.settings) {
      const size_t equals = text.find('=');
      if (equals == std::string_view::npos) continue;
      run_.settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }

  void take_counted() {
    for (size_t i = 0; i < processes_.size(); ++i) {
      const RawProcess& process = processes_[i];
      const auto& regions = of_process_[i].tables[static_cast<size_t>(Entity::kRegion)];
      const double rate = process.clock.ticks_per_second();
      for (const auto& entry : process.definitions.profile) {
        const uint32_t region = regions.find(entry.region);
        run_.counted.push_back({.rank = process.rank,
                                .thread = static_cast<uint32_t>(entry.stream),
                                .region = region == UINT32_MAX
                                              ? fmt::format("<region {}>", entry.region)
                                              : names_->region_names[region],
                                .calls = entry.calls,
                                .exclusive_s = static_cast<double>(entry.ticks) / rate});
      }
    }
  }

  /// What is known of each process, now that times have a start.
  void note_ends() {
    std::vector<uint64_t> last(rank_count_, 0);
    std::vector<uint32_t> threads(rank_count_, 0);
    for (const trace::Location& location : run_.trace.locations) {
      const auto rank = static_cast<uint32_t>(location.id);
      ++threads[rank];
      const trace::Events& events = location.events;
      if (events.size() > 0) last[rank] = std::max(last[rank], events.ticks[events.size() - 1]);
    }
    for (const RawProcess& process : processes_) {
      const chunk::RawFile& file = process.file;
      run_.processes.push_back(
          {.rank = process.rank,
           .world = static_cast<uint32_t>(process.world),
           .world_rank = process.rank - worlds_[process.world].first_rank,
           .process_id = file.process_id,
           .host = file.host,
           .program = file.program,
           .cpus = setting_of(process, "cpus="),
           .threads = threads[process.rank],
           .finished = file.finished,
           .alive = process.life == Life::kAlive,
           .loss = file.loss,
           .loss_errno = file.loss_errno,
           .lost_events = file.lost_events,
           .overwritten_bytes = file.overwritten_bytes,
           .last_s = last[process.rank] == 0 ? 0 : run_.trace.seconds(last[process.rank])});
    }
  }

  const RawRunOptions options_;
  base::ThreadPool& pool_;
  base::Progress& progress_;
  RawRun run_;
  Findings findings_;
  std::string refused_;
  std::vector<base::Error> unreadable_;
  std::vector<RawProcess> processes_;  // By world, then rank.
  std::vector<World> worlds_;
  uint32_t rank_count_ = 0;
  uint64_t total_bytes_ = 0;
  std::vector<std::string> hosts_;
  std::map<std::string, uint32_t> host_index_;
  std::optional<RunNames> names_;
  std::vector<ProcessNames> of_process_;
  std::vector<StreamJob> jobs_;
};

}  // namespace

std::vector<fs::path> raw_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::recursive_directory_iterator i(folder, code), end; !code && i != end;
       i.increment(code)) {
    if (i->path().extension() == ".raw") files.push_back(i->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

base::Result<RawRun> read_raw_run(const std::vector<fs::path>& files, base::ThreadPool& pool,
                                  base::Progress& progress, const RawRunOptions& options) {
  return RunReader(pool, progress, options).read(files);
}

bool any_alive(const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [](const fs::path& path) {
    auto opened = chunk::RawFile::open(path);
    if (!opened || opened.value().finished) return false;
    RawProcess process(std::move(opened).value());
    process.definitions = read_definitions(process.file);
    return life_of(process) == Life::kAlive;
  });
}

}  // namespace pathline::input
