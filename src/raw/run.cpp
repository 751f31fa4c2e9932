// SPDX-License-Identifier: BSD-3-Clause
#include "raw/run.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "raw/join_clocks.hpp"
#include "raw/losses.hpp"
#include "raw/names.hpp"
#include "raw/placeholders.hpp"
#include "raw/process.hpp"
#include "raw/stream.hpp"
#include "raw/worlds.hpp"
#include "trace/finish.hpp"

namespace pathline::raw {
namespace {

namespace fs = std::filesystem;
using trace::DefinitionKind;
using trace::kUndefined;

class RunReader {
 public:
  RunReader(base::ThreadPool& pool, base::Progress& progress, const RunOptions& options)
      : options_(options), pool_(pool), progress_(progress) {}

  base::Result<Run> read(const std::vector<fs::path>& files) {
    if (auto status = open(files); !status) return status.error();
    Ranks ranks = number_ranks(processes_, findings_);
    if (processes_.empty()) {
      return base::Error{base::ErrorCode::kCorrupt, "cannot read " + ranks.refused};
    }
    worlds_ = std::move(ranks.worlds);
    rank_count_ = ranks.rank_count;
    find_hosts();
    look_who_lives();
    run_.clocks = join_clocks(processes_, worlds_, findings_);
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
    pool_.for_each(run_.trace.locations.size(),
                   [&](size_t i) { run_.trace.locations[i].events.pack(run_.trace.arena.get()); });
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

  base::Status open(const std::vector<fs::path>& files) {
    if (files.empty()) {
      return base::Error{base::ErrorCode::kNotFound, "there are no raw files (*.raw)"};
    }
    progress_.begin("opening raw files", "files", files.size());
    std::vector<std::optional<base::Result<chunk::RawFile>>> opened(files.size());
    std::vector<Definitions> definitions(files.size());
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

  static std::string setting_of(const Process& process, std::string_view key) {
    for (const auto& setting : process.definitions.settings) {
      if (std::string_view(setting).starts_with(key)) {
        return std::string(std::string_view(setting).substr(key.size()));
      }
    }
    return "";
  }

  void find_hosts() {
    for (const Process& process : processes_) {
      const auto index = static_cast<uint32_t>(hosts_.size());
      if (host_index_.emplace(process.file.host, index).second) hosts_.push_back(process.file.host);
    }
  }

  void look_who_lives() {
    for (Process& process : processes_) {
      process.life = life_of(process);
      run_.alive = run_.alive || process.life == Life::kAlive;
      run_.may_be_alive = run_.may_be_alive || process.life == Life::kUnknown;
    }
  }

  /// The region around everything that a process does, and when it died if that is known.
  void find_ends() {
    for (Process& process : processes_) {
      if (!process.file.program.empty()) {
        process.program_region =
            names_->program(fs::path(process.file.program).filename().string());
      }
      // With several programs one after another the end of the command is that of the last.
      const auto& pairs = process.definitions.realtime_pairs;
      const bool died = !process.file.finished && process.life != Life::kAlive;
      // Simulated time has nothing to do with that of the command.
      const bool simulated = process.file.clock == chunk::ClockSource::kSimulated;
      if (!died || simulated || worlds_.size() != 1 || pairs.empty()) continue;
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
    for (size_t first = 0; first < jobs_.size();) {
      std::vector<Stream*> streams;
      const size_t process = jobs_[first].process;
      for (; first < jobs_.size() && jobs_[first].process == process; ++first) {
        streams.push_back(&jobs_[first].result);
      }
      end_teams(streams);
    }
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
      const Process& process = processes_[job.process];
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
      const Process& process = processes_[0];
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
      const Process& process = processes_[i];
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
    for (const Process& process : processes_) {
      const chunk::RawFile& file = process.file;
      run_.processes.push_back(
          {.rank = process.rank,
           .world = static_cast<uint32_t>(process.world),
           .world_rank = process.rank - worlds_[process.world].first_rank,
           .process_id = file.process_id,
           .host = file.host,
           .program = file.program,
           .cpus = setting_of(process, "cpus="),
           .switches = setting_of(process, "switches="),
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

  const RunOptions options_;
  base::ThreadPool& pool_;
  base::Progress& progress_;
  Run run_;
  Findings findings_;
  std::vector<base::Error> unreadable_;
  std::vector<Process> processes_;  // By world, then rank.
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

std::vector<fs::path> find_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::recursive_directory_iterator i(folder, code), end; !code && i != end;
       i.increment(code)) {
    if (i->path().extension() == ".raw") files.push_back(i->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

base::Result<Run> read_run(const std::vector<fs::path>& files, base::ThreadPool& pool,
                           base::Progress& progress, const RunOptions& options) {
  return RunReader(pool, progress, options).read(files);
}

bool any_alive(const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [](const fs::path& path) {
    auto opened = chunk::RawFile::open(path);
    if (!opened || opened.value().finished) return false;
    Process process(std::move(opened).value());
    process.definitions = read_definitions(process.file);
    return life_of(process) == Life::kAlive;
  });
}

}  // namespace pathline::raw
