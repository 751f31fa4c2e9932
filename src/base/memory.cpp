// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

#include "base/parse.hpp"

namespace pathline::base {
namespace {

namespace fs = std::filesystem;

/// The number behind a word at the beginning of a line; of the first word with an empty one.
std::optional<uint64_t> number_in_file(const fs::path& file, std::string_view word) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first;
    std::string number;
    words >> first;
    if (word.empty()) {
      number = first;
    } else if (first == word) {
      words >> number;
    } else {
      continue;
    }
    return number_in<uint64_t>(number);  // "max" is none.
  }
  return {};
}

uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/// What a control group leaves, that of caches included.
std::optional<uint64_t> left_in(const fs::path& group, std::string_view limit_file,
                                std::string_view use_file, std::string_view caches) {
  const auto limit = number_in_file(group / limit_file, "");
  const auto use = number_in_file(group / use_file, "");
  if (!limit || !use) return {};
  return less(*limit, less(*use, number_in_file(group / "memory.stat", caches).value_or(0)));
}

/// What this process' control group and those around it leave.
uint64_t left_in_groups(const MemorySource& source) {
  uint64_t left = UINT64_MAX;
  std::ifstream in(source.proc / "self" / "cgroup");
  for (std::string line; std::getline(in, line);) {
    // hierarchy:controllers:/path
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && (',' + controllers + ',').find(",memory,") == std::string::npos) continue;
    const fs::path root = unified ? source.control_groups : source.control_groups / "memory";
    for (fs::path path = fs::path(line.substr(second + 1)).relative_path();;
         path = path.parent_path()) {
      const fs::path group = root / path;
      const auto of_group =
          unified ? left_in(group, "memory.max", "memory.current", "file")
                  : left_in(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache");
      left = std::min(left, of_group.value_or(UINT64_MAX));
      if (path.empty()) break;
    }
  }
  return left;
}

uint64_t left_of_address_space(const MemorySource& source) {
  uint64_t limit = source.address_space;
  rlimit of_system{};
  if (::getrlimit(RLIMIT_AS, &of_system) == 0 && of_system.rlim_cur != RLIM_INFINITY) {
    limit = std::min<uint64_t>(limit, of_system.rlim_cur);
  }
  if (limit == UINT64_MAX) return limit;
  const auto pages = number_in_file(source.proc / "self" / "statm", "").value_or(0);
  return less(limit, pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace

std::optional<uint64_t> available_memory(const MemorySource& source) {
  constexpr uint64_t kKibibyte = 1024;
  const auto of_system = number_in_file(source.proc / "meminfo", "MemAvailable:");
  const uint64_t swap =
      kKibibyte * number_in_file(source.proc / "meminfo", "SwapFree:").value_or(0);
  uint64_t left = of_system ? kKibibyte * *of_system + swap : UINT64_MAX;
  const uint64_t in_groups = left_in_groups(source);
  if (in_groups < UINT64_MAX - swap) left = std::min(left, in_groups + swap);
  left = std::min(left, left_of_address_space(source));
  if (left == UINT64_MAX) return {};
  return left;
}

}  // namespace pathline::base
