// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace pathline::base {

/// Where the system says how much memory there is. Others than its own are for tests.
struct MemorySource {
  std::filesystem::path proc = "/proc";
  std::filesystem::path control_groups = "/sys/fs/cgroup";
  uint64_t address_space = UINT64_MAX;  ///< RLIMIT_AS is looked at, too.
};

/// Bytes that this process may still take: what the system can give without writing to swap files
/// and what of these is free, or less where a control group (a container, a job of Slurm) or
/// RLIMIT_AS leaves less. Memory that only caches files counts as free. Rather too much than too
/// little; others may take it at any time.
///
/// returns  nullopt where the system does not say.
/// cost     reads some ten small files.
std::optional<uint64_t> available_memory(const MemorySource& source = {});

}  // namespace pathline::base
