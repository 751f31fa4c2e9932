// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/communicators.hpp"

#include <cstdlib>

#include "record/step_sums.hpp"

namespace pathline::record {
namespace {

HandleTable known_communicators;
HandleTable known_types;
HandleTable known_groups;   // Ids by handle.
HandleTable group_numbers;  // Ids by what names the members in all processes.
// How many communicators were made of the same members with the same tag, by a number for these.
HandleTable turns;
Mutex turns_lock;
std::atomic<uint32_t> next_id{1};
constexpr uint64_t kParentsNumber = 2;  // 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF.
MPI_Group world_group = MPI_GROUP_NULL;

Communicator* new_communicator() {
  auto* comm = static_cast<Communicator*>(std::calloc(1, sizeof(Communicator)));
  if (comm == nullptr) return nullptr;
  comm->id = next_id.fetch_add(1, std::memory_order_relaxed);
  comm->indegree = comm->outdegree = -1;
  return comm;
}

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15ULL ^ (b + 0x7f4a7c159e3779b9ULL);
  x = (x ^ x >> 31U) * 0xbf58476d1ce4e5b9ULL;
  return x ^ x >> 29U;
}

uint32_t world_rank_of_first(MPI_Group group) {
  const int first = 0;
  int world = MPI_UNDEFINED;
  if (world_group == MPI_GROUP_NULL ||
      PMPI_Group_translate_ranks(group, 1, &first, world_group, &world) != MPI_SUCCESS ||
      world == MPI_UNDEFINED) {
    return UINT32_MAX;
  }
  return static_cast<uint32_t>(world);
}

/// Calls take(world rank or MPI_UNDEFINED) for each member of a group. false if the MPI refuses.
template <class Take>
bool each_world_rank(MPI_Group group, int size, Take take) {
  constexpr int kAtOnce = 256;
  int ranks[kAtOnce];
  int world[kAtOnce];
  for (int begin = 0; begin < size; begin += kAtOnce) {
    const int n = size - begin < kAtOnce ? size - begin : kAtOnce;
    for (int i = 0; i < n; ++i) ranks[i] = begin + i;
    if (PMPI_Group_translate_ranks(group, n, ranks, world_group, world) != MPI_SUCCESS) {
      return false;
    }
    for (int i = 0; i < n; ++i) take(world[i]);
  }
  return true;
}

/// The members of a group as stretches of world ranks.
void define_members(uint32_t id, uint32_t side, MPI_Group group, int size) {
  constexpr size_t kStretches = 64;
  uint64_t list[3 * kStretches];
  size_t items = 0;
  const uint64_t numbers[] = {id, side};
  int64_t first = 0;
  int64_t stride = 0;
  uint64_t count = 0;
  const auto put = [&] {
    if (count == 0) return;
    list[items++] = static_cast<uint64_t>(first);
    list[items++] = base::zigzag(stride);
    list[items++] = count;
    if (items == 3 * kStretches) {
      define_list(RecordKind::kMembers, numbers, 2, list, items);
      items = 0;
    }
  };
  const bool all = each_world_rank(group, size, [&](int world) {
    // A process of another world has no number here.
    const int64_t member = world == MPI_UNDEFINED ? UINT32_MAX : world;
    if (count == 1) stride = member - first;
    if (count > 0 && member == first + stride * static_cast<int64_t>(count)) {
      ++count;
      return;
    }
    put();
    first = member;
    stride = 1;
    count = 1;
  });
  if (!all) return;
  put();
  if (items > 0) define_list(RecordKind::kMembers, numbers, 2, list, items);
}

/// Whom a neighbourhood collective sends to, in the order of its arguments.
void find_neighbors(MPI_Comm handle, int topology, Communicator& comm) {
  if (comm.outdegree <= 0) return;
  const auto count = static_cast<size_t>(comm.outdegree);
  const auto sources = static_cast<size_t>(comm.indegree < 0 ? 0 : comm.indegree);
  auto* ranks = static_cast<int*>(std::calloc(count + 2 * sources + count, sizeof(int)));
  auto* worlds = static_cast<uint32_t*>(std::calloc(count, sizeof(uint32_t)));
  MPI_Group group = MPI_GROUP_NULL;
  bool known =
      ranks != nullptr && worlds != nullptr && PMPI_Comm_group(handle, &group) == MPI_SUCCESS;
  if (known && topology == MPI_CART) {
    for (int d = 0; d < comm.outdegree / 2 && known; ++d) {
      known = PMPI_Cart_shift(handle, d, 1, &ranks[2 * d], &ranks[2 * d + 1]) == MPI_SUCCESS;
    }
  } else if (known && topology == MPI_GRAPH) {
    known = PMPI_Graph_neighbors(handle, comm.rank, comm.outdegree, ranks) == MPI_SUCCESS;
  } else if (known) {
    int* const unused = ranks + count;
    known = PMPI_Dist_graph_neighbors(handle, comm.indegree, unused, unused + sources,
                                      comm.outdegree, ranks, unused + 2 * sources) == MPI_SUCCESS;
  }
  for (size_t i = 0; i < count && known; ++i) {
    int world = MPI_UNDEFINED;
    if (ranks[i] >= 0) PMPI_Group_translate_ranks(group, 1, &ranks[i], world_group, &world);
    worlds[i] = world == MPI_UNDEFINED ? UINT32_MAX : static_cast<uint32_t>(world);
  }
  if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
  std::free(ranks);
  if (known) {
    comm.destinations = worlds;
  } else {
    std::free(worlds);
  }
}

/// Sizes and ranks, asked for once. false if the handle is none.
bool look_at(MPI_Comm handle, Communicator& comm) {
  int inter = 0;
  if (PMPI_Comm_test_inter(handle, &inter) != MPI_SUCCESS) return false;
  comm.inter = inter != 0;
  PMPI_Comm_rank(handle, &comm.rank);
  PMPI_Comm_size(handle, &comm.size);
  if (comm.inter) PMPI_Comm_remote_size(handle, &comm.remote_size);
  // Neighbours matter to neighbourhood collectives, which SimGrid lacks, as it does the question.
  if (kIsSimulated) return true;
  int topology = MPI_UNDEFINED;
  if (PMPI_Topo_test(handle, &topology) != MPI_SUCCESS) return true;
  if (topology == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(handle, &dimensions);
    comm.indegree = comm.outdegree = 2 * dimensions;
  } else if (topology == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(handle, comm.rank, &comm.indegree);
    comm.outdegree = comm.indegree;
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(handle, &comm.indegree, &comm.outdegree, &weighted);
  }
  find_neighbors(handle, topology, comm);
  return true;
}

/// Where those destinations are in it that have figures of their own.
void find_destinations(MPI_Comm handle, const Communicator& comm) {
  const int* wanted = nullptr;
  const unsigned count = sum_destinations(wanted);
  if (count == 0) return;
  MPI_Group group = MPI_GROUP_NULL;
  const int found =
      comm.inter ? PMPI_Comm_remote_group(handle, &group) : PMPI_Comm_group(handle, &group);
  if (found != MPI_SUCCESS) return;
  constexpr unsigned kMost = 64;
  int ranks[kMost];
  for (int& rank : ranks) rank = -1;
  int members = 0;
  PMPI_Group_size(world_group, &members);
  for (unsigned i = 0; i < count && i < kMost; ++i) {
    if (wanted[i] >= members ||
        PMPI_Group_translate_ranks(world_group, 1, &wanted[i], group, &ranks[i]) != MPI_SUCCESS ||
        ranks[i] == MPI_UNDEFINED) {
      ranks[i] = -1;
    }
  }
  PMPI_Group_free(&group);
  sum_communicator(comm.id, ranks);
}

void define_communicator(const Communicator& comm) {
  const uint64_t numbers[] = {comm.id, comm.creator, comm.number, comm.inter ? 1U : 0U};
  define(RecordKind::kCommunicator, numbers, 4);
}

/// Defines a communicator whose name is known; the process that is its first lists the members.
void define_with_members(MPI_Comm handle, Communicator& comm) {
  define_communicator(comm);
  find_destinations(handle, comm);
  if (comm.creator != process.rank) return;
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_group(handle, &group) != MPI_SUCCESS) return;
  define_members(comm.id, 0, group, comm.size);
  PMPI_Group_free(&group);
  if (!comm.inter || PMPI_Comm_remote_group(handle, &group) != MPI_SUCCESS) return;
  if (world_rank_of_first(group) == UINT32_MAX) {
    // Spawned programs, or such that met at a port, know only one another's number and the time.
    const uint64_t numbers[] = {comm.id, comm.number == kParentsNumber ? 1U : 0U,
                                static_cast<uint64_t>(comm.remote_size), clock_ns(CLOCK_REALTIME)};
    define(RecordKind::kOtherWorld, numbers, 4);
  } else {
    define_members(comm.id, 1, group, comm.remote_size);
  }
  PMPI_Group_free(&group);
}

}  // namespace

