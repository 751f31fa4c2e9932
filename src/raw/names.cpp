// SPDX-License-Identifier: BSD-3-Clause
#include "raw/names.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/varint.hpp"
#include "raw/world_sides.hpp"
#include "trace/cpu_time.hpp"

namespace pathline::raw {
namespace {

using trace::DefinitionKind;
using trace::GroupType;
using trace::kUndefined;

constexpr uint32_t kSelfNumber = 1;
constexpr uint64_t kGroupOnly = 2;
constexpr uint8_t kLastRole = static_cast<uint8_t>(trace::RegionRole::kFileIoMetadata);
constexpr uint8_t kParadigmUser = 1;
constexpr uint32_t kRoleCode = 4;
constexpr uint32_t kFlagPhase = 2;
constexpr uint8_t kTypeDouble = 10;
constexpr uint8_t kTypeUint64 = 4;
constexpr uint8_t kLastParadigm = 20;

uint32_t narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX));
}

}  // namespace

/// A communicator as several processes know it.
struct RunNames::Shared {
  size_t world;
  bool is_world;
  bool is_self;
  uint64_t kind;
  std::string_view name;
  std::vector<uint64_t> members[2];
  size_t owner[2] = {SIZE_MAX, SIZE_MAX};  // The process that listed the members.
  Definitions::OtherWorld other{};         // If the other side is one: size > 0.
};

uint32_t RunNames::text(std::string_view text) {
  // OTF2 strings end at a zero.
  text = text.substr(0, text.find('\0'));
  const auto [found, added] =
      texts_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (added) texts_in_order_.push_back(found->first);
  return found->second;
}

uint32_t RunNames::region(std::string_view name, uint32_t role, uint32_t paradigm,
                          std::string_view file, uint32_t line, uint32_t flags,
                          std::string_view description) {
  // Score-P's name for where MPI functions come from; Scalasca knows them by it.
  if (file.empty() && paradigm == trace::kParadigmMpi) file = "MPI";
  const uint32_t name_text = text(name);
  const uint32_t file_text = file.empty() ? kUndefined : text(file);
  const uint32_t description_text = text(description);
  const auto [found, added] =
      regions_.try_emplace({name_text, role, paradigm, file_text, line, description_text},
                           static_cast<uint32_t>(region_names.size()));
  if (added) {
    region_names.emplace_back(name);
    if (name == "MPI_Finalize" && paradigm == trace::kParadigmMpi) finalize_region = found->second;
    define(DefinitionKind::kRegion, {found->second, name_text, name_text, description_text, role,
                                     paradigm, flags, file_text, line, 0});
  }
  return found->second;
}

uint32_t RunNames::program(std::string_view name) {
  return region(name, static_cast<uint32_t>(trace::RegionRole::kFunction), kParadigmUser, "", 0);
}

void RunNames::define_group(uint32_t id, GroupType type, const std::vector<uint64_t>& members,
                            uint8_t paradigm) {
  std::vector<uint32_t> words = {id,       text(""), static_cast<uint32_t>(type),
                                 paradigm, 0,        static_cast<uint32_t>(members.size())};
  for (const uint64_t member : members) {
    words.push_back(static_cast<uint32_t>(member));
    words.push_back(static_cast<uint32_t>(member >> 32U));
  }
  define(DefinitionKind::kGroup, std::move(words));
}

void RunNames::begin(const std::vector<std::string>& hosts) {
  text("");
  const auto paradigm = [&](uint32_t id, const char* name) {
    define(DefinitionKind::kParadigm, {id, text(name), 0});
  };
  paradigm(trace::kParadigmMpi, "MPI");
  paradigm(kParadigmUser, "User");
  define(DefinitionKind::kParameter, {step_parameter, text("step"), 1});
  define(DefinitionKind::kParameter, {count_parameter, text(trace::kPollCount), 2});
  define(DefinitionKind::kParameter, {neighbor_parameter, text(trace::kNeighbor), 2});
  define(DefinitionKind::kParameter, {neighbor_bytes_parameter, text(trace::kNeighborBytes), 2});
  define(DefinitionKind::kParameter, {work_parameter, text(trace::kWorkBetweenPolls), 2});
  define(DefinitionKind::kAttribute,
         {time_attribute, text("time"), text("Time of the simulation"), kTypeDouble});
  // First of all regions, so that no other of this name can be taken for it.
  step_region = region("time step", kRoleCode, kParadigmUser, "", 0, kFlagPhase);
  define(DefinitionKind::kSystemTreeNode, {0, text("machine"), text("machine"), kUndefined});
  define(DefinitionKind::kSystemTreeNodeDomain, {0, 0});
  for (uint32_t i = 0; i < hosts.size(); ++i) {
    define(DefinitionKind::kSystemTreeNode, {i + 1, text(hosts[i]), text("node"), 0});
    define(DefinitionKind::kSystemTreeNodeDomain, {i + 1, 1});
  }
}

