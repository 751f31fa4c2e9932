// SPDX-License-Identifier: BSD-3-Clause
#include "raw/call_sites.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <dwarf.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

namespace pathline::raw {
namespace {

namespace fs = std::filesystem;

/// Without the network that elfutils' own search asks.
int find_debuginfo(Dwfl_Module* module, void** /*data*/, const char* /*name*/, Dwarf_Addr /*base*/,
                   const char* /*file*/, const char* /*link*/, GElf_Word /*crc*/, char** found) {
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int length = dwfl_module_build_id(module, &bits, &address);
  if (length < 2) return -1;
  std::string path = "/usr/lib/debug/.build-id/";
  for (int i = 0; i < length; ++i) {
    path += fmt::format("{:02x}", bits[i]);
    if (i == 0) path += '/';
  }
  path += ".debug";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) *found = ::strdup(path.c_str());
  return file;
}

const Dwfl_Callbacks kCallbacks = {.find_elf = dwfl_build_id_find_elf,
                                   .find_debuginfo = find_debuginfo,
                                   .section_address = dwfl_offline_section_address,
                                   .debuginfo_path = nullptr};

/// "Solver::apply<double>" for "Solver::apply<double>(int) const".
std::string without_arguments(const std::string& name) {
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] != '(' || depth > 0) continue;
    const std::string_view before = std::string_view(name).substr(0, i);
    const bool is_operator = before.ends_with("operator");
    if (!is_operator && !name.compare(i, 21, "(anonymous namespace)")) continue;
    if (is_operator) {
      ++i;
      continue;
    }
    return name.substr(0, i);
  }
  return name;
}

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? without_arguments(text.get()) : std::string(symbol);
}

/// What was compiled at once, and where it was put.
struct Unit {
  Dwarf_Die* die = nullptr;
  Dwarf_Addr bias = 0;
};

/// Of an address. GCC writes a table of addresses for that, clang does not: then all units are
/// asked.
Unit unit_at(Dwfl_Module* module, Dwarf_Addr address) {
  Unit unit;
  unit.die = dwfl_module_addrdie(module, address, &unit.bias);
  if (unit.die != nullptr) return unit;
  while ((unit.die = dwfl_module_nextcu(module, unit.die, &unit.bias)) != nullptr) {
    if (dwarf_haspc(unit.die, address - unit.bias) > 0) return unit;
  }
  return {};
}

/// The innermost function at an address, also one that was inlined there; "" if that is not known.
/// symbol  of the address, or nullptr
std::string function_in_source(const Unit& unit, Dwarf_Addr address, const char* symbol) {
  if (unit.die == nullptr) return "";
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes(unit.die, address - unit.bias, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    Dwarf_Attribute attribute;
    for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
      if (dwarf_attr_integrate(&scopes[i], name, &attribute) == nullptr) continue;
      if (const char* text = dwarf_formstring(&attribute)) return readable(text);
    }
    // Functions of one file only have no such name there, but their symbol has; it has the
    // namespace.
    const bool is_cpp = symbol != nullptr && std::string_view(symbol).starts_with("_Z");
    if (tag == DW_TAG_subprogram && is_cpp) return readable(symbol);
    if (const char* text = dwarf_diename(&scopes[i])) return text;
  }
  return "";
}

}  // namespace

struct CallSites::Module {
  std::unique_ptr<Dwfl, decltype(&dwfl_end)> session{nullptr, &dwfl_end};
  Dwfl_Module* module = nullptr;  ///< nullptr: it cannot be read.
};

CallSites::CallSites() = default;
CallSites::~CallSites() = default;

CallSites::Module& CallSites::module_at(const std::string& path, uint64_t recorded_ns) {
  const auto [entry, added] = modules_.try_emplace(path);
  if (!added) return *entry->second;
  entry->second = std::make_unique<Module>();
  Module& module = *entry->second;
  struct stat file {};
  constexpr uint64_t kSecond = 1'000'000'000;
  if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return module;
  if (static_cast<uint64_t>(file.st_mtim.tv_sec) > recorded_ns / kSecond) return module;
  module.session.reset(dwfl_begin(&kCallbacks));
  if (!module.session) return module;
  module.module = dwfl_report_offline(module.session.get(), path.c_str(), path.c_str(), -1);
  dwfl_report_end(module.session.get(), nullptr, nullptr);
  return module;
}

const CallSites::Place& CallSites::place(std::string_view module, uint64_t address,
                                         uint64_t recorded_ns) {
  const std::string path(module);
  const auto [entry, added] = places_.try_emplace({path, address});
  Place& place = entry->second;
  if (!added) return place;
  const std::string file = fs::path(path).filename().string();
  place.name = fmt::format("{}+{:#x}", file, address);
  place.construct = place.name;
  Dwfl_Module* const known = module_at(path, recorded_ns).module;
  if (known == nullptr) return place;
  GElf_Addr bias = 0;
  if (dwfl_module_getelf(known, &bias) == nullptr) return place;
  const Dwarf_Addr here = address + bias;
  GElf_Sym entry_point;
  GElf_Off offset = 0;
  const char* symbol =
      dwfl_module_addrinfo(known, here, &offset, &entry_point, nullptr, nullptr, nullptr);
  const Unit unit = unit_at(known, here);
  std::string function = function_in_source(unit, here, symbol);
  if (function.empty() && symbol != nullptr) function = readable(symbol);
  if (function.empty()) return place;
  place.name = fmt::format("{} ({})", function, file);
  if (symbol != nullptr) place.construct = fmt::format("{}+{:#x}", readable(symbol), offset);
  Dwarf_Line* line = unit.die == nullptr ? nullptr : dwarf_getsrc_die(unit.die, here - unit.bias);
  const char* source = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
  int number = 0;
  if (source != nullptr && dwarf_lineno(line, &number) == 0) {
    place.construct = fmt::format("{}:{}", fs::path(source).filename().string(), number);
    place.name = fmt::format("{} ({})", function, place.construct);
    place.file = source;
    place.line = static_cast<uint32_t>(number);
  }
  return place;
}

}  // namespace pathline::raw
