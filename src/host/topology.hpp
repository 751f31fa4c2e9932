// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
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

/// The hardware of one host, as hwloc saw it when it was exported. Immutable; any number of threads
/// may ask at the same time.
class Topology {
 public:
  /// Reads an XML file of hwloc 1 or 2.
  /// errors  kNotFound, kIo; kUnsupported for XML of hwloc 3; kCorrupt for anything else that hwloc
  ///         refuses.
  static base::Result<Topology> read(const std::filesystem::path& path);
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;
  ~Topology();

  /// Where the PUs in `cpus` ("0-3,8") are, of which only those count that the machine has and that
  /// are switched on.
  /// errors  kInvalidArgument when `cpus` is no such list, or no PU of it counts.
  [[nodiscard]] base::Result<Binding> binding(std::string_view cpus) const;

 private:
  struct Handle;
  explicit Topology(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

}  // namespace pathline::host