int largest_tag = 32767;

HandleTable& communicators() { return known_communicators; }
HandleTable& types() { return known_types; }
HandleTable& groups() { return known_groups; }

void start_communicators() {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  int* tag = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag, &found) == MPI_SUCCESS && found != 0) {
    largest_tag = *tag;
  }
  // What needs no MPI_Type_commit.
  // clang-format off
  const MPI_Datatype named[] = {
      MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_BYTE, MPI_PACKED, MPI_WCHAR, MPI_SHORT,
      MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG,
      MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_INT8_T, MPI_INT16_T,
      MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_AINT,
      MPI_COUNT, MPI_OFFSET, MPI_C_BOOL, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
      MPI_C_LONG_DOUBLE_COMPLEX, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT,
      MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_CHARACTER, MPI_LOGICAL, MPI_INTEGER, MPI_REAL,
      MPI_DOUBLE_PRECISION, MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_2INTEGER, MPI_2REAL,
      MPI_2DOUBLE_PRECISION, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8, MPI_REAL4,
      MPI_REAL8};
  // clang-format on
  for (const MPI_Datatype type : named) {
    if (type != MPI_DATATYPE_NULL) type_bytes(type);
  }
  const struct {
    MPI_Comm handle;
    uint32_t creator;
    uint64_t number;
    const char* name;
  } predefined[] = {{MPI_COMM_WORLD, 0, 0, "MPI_COMM_WORLD"},
                    {MPI_COMM_SELF, process.rank, 1, "MPI_COMM_SELF"}};
  for (const auto& known : predefined) {
    Communicator* comm = new_communicator();
    if (comm == nullptr || !look_at(known.handle, *comm)) return;
    comm->creator = known.creator;
    comm->number = known.number;
    known_communicators.put(key_of(known.handle), reinterpret_cast<uint64_t>(comm));
    define_with_members(known.handle, *comm);
    const uint64_t numbers[] = {comm->id};
    define_text(RecordKind::kCommunicatorName, numbers, 1, known.name);
  }
  MPI_Comm parents = MPI_COMM_NULL;
  if (!kIsSimulated) PMPI_Comm_get_parent(&parents);  // SimGrid would abort; it spawns nobody.
  Communicator* comm = parents == MPI_COMM_NULL ? nullptr : new_communicator();
  if (comm == nullptr || !look_at(parents, *comm)) return;
  comm->number = kParentsNumber;
  known_communicators.put(key_of(parents), reinterpret_cast<uint64_t>(comm));
  define_with_members(parents, *comm);
}

