// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pathline::base {

/// Where and why a filter file was refused. `text` lives as long as the program.
struct FilterError {
  uint32_t line = 0;  ///< From 1; 0 when it is none of a line's fault.
  const char* text = "";
};

/// Which regions are left out of a recording, in the syntax of Score-P's filter files:
///
///   SCOREP_REGION_NAMES_BEGIN      or SCOREP_FILE_NAMES_BEGIN, for the file that a region is in
///     EXCLUDE *                    the last rule that matches decides; without one it is recorded
///     INCLUDE main solve_*         patterns as of a shell: * ? [a-z] [!a-z], \ before a blank, a #
///             MPI_*                or a letter that means something
///     EXCLUDE MANGLED _ZN3fooEv    names as the linker knows them
///   SCOREP_REGION_NAMES_END        # a comment
///
/// A region is left out if the rules for names or those for files exclude it.
///
/// The recorder compiles this too: no exceptions, no library beyond libc. Memory is taken by
/// parse() only. excludes() may be called by any number of threads.
class RegionFilter {
 public:
  RegionFilter() = default;
  RegionFilter(RegionFilter&& other) noexcept;
  RegionFilter& operator=(RegionFilter&& other) noexcept;
  RegionFilter(const RegionFilter&) = delete;
  RegionFilter& operator=(const RegionFilter&) = delete;
  ~RegionFilter();

  /// Replaces the rules by those in `text`, which is copied.
  /// returns  false with `error` set and no rules at all.
  /// cost     O(bytes).
  bool parse(std::string_view text, FilterError& error) noexcept;

  /// mangled, file  "" if not known: no rule about them matches then.
  /// cost           O(rules), each O(name * pattern) at the worst.
  [[nodiscard]] bool excludes(std::string_view name, std::string_view mangled = {},
                              std::string_view file = {}) const noexcept;
  [[nodiscard]] size_t rule_count() const noexcept { return rule_count_; }

 private:
  enum class Subject : uint8_t { kName, kMangled, kFile };
  struct Rule {
    const char* pattern;
    uint32_t length;
    Subject subject;
    bool exclude;
  };
  bool read_rules(FilterError& error) noexcept;
  bool add(std::string_view pattern, Subject subject, bool exclude) noexcept;
  void clear() noexcept;

  char* text_ = nullptr;
  size_t text_size_ = 0;
  Rule* rules_ = nullptr;
  size_t rule_count_ = 0;
  size_t rule_capacity_ = 0;
};

/// True if `pattern`, as in a filter file, matches all of `text`.
bool glob_matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace pathline::base