trace::Definitions RunNames::take_definitions() {
  const auto place = [](const Pending& entry) {
    switch (entry.kind) {
      case DefinitionKind::kClockProperties: return 0;
      case DefinitionKind::kParadigm:
      case DefinitionKind::kIoParadigm:
      case DefinitionKind::kParameter:
      case DefinitionKind::kAttribute: return 1;
      case DefinitionKind::kSystemTreeNode: return 2;
      case DefinitionKind::kSystemTreeNodeDomain: return 3;
      case DefinitionKind::kLocationGroup: return 4;
      case DefinitionKind::kLocation: return 5;
      case DefinitionKind::kRegion: return 6;
      // Lists of locations before groups, whose members are places in them; in order of their ids.
      case DefinitionKind::kGroup:
        if (entry.words[0] == kLocationsGroup) return 7;
        return entry.words[2] == static_cast<uint32_t>(GroupType::kCommLocations) ? 8 : 9;
      case DefinitionKind::kComm:
      case DefinitionKind::kInterComm: return 10;
      default: return 11;
    }
  };
  std::stable_sort(pending_.begin(), pending_.end(),
                   [&](const Pending& a, const Pending& b) { return place(a) < place(b); });
  trace::Definitions definitions;
  for (uint32_t i = 0; i < texts_in_order_.size(); ++i) {
    definitions.add_string(i, texts_in_order_[i]);
  }
  for (const Pending& entry : pending_) definitions.add(entry.kind, entry.words);
  pending_.clear();
  return definitions;
}

std::vector<ProcessNames> RunNames::unify(const std::vector<Process>& processes) {
  std::vector<ProcessNames> names(processes.size());
  CallSites sites;
  for (size_t i = 0; i < processes.size(); ++i) {
    unify_regions(processes[i].definitions, sites, names[i]);
  }
  if (has_openmp_) omp_locations_group_ = next_group_++;
  unify_communicators(processes, names);
  unify_windows(processes, names);
  unify_teams(processes, names);
  for (size_t i = 0; i < processes.size(); ++i) {
    unify_io(processes[i].definitions, names[i]);
    unify_metrics(processes[i].definitions, names[i]);
  }
  return names;
}

void RunNames::unify_regions(const Definitions& from, CallSites& sites, ProcessNames& to) {
  std::unordered_map<uint64_t, std::string_view> files;
  for (const auto& file : from.files) files.try_emplace(file.id, file.text);
  std::unordered_map<uint64_t, const CallSites::Place*> places;
  const uint64_t recorded_ns = from.realtime_pairs.empty() ? 0 : from.realtime_pairs[0].ns;
  for (const auto& site : from.call_sites) {
    places.try_emplace(site.region, &sites.place(site.module, site.address, recorded_ns));
  }
  ProcessNames::Table& table = to.tables[static_cast<size_t>(Entity::kRegion)];
  for (const auto& entry : from.regions) {
    const auto role = static_cast<uint8_t>(entry.role);
    const auto paradigm = static_cast<uint8_t>(entry.role >> 8U);
    const auto place = places.find(entry.id);
    if (paradigm == trace::kParadigmOpenMp) {
      unify_construct(entry, place == places.end() ? nullptr : place->second, to);
      continue;
    }
    const auto file = files.find(entry.file);
    const std::string description =
        place == places.end() ? "" : trace::kCalledFrom + place->second->name;
    table.add(
        entry.id,
        region(entry.name, role > kLastRole ? 0 : role, paradigm > kLastParadigm ? 0 : paradigm,
               file == files.end() ? "" : file->second, narrow(entry.line), 0, description));
  }
  to.has_tasks.insert(from.omp_tasks.begin(), from.omp_tasks.end());
}

