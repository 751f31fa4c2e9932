// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::host {

/// What a process or thread that is bound to some PUs may use of each kind, in ascending order.
/// Packages, NUMA nodes and cores are counted from 0 over the whole machine, as lstopo's L# does,
/// and PUs as the operating system does (P#, taskset): a core's own number there is not unique.
/// One entry each: the smallest object that covers the PUs is within one of that kind.
struct Binding {
  std::vector<uint32_t> packages;  ///< 0 where the machine names none.
  std::vector<uint32_t> numa_nodes;
  std::vector<uint32_t> cores;
  std::vector<uint32_t> pus;
};

/// One object of the hardware: a package, a cache, a core.
struct Part {
  std::string type;  ///< hwloc's name of it: "Machine", "Package", "L3Cache", "Core", "PU".
  uint32_t row = 0;  ///< 0 for the machine; larger is further inside.
  uint32_t logical_index = 0;      ///< Among those of its type, from 0.
  uint32_t os_index = UINT32_MAX;  ///< The operating system's number; UINT32_MAX: it has none.
  uint32_t first = 0;              ///< Its first PU, as a position among those asked for.
  uint32_t last = 0;               ///< Its last one.
};

/// Some PUs of a machine and all that they are part of.
struct Parts {
  std::vector<uint32_t> pus;  ///< By their logical index: neighbours in the hardware.
  std::vector<Part> parts;    ///< By row, then from the first PU on.
  uint32_t row_count = 0;
};

/// A level of a node, whose units hold cores: the machine, a package, a cache, a core.
struct NodeLevel {
  std::string type;         ///< hwloc's name of it.
  uint64_t bytes = 0;       ///< Of a cache; 0 for what is none.
  uint32_t core_count = 0;  ///< Below one unit, of the largest.
};

/// The cores of a machine and what they share.
struct Node {
  std::vector<NodeLevel> levels;  ///< Outermost first, "Machine"; the last one is "Core".
  /// Of each core, as they are neighbours in the hardware, the unit of each level that it is in.
  std::vector<std::vector<uint32_t>> units;
  std::vector<uint32_t> pu_of_core;  ///< The system's number of the first PU of each.
};

/// The hardware of one host, as hwloc saw it when it was exported. Immutable; any number of threads
/// may ask at the same time.
class Topology {
 public:
  /// Reads an XML file of hwloc 1 or 2.
  /// errors  kNotFound, kIo; kUnsupported for XML of hwloc 3; kCorrupt for anything else that hwloc
  ///         refuses.
  static base::Result<Topology> read(const std::filesystem::path& path);
  /// This machine, as far as this process may use it.
  /// errors  kIo
  static base::Result<Topology> own();
  /// What hwloc makes of such a text: "package:2 l3:2 l2:4 core:2 pu:1".
  /// errors  kInvalidArgument
  static base::Result<Topology> synthetic(const std::string& description);
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;
  ~Topology();

  /// Where the PUs in `cpus` ("0-3,8") are, of which only those count that the machine has and that
  /// are switched on.
  /// errors  kInvalidArgument when `cpus` is no such list, or no PU of it counts.
  [[nodiscard]] base::Result<Binding> binding(std::string_view cpus) const;

  /// The PUs with these numbers of the operating system, and the machine, groups, packages, NUMA
  /// nodes, data caches and cores that hold any of them. Numbers that the machine has not are left
  /// out. Rows are those of the kinds that the machine has; NUMA nodes stand below what they belong
  /// to.
  [[nodiscard]] Parts parts(const std::vector<uint32_t>& pus) const;

  /// Cores and their levels; where the machine tells of no cores, each PU is one. Left out are
  /// levels that say nothing of cores (PUs, memory that is nobody's own), and those that are no
  /// cache and hold the same cores as the one around them.
  [[nodiscard]] Node node() const;

 private:
  struct Handle;
  explicit Topology(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

}  // namespace pathline::host
