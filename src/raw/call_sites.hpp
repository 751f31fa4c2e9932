// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pathline::raw {

/// What addresses in programs and libraries are called in their source, by their symbols and their
/// debugging information (DWARF), which elfutils' libdw reads. Information beside a file is looked
/// for by its build id below /usr/lib/debug; nothing is asked of the network.
class CallSites {
 public:
  CallSites();
  ~CallSites();
  CallSites(const CallSites&) = delete;
  CallSites& operator=(const CallSites&) = delete;

  struct Place {
    /// "exchange (halo.c:52)", where it is inlined as well; without debugging information
    /// "exchange (program)", without a symbol "program+0x1c40". That also for a file that is not
    /// there any more, or was changed after it was recorded: it may be another program by now.
    std::string name;
    /// "halo.c:52", without debugging information "exchange+0x3c", without a symbol
    /// "program+0x1c40".
    std::string construct;
    std::string file;   ///< Of the source, as the compiler had it; "" when not known.
    uint32_t line = 0;  ///< 0 when not known.
  };

  /// The place lives as long as this.
  ///
  /// address      as the symbol table of `module` counts
  /// recorded_ns  since 1970
  /// cost         the first address in a file reads its tables, others microseconds
  const Place& place(std::string_view module, uint64_t address, uint64_t recorded_ns);
  /// Place::name
  const std::string& name(std::string_view module, uint64_t address, uint64_t recorded_ns) {
    return place(module, address, recorded_ns).name;
  }

 private:
  struct Module;
  Module& module_at(const std::string& path, uint64_t recorded_ns);

  std::map<std::string, std::unique_ptr<Module>> modules_;
  std::map<std::pair<std::string, uint64_t>, Place> places_;
};

}  // namespace pathline::raw