/// Ranks of the run; the same list gives the same group.
uint32_t RunNames::members_group(const std::vector<uint64_t>& triples, size_t world) {
  std::vector<uint64_t> key = {world};
  key.insert(key.end(), triples.begin(), triples.end());
  if (const auto found = groups_.find(key); found != groups_.end()) return found->second;
  std::vector<uint64_t> ranks;
  const World& in = worlds_[world];
  bool good = triples.size() % 3 == 0;
  for (size_t i = 0; good && i + 3 <= triples.size(); i += 3) {
    const int64_t stride = base::unzigzag(triples[i + 1]);
    uint64_t rank = triples[i];
    good = triples[i + 2] <= in.rank_count && triples[i + 2] <= members_left_;
    for (uint64_t k = 0; good && k < triples[i + 2]; ++k) {
      if (k > 0) rank += static_cast<uint64_t>(stride);
      good = rank < in.rank_count;
      if (good) ranks.push_back(in.first_rank + rank);
    }
    if (good) members_left_ -= triples[i + 2];
  }
  // Half a list would send messages to the wrong ranks.
  if (!good) {
    ++bad_members;
    ranks.clear();
  }
  const uint32_t number = group(GroupType::kCommGroup, ranks);
  groups_.emplace(std::move(key), number);
  return number;
}

uint32_t RunNames::world_group(size_t world) {
  return members_group({0, base::zigzag(1), worlds_[world].rank_count}, world);
}

uint32_t RunNames::self_group() {
  if (self_group_ == UINT32_MAX) self_group_ = group(GroupType::kCommSelf, {});
  return self_group_;
}

