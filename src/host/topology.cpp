// SPDX-License-Identifier: BSD-3-Clause
#include "host/topology.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <hwloc.h>

#include "base/file.hpp"
#include "base/parse.hpp"

namespace pathline::host {

struct Topology::Handle {
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (topology != nullptr) hwloc_topology_destroy(topology);
  }
  hwloc_topology_t topology = nullptr;
};

namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

/// More PUs than any machine has, so that a wrong list costs no memory.
constexpr unsigned kMostCpus = 1U << 20;

/// "0-3,8" as a set; nullptr if it is no such list. hwloc's own reader takes a prefix for the
/// whole.
Bitmap parse_cpus(std::string_view text) {
  Bitmap set(hwloc_bitmap_alloc());
  const auto ranges = base::ranges_in(text);
  if (!ranges) return nullptr;
  for (const auto [first, last] : *ranges) {
    if (last >= kMostCpus) return nullptr;
    hwloc_bitmap_set_range(set.get(), static_cast<unsigned>(first), static_cast<int>(last));
  }
  return set;
}

/// What `version="3.0"` of the topology element says, 0 when there is none. hwloc 1 wrote none.
int major_version(std::string_view text) {
  const std::string_view key = "<topology version=\"";
  const size_t at = text.substr(0, 4096).find(key);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + key.size());
  return base::take_number<int>(text).value_or(0);
}

/// The logical indices of the objects of `type` that have PUs in `set`.
std::vector<uint32_t> indices(hwloc_topology_t topology, hwloc_obj_type_t type,
                              hwloc_const_bitmap_t set) {
  std::vector<uint32_t> result;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
    // A PU's own number; memory may belong to no PU at all.
    if (object->cpuset != nullptr && hwloc_bitmap_intersects(object->cpuset, set) != 0) {
      result.push_back(type == HWLOC_OBJ_PU ? object->os_index : object->logical_index);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Whether pictures of a machine show objects of this kind.
bool is_shown(hwloc_obj_type_t type) {
  switch (type) {
    case HWLOC_OBJ_MACHINE:
    case HWLOC_OBJ_PACKAGE:
    case HWLOC_OBJ_DIE:
    case HWLOC_OBJ_GROUP:
    case HWLOC_OBJ_NUMANODE:
    case HWLOC_OBJ_L5CACHE:
    case HWLOC_OBJ_L4CACHE:
    case HWLOC_OBJ_L3CACHE:
    case HWLOC_OBJ_L2CACHE:
    case HWLOC_OBJ_L1CACHE:
    case HWLOC_OBJ_CORE:
    case HWLOC_OBJ_PU: return true;
    default: return false;
  }
}

/// The levels of a machine from outside, as hwloc numbers them: those of its tree, and that of the
/// NUMA nodes, which hwloc keeps beside the tree, below the innermost level that has one.
std::vector<int> shown_levels(hwloc_topology_t topology) {
  int above_memory = -1;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    hwloc_obj_t parent = node->parent;
    while (parent != nullptr && parent->depth < 0) parent = parent->parent;  // A memory-side cache.
    if (parent != nullptr) above_memory = std::max(above_memory, parent->depth);
  }
  std::vector<int> levels;
  for (int depth = 0; depth < hwloc_topology_get_depth(topology); ++depth) {
    if (is_shown(hwloc_get_depth_type(topology, depth))) levels.push_back(depth);
    if (depth == above_memory) levels.push_back(HWLOC_TYPE_DEPTH_NUMANODE);
  }
  return levels;
}

}  // namespace

Topology::Topology(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;
Topology::~Topology() = default;

base::Result<Topology> Topology::read(const std::filesystem::path& path) {
  const auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  // hwloc itself prints a message on stderr and names no file.
  const std::string_view text = file.value().text();
  if (const int major = major_version(text); major > 2) {
    return base::Error{
        base::ErrorCode::kUnsupported,
        fmt::format("{} is of hwloc {}, but hwloc {}.{} reads only what is of hwloc 1 and 2",
                    path.string(), major, HWLOC_API_VERSION >> 16, (HWLOC_API_VERSION >> 8) & 0xff),
        "lstopo --export-xml-flags v2 FILE.xml of hwloc 3 writes a file that can be read."};
  }
  const base::Error corrupt{base::ErrorCode::kCorrupt,
                            fmt::format("{} is not a topology that hwloc can read", path.string())};
  if (text.find("<topology") == std::string_view::npos ||
      text.size() > std::numeric_limits<int>::max() - 1) {
    return corrupt;
  }
  auto handle = std::make_unique<Handle>();
  if (hwloc_topology_init(&handle->topology) != 0) return corrupt;
  // hwloc wants the zero behind the text counted.
  const std::string buffer(text);
  if (hwloc_topology_set_xmlbuffer(handle->topology, buffer.c_str(),
                                   static_cast<int>(buffer.size() + 1)) != 0 ||
      hwloc_topology_load(handle->topology) != 0) {
    return corrupt;
  }
  return Topology(std::move(handle));
}

base::Result<Topology> Topology::own() {
  auto handle = std::make_unique<Handle>();
  if (hwloc_topology_init(&handle->topology) != 0 || hwloc_topology_load(handle->topology) != 0) {
    return base::Error{base::ErrorCode::kIo, "hwloc cannot tell what hardware this machine has"};
  }
  return Topology(std::move(handle));
}

base::Result<Topology> Topology::synthetic(const std::string& description) {
  auto handle = std::make_unique<Handle>();
  if (hwloc_topology_init(&handle->topology) != 0 ||
      hwloc_topology_set_synthetic(handle->topology, description.c_str()) != 0 ||
      hwloc_topology_load(handle->topology) != 0) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("'{}' is no hardware that hwloc knows", description),
                       "Expected something like 'package:2 l3:2 l2:4 core:2 pu:1'."};
  }
  return Topology(std::move(handle));
}

