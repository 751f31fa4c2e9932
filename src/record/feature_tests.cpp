// SPDX-License-Identifier: BSD-3-Clause
//
// The trampolines carry the names of all functions of all MPIs, and others those of OpenMP's
// runtime. A program may ask whether its MPI has a function, by a weak symbol or by dlsym(), and
// must hear the same as without us: weak references to what no library behind us has become null,
// and where there is an MPI, what it lacks is taken out of our table of symbols. A process that
// loads its MPI later (Python) needs our names.
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/process.hpp"
#include "record/trampolines.hpp"

namespace pathline::record {
namespace {

/// What the dynamic section of a loaded file leads to.
struct Dynamic {
  ElfW(Addr) base = 0;
  const char* texts = nullptr;
  ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * relocations[2] = {};
  size_t relocation_bytes[2] = {};
  const uint32_t* gnu_hash = nullptr;
};

Dynamic dynamic_of(const dl_phdr_info& info) {
  Dynamic found;
  found.base = info.dlpi_addr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      // The loader turns these into addresses, but for what the kernel brought.
      const ElfW(Addr) value = entry->d_un.d_ptr;
      const ElfW(Addr) at = value < info.dlpi_addr ? info.dlpi_addr + value : value;
      switch (entry->d_tag) {
        case DT_STRTAB: found.texts = reinterpret_cast<const char*>(at); break;
        case DT_SYMTAB: found.symbols = reinterpret_cast<ElfW(Sym)*>(at); break;
        case DT_RELA: found.relocations[0] = reinterpret_cast<const ElfW(Rela)*>(at); break;
        case DT_RELASZ: found.relocation_bytes[0] = entry->d_un.d_val; break;
        case DT_JMPREL: found.relocations[1] = reinterpret_cast<const ElfW(Rela)*>(at); break;
        case DT_PLTRELSZ: found.relocation_bytes[1] = entry->d_un.d_val; break;
        case DT_GNU_HASH: found.gnu_hash = reinterpret_cast<const uint32_t*>(at); break;
        default: break;
      }
    }
  }
  return found;
}

/// Sets what may be done with the pages of [begin, end).
bool protect(const void* begin, const void* end, int protection) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(begin) / page * page;
  return mprotect(reinterpret_cast<void*>(first), reinterpret_cast<uintptr_t>(end) - first,
                  protection) == 0;
}

/// One of our functions that stand in front of a runtime of OpenMP.
bool is_of_openmp(const char* name, const void* address) {
  Dl_info there{};
  Dl_info own{};
  return std::strncmp(name, "GOMP_", 5) == 0 && dladdr(address, &there) != 0 &&
         dladdr(reinterpret_cast<const void*>(&dynamic_of), &own) != 0 &&
         there.dli_fbase == own.dli_fbase;
}

bool is_missing(const char* name) { return dlsym(RTLD_NEXT, name) == nullptr; }

/// Is a page of this file read-only after relocation?
int protection_of(const dl_phdr_info& info, ElfW(Addr) at) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const ElfW(Addr) begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_RELRO && at >= begin && at < begin + segment.p_memsz) {
      return PROT_READ;
    }
  }
  return PROT_READ | PROT_WRITE;
}

/// Weak references of a file that were bound to a trampoline without a function behind it.
int unbind(dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  const Dynamic file = dynamic_of(*info);
  if (file.symbols == nullptr || file.texts == nullptr) return 0;
  for (int table = 0; table < 2; ++table) {
    const size_t count = file.relocation_bytes[table] / sizeof(ElfW(Rela));
    for (size_t i = 0; file.relocations[table] != nullptr && i < count; ++i) {
      const ElfW(Rela)& relocation = file.relocations[table][i];
      const auto type = static_cast<uint32_t>(ELF64_R_TYPE(relocation.r_info));
      if (type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT && type != R_X86_64_64) continue;
      const ElfW(Sym)& symbol = file.symbols[ELF64_R_SYM(relocation.r_info)];
      if (ELF64_ST_BIND(symbol.st_info) != STB_WEAK || symbol.st_shndx != SHN_UNDEF) continue;
      auto* slot = reinterpret_cast<void**>(file.base + relocation.r_offset);
      const char* name = file.texts + symbol.st_name;
      if (!is_trampoline(*slot) && !is_of_openmp(name, *slot)) continue;
      if (!is_missing(name)) continue;
      // Only the loader may write in what it has relocated.
      if (!protect(slot, slot + 1, PROT_READ | PROT_WRITE)) continue;
      *slot = nullptr;
      protect(slot, slot + 1, protection_of(*info, reinterpret_cast<ElfW(Addr)>(slot)));
    }
  }
  return 0;
}

/// Is there code in the segment that holds `at`?
bool is_executable(const dl_phdr_info& info, ElfW(Addr) at) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const ElfW(Addr) begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && at >= begin && at < begin + segment.p_memsz) {
      return (segment.p_flags & PF_X) != 0;
    }
  }
  return true;
}

/// Our own symbols that the MPI here lacks: without an address the loader passes them by. Those of
/// Fortran stay, whose library may come later.
int hide(dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  if (reinterpret_cast<const void*>(info->dlpi_addr) != data) return 0;
  const Dynamic file = dynamic_of(*info);
  if (file.symbols == nullptr || file.texts == nullptr || file.gnu_hash == nullptr) return 1;
  if (is_executable(*info, reinterpret_cast<ElfW(Addr)>(file.symbols))) return 1;
  // The hashed symbols stand behind the others, in chains whose ends have bit 0 set.
  const uint32_t buckets = file.gnu_hash[0];
  const uint32_t first = file.gnu_hash[1];
  const uint32_t* heads = file.gnu_hash + 4 + file.gnu_hash[2] * (sizeof(ElfW(Addr)) / 4);
  const uint32_t* chain = heads + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i) {
    if (heads[i] > last) last = heads[i];
  }
  if (last < first) return 1;
  while ((chain[last - first] & 1U) == 0) ++last;
  ElfW(Sym)* const end = file.symbols + last + 1;
  if (!protect(file.symbols + first, end, PROT_READ | PROT_WRITE)) return 1;
  for (uint32_t i = first; i <= last; ++i) {
    ElfW(Sym)& symbol = file.symbols[i];
    void* address = reinterpret_cast<void*>(file.base + symbol.st_value);
    const char* name = file.texts + symbol.st_name;
    if (is_trampoline(address) && std::strncmp(name, "MPI", 3) == 0 && is_missing(name)) {
      symbol.st_value = 0;
    }
  }
  protect(file.symbols + first, end, PROT_READ);
  return 1;
}

}  // namespace

void answer_feature_tests(bool has_mpi) {
  dl_iterate_phdr(unbind, nullptr);
  Dl_info self{};
  if (!has_mpi || dladdr(reinterpret_cast<void*>(&answer_feature_tests), &self) == 0) return;
  dl_iterate_phdr(hide, self.dli_fbase);
}

}  // namespace pathline::record