void RunNames::unify_communicators(const std::vector<Process>& processes,
                                   std::vector<ProcessNames>& names) {
  std::map<std::tuple<size_t, uint64_t, uint64_t, bool>, uint32_t> known;
  std::vector<Shared> shared;
  constexpr size_t kSelf = SIZE_MAX;  // One definition serves all processes.
  for (size_t i = 0; i < processes.size(); ++i) {
    const Process& process = processes[i];
    ProcessNames::Table& table = names[i].tables[static_cast<size_t>(Entity::kCommunicator)];
    for (const auto& entry : process.definitions.communicators) {
      const bool is_self = entry.kind == 0 && entry.number == kSelfNumber &&
                           entry.creator == process.rank - worlds_[process.world].first_rank;
      const bool only_group = entry.kind == kGroupOnly;
      const auto key = is_self ? std::tuple(kSelf, uint64_t{0}, uint64_t{0}, false)
                               : std::tuple(process.world, entry.creator, entry.number, only_group);
      const auto [found, added] = known.try_emplace(key, static_cast<uint32_t>(shared.size()));
      if (added) {
        shared.push_back({.world = process.world,
                          .is_world = entry.creator == 0 && entry.number == 0 && entry.kind == 0,
                          .is_self = is_self,
                          .kind = entry.kind,
                          .name = {},
                          .members = {},
                          .other = {}});
      }
      table.add(entry.id, found->second);
    }
    for (const auto& entry : process.definitions.members) {
      const uint32_t number = table.find(entry.comm);
      if (number == UINT32_MAX || entry.side > 1) continue;
      Shared& of = shared[number];
      size_t& owner = of.owner[entry.side];
      if (owner == SIZE_MAX) owner = i;
      if (owner != i) continue;
      of.members[entry.side].insert(of.members[entry.side].end(), entry.list.begin(),
                                    entry.list.end());
    }
    for (const auto& entry : process.definitions.other_worlds) {
      const uint32_t number = table.find(entry.comm);
      if (number == UINT32_MAX || shared[number].other.size != 0) continue;
      shared[number].other = entry;
    }
    for (const auto& entry : process.definitions.communicator_names) {
      const uint32_t number = table.find(entry.id);
      if (number != UINT32_MAX && shared[number].name.empty()) shared[number].name = entry.text;
    }
  }
  std::vector<WorldSide> sides;
  for (const Shared& of : shared) {
    sides.push_back({of.world, of.members[0], of.kind == 1 ? of.other : Definitions::OtherWorld{}});
  }
  const std::vector<size_t> other_side = join_sides(sides);
  std::vector<uint32_t> groups;
  for (const Shared& of : shared) {
    if (of.is_self) {
      groups.push_back(self_group());
    } else if (of.is_world) {  // Whatever a file says of its members.
      groups.push_back(world_group(of.world));
    } else {
      if (of.owner[0] == SIZE_MAX) ++communicators_without_members;
      groups.push_back(members_group(of.members[0], of.world));
    }
  }
  std::vector<uint32_t> numbers;  // Groups without a communicator have none.
  for (size_t i = 0; i < shared.size(); ++i) {
    const Shared& of = shared[i];
    if (other_side[i] < i) {  // Both worlds have defined it.
      numbers.push_back(numbers[other_side[i]]);
      continue;
    }
    numbers.push_back(of.kind == kGroupOnly ? UINT32_MAX : next_comm_++);
    const std::string_view name = !of.name.empty() ? of.name
                                  : of.is_world    ? "MPI_COMM_WORLD"
                                  : of.is_self     ? "MPI_COMM_SELF"
                                                   : "";
    if (of.kind == 1) {
      const bool has_other = other_side[i] != SIZE_MAX;
      if (of.owner[1] == SIZE_MAX && of.other.size == 0) ++communicators_without_members;
      define(DefinitionKind::kInterComm,
             {numbers[i], text(name), groups[i],
              has_other ? groups[other_side[i]] : members_group(of.members[1], of.world),
              kUndefined, 0});
    } else if (of.kind != kGroupOnly) {
      define(DefinitionKind::kComm, {numbers[i], text(name), groups[i], kUndefined, 0});
    }
  }
  for (ProcessNames& of_process : names) {
    auto& table = of_process.tables[static_cast<size_t>(Entity::kCommunicator)];
    of_process.communicator_groups.reserve(table.numbers.size());
    for (uint32_t& number : table.numbers) {
      of_process.communicator_groups.push_back(groups[number]);
      number = numbers[number];
    }
  }
}

void RunNames::unify_windows(const std::vector<Process>& processes,
                             std::vector<ProcessNames>& names) {
  std::map<std::tuple<uint32_t, uint32_t>, uint32_t> known;  // Communicator, k-th on it.
  struct Window {
    uint32_t comm;
    std::string_view name;
  };
  std::vector<Window> windows;
  for (size_t i = 0; i < processes.size(); ++i) {
    const auto& comms = names[i].tables[static_cast<size_t>(Entity::kCommunicator)];
    auto& table = names[i].tables[static_cast<size_t>(Entity::kWindow)];
    std::unordered_map<uint32_t, uint32_t> counts;
    for (const auto& entry : processes[i].definitions.windows) {
      const uint32_t comm = comms.find(entry.comm);
      const auto [found, added] = known.try_emplace(std::tuple(comm, counts[comm]++),
                                                    static_cast<uint32_t>(windows.size()));
      if (added) windows.push_back({comm, {}});
      table.add(entry.id, found->second);
    }
    for (const auto& entry : processes[i].definitions.window_names) {
      const uint32_t number = table.find(entry.id);
      if (number != UINT32_MAX && windows[number].name.empty()) windows[number].name = entry.text;
    }
  }
  next_window_ = static_cast<uint32_t>(windows.size());
  for (uint32_t number = 0; number < windows.size(); ++number) {
    define(DefinitionKind::kRmaWin, {number, text(windows[number].name), windows[number].comm, 0});
  }
}

/// kind  0 POSIX, 1 MPI-IO. Numbered as they come: readers expect them to count from 0.
uint32_t RunNames::io_paradigm(uint32_t kind) {
  uint32_t& number = io_paradigms_[kind];
  if (number == kUndefined) {
    number = next_io_paradigm_++;
    define(DefinitionKind::kIoParadigm, {number, text(kind == 1 ? "MPI-IO" : "POSIX"),
                                         text(kind == 1 ? "MPI-IO" : "POSIX I/O"), kind, 0, 0});
  }
  return number;
}