Communicator* known_communicator(MPI_Comm handle) {
  return reinterpret_cast<Communicator*>(known_communicators.find(key_of(handle)));
}

Communicator* communicator_of(MPI_Comm handle) {
  if (Communicator* known = known_communicator(handle); known != nullptr) [[likely]] {
    return known;
  }
  if (handle == MPI_COMM_NULL) return nullptr;
  Communicator* comm = new_communicator();
  if (comm == nullptr || !look_at(handle, *comm)) {
    std::free(comm);
    return nullptr;
  }
  // Nobody else will ever call it so: its messages stay without partners.
  comm->creator = process.rank;
  comm->number = mix(0x756e6b6e6f776eULL, comm->id);
  known_communicators.put(key_of(handle), reinterpret_cast<uint64_t>(comm));
  define_with_members(handle, *comm);
  return comm;
}

namespace {

void name_and_define(MPI_Comm parent_handle, MPI_Comm made, bool usable) {
  Communicator* parent = communicator_of(parent_handle);
  if (parent == nullptr) return;
  // Every member of the parent counts, also those that are not in the new one.
  const uint32_t turn = parent->creations.fetch_add(1, std::memory_order_relaxed);
  if (made == MPI_COMM_NULL) return;
  Communicator* comm = new_communicator();
  if (comm == nullptr) return;
  const MPI_Comm asked = usable ? made : parent_handle;  // A duplicate is what its parent is.
  if (!look_at(asked, *comm)) return;
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_group(asked, &group) != MPI_SUCCESS) return;
  comm->creator = world_rank_of_first(group);
  PMPI_Group_free(&group);
  if (comm->inter && PMPI_Comm_remote_group(asked, &group) == MPI_SUCCESS) {
    // Both sides must come to the same name.
    const uint32_t other = world_rank_of_first(group);
    PMPI_Group_free(&group);
    if (other < comm->creator) comm->creator = other;
  }
  comm->number = mix(mix(parent->creator, parent->number), turn);
  known_communicators.put(key_of(made), reinterpret_cast<uint64_t>(comm));
  define_with_members(asked, *comm);
}

}  // namespace

void communicator_made(Call& call, MPI_Comm parent, MPI_Comm made) {
  if (call.tracked()) name_and_define(parent, made, true);
}

