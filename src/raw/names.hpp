// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/id_map.hpp"
#include "raw/call_sites.hpp"
#include "raw/process.hpp"
#include "trace/trace.hpp"

namespace pathline::raw {

/// Numbers of the trace at and above this one stand for something that a stream refers to and
/// nobody defined; `number - kPlaceholder` indexes the stream's list of such.
inline constexpr uint32_t kPlaceholder = 0xf0000000;

enum class Entity : uint8_t { kRegion, kCommunicator, kWindow, kIoHandle };
inline constexpr size_t kEntityCount = 4;

/// From the numbers of one process to those of the trace.
struct ProcessNames {
  struct Table {
    base::IdMap ids;
    std::vector<uint32_t> numbers;  // By index in `ids`.
    /// UINT32_MAX if nobody defined `id`.
    [[nodiscard]] uint32_t find(uint64_t id) const {
      const uint32_t index = ids.find(id);
      return index == base::IdMap::kNone ? UINT32_MAX : numbers[index];
    }
    void add(uint64_t id, uint32_t number) {
      if (ids.insert(id)) numbers.push_back(number);
    }
  };
  Table tables[kEntityCount];
  std::vector<uint32_t> communicator_groups;  ///< By index in the table of communicators.
  Table metrics;
  // Of OpenMP, numbers of the process.
  std::unordered_set<uint64_t> omp_barriers;  ///< Regions.
  std::unordered_set<uint64_t> has_tasks;     ///< Parallel regions.
  uint32_t team_comm = UINT32_MAX;            ///< Number of the trace: all threads of the process.
};

/// Ranks of the run that belong to one MPI_COMM_WORLD.
struct World {
  uint32_t first_rank;
  uint32_t rank_count;
};

/// The definitions of the whole run, made of those of its processes. Ids are dense and in the order
/// of processes, so that the same files always give the same ones.
class RunNames {
 public:
  /// most_members  that all groups together may have: a damaged file can ask for any number.
  RunNames(std::vector<World> worlds, uint64_t most_members)
      : worlds_(std::move(worlds)), members_left_(most_members) {}

  /// What does not depend on the processes: paradigms, time steps, parameters. `hosts` become a
  /// machine with nodes 1, 2 ...
  void begin(const std::vector<std::string>& hosts);
  /// The tables of every process, all at once as they complete each other.
  std::vector<ProcessNames> unify(const std::vector<Process>& processes);
  /// Defines something that nobody defined; returns its number.
  uint32_t placeholder(Entity entity, uint64_t id, const Process& process);

  /// The region of a program as a whole.
  uint32_t program(std::string_view name);

  /// Makes a string, or finds it.
  uint32_t text(std::string_view text);
  void define(trace::DefinitionKind kind, std::vector<uint32_t> words) {
    pending_.push_back({kind, std::move(words)});
  }
  /// The list of all locations that ranks are places in.
  void define_ranks(const std::vector<uint64_t>& locations) {
    define_group(kLocationsGroup, trace::GroupType::kCommLocations, locations);
  }

  /// Everything that was defined, whatever is referred to before what refers to it: other tools
  /// expect that.
  [[nodiscard]] trace::Definitions take_definitions();

  uint32_t step_region = 0;
  uint32_t finalize_region = UINT32_MAX;  ///< MPI_Finalize, if somebody calls it.
  uint32_t step_parameter = 0;
  uint32_t count_parameter = 1;
  // Of a neighbourhood collective, a pair for each neighbour: its rank in the world, and bytes.
  uint32_t neighbor_parameter = 2;
  uint32_t neighbor_bytes_parameter = 3;
  uint32_t work_parameter = 4;  ///< See trace::kWorkBetweenPolls.
  uint32_t time_attribute = 0;
  std::vector<std::string> region_names;  ///< By number.
  std::vector<uint8_t> metric_sizes;      ///< By number of the metric: its values.
  uint64_t communicators_without_members = 0;
  uint64_t bad_members = 0;  ///< Lists that name ranks which do not exist, or too many.

 private:
  struct Shared;
  static constexpr uint32_t kLocationsGroup = 0;
  bool has_openmp_ = false;
  uint32_t omp_locations_group_ = 0;
  void define_group(uint32_t id, trace::GroupType type, const std::vector<uint64_t>& members,
                    uint8_t paradigm = trace::kParadigmMpi);
  uint32_t group(trace::GroupType type, const std::vector<uint64_t>& members) {
    define_group(next_group_, type, members);
    return next_group_++;
  }
  uint32_t region(std::string_view name, uint32_t role, uint32_t paradigm, std::string_view file,
                  uint32_t line, uint32_t flags = 0, std::string_view description = "");
  uint32_t members_group(const std::vector<uint64_t>& triples, size_t world);
  uint32_t world_group(size_t world);
  uint32_t self_group();
  void unify_regions(const Definitions& from, CallSites& sites, ProcessNames& to);
  /// A region of OpenMP. place  nullptr if it is not known
  void unify_construct(const Definitions::Region& from, const CallSites::Place* place,
                       ProcessNames& to);
  void unify_teams(const std::vector<Process>& processes, std::vector<ProcessNames>& names);
  void unify_communicators(const std::vector<Process>& processes, std::vector<ProcessNames>& names);
  void unify_windows(const std::vector<Process>& processes, std::vector<ProcessNames>& names);
  void unify_io(const Definitions& from, ProcessNames& to);
  void unify_metrics(const Definitions& from, ProcessNames& to);
  uint32_t io_paradigm(uint32_t kind);
  uint32_t io_file(std::string_view path);

  std::vector<World> worlds_;
  uint64_t members_left_;
  struct Pending {
    trace::DefinitionKind kind;
    std::vector<uint32_t> words;
  };
  std::vector<Pending> pending_;
  std::unordered_map<std::string, uint32_t> texts_;
  std::vector<std::string_view> texts_in_order_;  // Keys of texts_, which stay where they are.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t>
      regions_;
  std::map<std::vector<uint64_t>, uint32_t> groups_;  // By world and triples.
  uint32_t self_group_ = UINT32_MAX;
  uint32_t next_group_ = kLocationsGroup + 1;
  uint32_t next_comm_ = 0;
  uint32_t next_window_ = 0;
  std::unordered_map<std::string, uint32_t> io_files_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> io_handles_;
  uint32_t next_io_handle_ = 0;
  uint32_t io_paradigms_[2] = {trace::kUndefined, trace::kUndefined};  // By kind.
  uint32_t next_io_paradigm_ = 0;
  std::unordered_map<std::string, uint32_t> metric_members_;
  std::unordered_map<std::string, uint32_t> metric_sets_;
};

}  // namespace pathline::raw