uint32_t RunNames::io_file(std::string_view path) {
  const auto [found, added] =
      io_files_.try_emplace(std::string(path), static_cast<uint32_t>(io_files_.size()));
  if (added) define(DefinitionKind::kIoRegularFile, {found->second, text(path), 0});
  return found->second;
}

void RunNames::unify_io(const Definitions& from, ProcessNames& to) {
  const auto& comms = to.tables[static_cast<size_t>(Entity::kCommunicator)];
  auto& table = to.tables[static_cast<size_t>(Entity::kIoHandle)];
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> counts;
  for (const auto& entry : from.io_handles) {
    const uint32_t paradigm = io_paradigm(entry.paradigm == 1 ? 1 : 0);
    const uint32_t comm = entry.comm >= UINT32_MAX ? kUndefined : comms.find(entry.comm);
    const uint32_t file = io_file(entry.path);
    // What a process opens twice are two handles; what several open once is one.
    const auto [found, added] = io_handles_.try_emplace(
        {file, paradigm, comm, counts[{file, paradigm, comm}]++}, next_io_handle_);
    if (added) {
      define(DefinitionKind::kIoHandle,
             {next_io_handle_++, text(entry.path), file, paradigm, 0, comm, kUndefined});
    }
    table.add(entry.id, found->second);
  }
}

void RunNames::unify_metrics(const Definitions& from, ProcessNames& to) {
  for (const auto& entry : from.metric_sets) {
    const auto [found, added] = metric_sets_.try_emplace(
        std::string(entry.text), static_cast<uint32_t>(metric_sets_.size()));
    to.metrics.add(entry.id, found->second);
    if (!added) continue;
    std::vector<uint32_t> members;
    std::string_view rest = entry.text;
    while (members.size() < UINT8_MAX) {
      const std::string_view name = rest.substr(0, rest.find(','));
      const auto [member, is_new] = metric_members_.try_emplace(
          std::string(name), static_cast<uint32_t>(metric_members_.size()));
      if (is_new) {
        const char* unit = name == trace::kCpuTime ? "ns" : "#";
        define(DefinitionKind::kMetricMember,
               {member->second, text(name), text(""), 0, 0, kTypeUint64, 1, 0, 0, text(unit)});
      }
      members.push_back(member->second);
      if (name.size() == rest.size()) break;
      rest.remove_prefix(name.size() + 1);
    }
    metric_sizes.push_back(static_cast<uint8_t>(members.size()));
    std::vector<uint32_t> words = {found->second, static_cast<uint32_t>(members.size())};
    words.insert(words.end(), members.begin(), members.end());
    words.insert(words.end(), {1, 2});  // Synchronous; recorded by a CPU thread.
    define(DefinitionKind::kMetricClass, words);
  }
}

uint32_t RunNames::placeholder(Entity entity, uint64_t id, const Process& process) {
  const auto name = [&](const char* what) {
    const std::string number = id == UINT64_MAX ? "..." : fmt::format("{}", id);
    return fmt::format("<{} {} of rank {}>", what, number, process.rank);
  };
  switch (entity) {
    case Entity::kRegion: return region(name("region"), 0, 0, "", 0);
    case Entity::kCommunicator: {
      const uint32_t number = next_comm_++;
      define(DefinitionKind::kComm,
             {number, text(name("communicator")), members_group({}, process.world), kUndefined, 0});
      return number;
    }
    case Entity::kWindow: {
      const uint32_t number = next_window_++;
      define(DefinitionKind::kRmaWin, {number, text(name("window")), kUndefined, 0});
      return number;
    }
    case Entity::kIoHandle: {
      const uint32_t number = next_io_handle_++;
      define(DefinitionKind::kIoHandle, {number, text(name("file")), io_file(name("file")),
                                         io_paradigm(0), 0, kUndefined, kUndefined});
      return number;
    }
  }
  return kUndefined;
}

}  // namespace pathline::raw