base::Result<Binding> Topology::binding(std::string_view cpus) const {
  const hwloc_topology_t topology = handle_->topology;
  const Bitmap set = parse_cpus(cpus);
  if (set == nullptr) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("'{}' is no list of CPUs such as 0-3,8", cpus)};
  }
  hwloc_bitmap_and(set.get(), set.get(), hwloc_topology_get_topology_cpuset(topology));
  if (hwloc_bitmap_iszero(set.get()) != 0) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("the machine has none of the CPUs {}", cpus)};
  }
  Binding binding{.packages = indices(topology, HWLOC_OBJ_PACKAGE, set.get()),
                  .numa_nodes = indices(topology, HWLOC_OBJ_NUMANODE, set.get()),
                  .cores = indices(topology, HWLOC_OBJ_CORE, set.get()),
                  .pus = indices(topology, HWLOC_OBJ_PU, set.get())};
  if (hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE) == 0) binding.packages = {0};
  return binding;
}

Parts Topology::parts(const std::vector<uint32_t>& pus) const {
  const hwloc_topology_t topology = handle_->topology;
  const Bitmap wanted(hwloc_bitmap_alloc());
  for (const uint32_t pu : pus) {
    if (pu < kMostCpus) hwloc_bitmap_set(wanted.get(), pu);
  }
  Parts out;
  std::vector<hwloc_obj_t> leaves;
  for (hwloc_obj_t pu = nullptr;
       (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
    if (hwloc_bitmap_isset(wanted.get(), pu->os_index) == 0) continue;
    leaves.push_back(pu);
    out.pus.push_back(pu->os_index);
  }
  const auto position_in = [&](hwloc_const_cpuset_t set, bool last) {
    const auto inside = [&](hwloc_obj_t pu) { return hwloc_bitmap_isset(set, pu->os_index) != 0; };
    const auto found = last ? std::find_if(leaves.rbegin(), leaves.rend(), inside).base() - 1
                            : std::find_if(leaves.begin(), leaves.end(), inside);
    return static_cast<uint32_t>(found - leaves.begin());
  };
  for (const int level : shown_levels(topology)) {
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_depth(topology, level, object)) != nullptr;) {
      if (object->cpuset == nullptr || hwloc_bitmap_intersects(object->cpuset, wanted.get()) == 0) {
        continue;
      }
      out.parts.push_back({.type = hwloc_obj_type_string(object->type),
                           .row = out.row_count,
                           .logical_index = object->logical_index,
                           .os_index = object->os_index,
                           .first = position_in(object->cpuset, false),
                           .last = position_in(object->cpuset, true)});
    }
    ++out.row_count;
  }
  return out;
}

Node Topology::node() const {
  const hwloc_topology_t topology = handle_->topology;
  const hwloc_obj_type_t kind =
      hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  Node out;
  std::vector<hwloc_obj_t> cores;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(topology, kind, core)) != nullptr;) {
    cores.push_back(core);
    out.pu_of_core.push_back(static_cast<uint32_t>(hwloc_bitmap_first(core->cpuset)));
  }
  out.units.resize(cores.size());
  const auto is_as_before = [&](const std::vector<uint32_t>& unit_of_core) {
    for (size_t i = 1; i < unit_of_core.size(); ++i) {
      // Cores of a unit are neighbours.
      if ((unit_of_core[i] == unit_of_core[i - 1]) !=
          (out.units[i].back() == out.units[i - 1].back())) {
        return false;
      }
    }
    return true;
  };
  for (const int level : shown_levels(topology)) {
    const hwloc_obj_type_t type = hwloc_get_depth_type(topology, level);
    if (type == HWLOC_OBJ_CORE || type == HWLOC_OBJ_PU) continue;
    NodeLevel found{.type = hwloc_obj_type_string(type)};
    std::vector<uint32_t> unit_of_core;
    for (const hwloc_obj_t core : cores) {
      for (hwloc_obj_t object = nullptr;
           (object = hwloc_get_next_obj_by_depth(topology, level, object)) != nullptr;) {
        if (object->cpuset == nullptr ||
            hwloc_bitmap_isincluded(core->cpuset, object->cpuset) == 0) {
          continue;
        }
        unit_of_core.push_back(object->logical_index);
        if (hwloc_obj_type_is_cache(type) != 0) found.bytes = object->attr->cache.size;
        break;
      }
    }
    if (unit_of_core.size() < cores.size()) continue;
    if (!out.levels.empty() && found.bytes == 0 && is_as_before(unit_of_core)) {
      // Says nothing new, but perhaps by a better name.
      if (out.levels.back().type != "Group") continue;
      out.levels.pop_back();
      for (auto& units : out.units) units.pop_back();
    }
    for (size_t core = 0; core < cores.size(); ++core) {
      out.units[core].push_back(unit_of_core[core]);
      found.core_count = std::max(
          found.core_count, static_cast<uint32_t>(std::count(
                                unit_of_core.begin(), unit_of_core.end(), unit_of_core[core])));
    }
    out.levels.push_back(std::move(found));
  }
  out.levels.push_back({.type = "Core", .bytes = 0, .core_count = 1});
  for (uint32_t core = 0; core < cores.size(); ++core) out.units[core].push_back(core);
  return out;
}

}  // namespace pathline::host