void communicator_promised(Call& call, MPI_Comm parent, MPI_Comm made) {
  if (call.tracked()) name_and_define(parent, made, false);
}

namespace {

/// A number for the members of a group in their order, `first` the world rank of the first one.
uint64_t number_of(MPI_Group group, uint32_t& first) {
  int size = 0;
  PMPI_Group_size(group, &size);
  uint64_t number = static_cast<uint64_t>(size);
  bool is_first = true;
  each_world_rank(group, size, [&](int world) {
    number = mix(number, static_cast<uint32_t>(world));
    if (is_first) first = static_cast<uint32_t>(world);
    is_first = false;
  });
  return number;
}

}  // namespace

void communicator_of_group(Call& call, MPI_Comm made, uint64_t tag) {
  if (!call.tracked() || made == MPI_COMM_NULL) return;
  Communicator* comm = new_communicator();
  if (comm == nullptr || !look_at(made, *comm)) return;
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_group(made, &group) != MPI_SUCCESS) return;
  uint64_t number = number_of(group, comm->creator);
  PMPI_Group_free(&group);
  if (comm->inter) {
    if (PMPI_Comm_remote_group(made, &group) != MPI_SUCCESS) return;
    uint32_t other = UINT32_MAX;
    const uint64_t theirs = number_of(group, other);
    PMPI_Group_free(&group);
    // Both sides must come to the same name.
    number = comm->creator < other ? mix(number, theirs) : mix(theirs, number);
    if (other < comm->creator) comm->creator = other;
  }
  number = mix(number, tag) | 1;  // Never 0, which is no key.
  {
    const Lock guard(turns_lock);
    const uint64_t turn = turns.find(number) + 1;
    turns.put(number, turn);
    comm->number = mix(number, turn);
  }
  known_communicators.put(key_of(made), reinterpret_cast<uint64_t>(comm));
  define_with_members(made, *comm);
}

uint32_t group_of(MPI_Group handle) {
  if (const uint64_t id = known_groups.find(key_of(handle)); id != 0) [[likely]]
    return static_cast<uint32_t>(id);
  int size = 0;
  if (PMPI_Group_size(handle, &size) != MPI_SUCCESS || size == 0) return 0;
  uint32_t first = UINT32_MAX;
  bool all_here = true;
  each_world_rank(handle, size, [&](int world) { all_here = all_here && world != MPI_UNDEFINED; });
  const uint64_t number = number_of(handle, first) | 1;  // Never 0, which is no key.
  if (!all_here) return 0;
  uint64_t id = group_numbers.find(number);
  if (id == 0) {
    id = next_id.fetch_add(1, std::memory_order_relaxed);
    constexpr uint64_t kGroupOnly = 2;
    const uint64_t numbers[] = {id, first, number, kGroupOnly};
    define(RecordKind::kCommunicator, numbers, 4);
    define_members(static_cast<uint32_t>(id), 0, handle, size);
    group_numbers.put(number, id);
  }
  known_groups.put(key_of(handle), id);
  return static_cast<uint32_t>(id);
}

void communicator_connected(Call& call, MPI_Comm parent, MPI_Comm made) {
  if (!call.tracked()) return;
  MPI_Group group = MPI_GROUP_NULL;
  bool one_world = false;
  if (made != MPI_COMM_NULL && PMPI_Comm_remote_group(made, &group) == MPI_SUCCESS) {
    one_world = world_rank_of_first(group) != UINT32_MAX;
    PMPI_Group_free(&group);
  }
  if (one_world) {
    communicator_of_group(call, made, 0);
  } else {
    communicator_made(call, parent, made);
  }
}

void communicator_named(MPI_Comm handle, const char* name) {
  const Communicator* comm = communicator_of(handle);
  if (comm == nullptr) return;
  const uint64_t numbers[] = {comm->id};
  define_text(RecordKind::kCommunicatorName, numbers, 1, name);
}

uint64_t type_bytes(MPI_Datatype type) {
  uint64_t bytes = 0;
  if (known_type_bytes(type, bytes)) [[likely]]
    return bytes;
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) {
    return 0;
  }
  known_types.put(key_of(type), static_cast<uint64_t>(size) + 1);
  return static_cast<uint64_t>(size);
}

bool known_type_bytes(MPI_Datatype type, uint64_t& bytes) {
  const uint64_t found = known_types.find(key_of(type));
  bytes = found - 1;
  return found != 0;
}

void type_committed(MPI_Datatype type) {
  // Another type may have had this handle, and been freed where nobody saw it.
  known_types.remove(key_of(type));
  type_bytes(type);
}

}  // namespace pathline::record
