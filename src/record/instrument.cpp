// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of programs compiled with -finstrument-functions. Their names come from the symbol
// tables of the files they are in, which are looked up when a function is called for the first
// time.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/process.hpp"
#include "record/regions.hpp"

namespace pathline::record {
namespace {

/// A file mapped for reading, by raw system calls: they may be recorded otherwise.
class File {
 public:
  explicit File(const char* path) {
    const auto fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
    if (fd < 0) return;
    const auto end = syscall(SYS_lseek, fd, 0, SEEK_END);
    if (end > 0) {
      void* memory = mmap(nullptr, static_cast<size_t>(end), PROT_READ, MAP_PRIVATE, fd, 0);
      if (memory != MAP_FAILED) {
        data_ = static_cast<const char*>(memory);
        size_ = static_cast<size_t>(end);
      }
    }
    syscall(SYS_close, fd);
  }
  ~File() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  /// nullptr unless `count` of T lie at `offset`.
  template <class T>
  const T* at(uint64_t offset, uint64_t count) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

/// The name of the function that begins at `address` of the file, "" if the file has no symbols.
void name_in_file(const char* path, uint64_t address, char* name, size_t size) {
  name[0] = '\0';
  const File file(path);
  const auto* header = file.at<ElfW(Ehdr)>(0, 1);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_shentsize != sizeof(ElfW(Shdr))) {
    return;
  }
  const auto* sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const ElfW(Shdr)& section = sections[i];
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= header->e_shnum) continue;
    const uint64_t count = section.sh_size / sizeof(ElfW(Sym));
    const auto* symbols = file.at<ElfW(Sym)>(section.sh_offset, count);
    const ElfW(Shdr)& texts = sections[section.sh_link];
    const auto* text = file.at<char>(texts.sh_offset, texts.sh_size);
    if (symbols == nullptr || text == nullptr) return;
    for (uint64_t s = 0; s < count; ++s) {
      if (symbols[s].st_value != address || (symbols[s].st_info & 0xfU) != STT_FUNC ||
          symbols[s].st_name >= texts.sh_size) {
        continue;
      }
      const size_t room = texts.sh_size - symbols[s].st_name;
      const size_t length = strnlen(text + symbols[s].st_name, room);
      if (length == room || length == 0 || length >= size) continue;
      std::memcpy(name, text + symbols[s].st_name, length + 1);
      return;
    }
  }
}

/// A function that the filter leaves out; pathline_region_next may ask for its next call.
struct FilteredName {
  FilteredName* next;
  uint32_t region;
  char text[64];
};
std::atomic<FilteredName*> filtered_names{nullptr};

void remember(uint32_t region, const char* name) {
  auto* added = static_cast<FilteredName*>(std::malloc(sizeof(FilteredName)));
  if (added == nullptr) return;
  added->region = region;
  std::strncpy(added->text, name, sizeof added->text - 1);
  added->text[sizeof added->text - 1] = '\0';
  added->next = filtered_names.load();
  while (!filtered_names.compare_exchange_weak(added->next, added)) {
  }
}

/// Did this thread ask for the next call of this function? Once only.
bool is_wanted(uint32_t region) {
  for (const FilteredName* known = filtered_names.load(); known != nullptr; known = known->next) {
    if (known->region != region) continue;
    if (std::strncmp(known->text, thread.wanted, sizeof thread.wanted - 1) != 0) return false;
    thread.wanted[0] = '\0';
    return true;
  }
  return false;
}

constexpr uint32_t kRoleFunction = 1;
constexpr uint32_t kParadigmCompiler = 2;

uint32_t define_at(void* function) {
  const OwnEnvironment environment;
  Dl_info info{};
  char name[1024] = "";
  const char* file = "";
  if (dladdr(function, &info) != 0) {
    file = info.dli_fname;
    if (info.dli_sname != nullptr && info.dli_saddr == function) {
      std::strncpy(name, info.dli_sname, sizeof name - 1);
    } else {
      // Programs are linked to a fixed address or to 0; libraries to 0.
      const auto* base = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
      auto address = reinterpret_cast<uint64_t>(function);
      if (base->e_type == ET_DYN) address -= reinterpret_cast<uint64_t>(base);
      // The name that the program was started with may lead nowhere.
      name_in_file(file, address, name, sizeof name);
      if (name[0] == '\0') name_in_file("/proc/self/exe", address, name, sizeof name);
    }
  }
  if (name[0] == '\0') std::snprintf(name, sizeof name, "function at %p", function);
  // C++ programs bring what makes their names readable.
  using Demangle = char*(const char*, char*, size_t*, int*);
  const auto demangle = reinterpret_cast<Demangle*>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  int status = -1;
  char* readable = demangle == nullptr ? nullptr : demangle(name, nullptr, nullptr, &status);
  const char* shown = readable == nullptr ? name : readable;
  uint32_t region =
      define_region(shown, role_and_paradigm(kRoleFunction, kParadigmCompiler), file, 0);
  if (region != 0 && filtered(shown, name, file)) region |= kHidden;
  if (region != 0 && (region & kHidden) != 0) remember(region, shown);
  std::free(readable);
  return region;
}

/// Regions by address, read without a lock. One that does not fit any more is not recorded.
constexpr size_t kSlots = 1U << 16U;
struct Slot {
  std::atomic<void*> function;
  std::atomic<uint32_t> region;
};
std::atomic<Slot*> table{nullptr};
Mutex table_lock;

Slot* slots() {
  Slot* known = table.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const Lock guard(table_lock);
  known = table.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* memory = mmap(nullptr, kSlots * sizeof(Slot), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  table.store(static_cast<Slot*>(memory), std::memory_order_release);
  return static_cast<Slot*>(memory);
}

/// 0 if it is not known, and `define` is false or it cannot be defined.
uint32_t region_at(void* function, bool define) {
  Slot* const all = slots();
  if (all == nullptr) return 0;
  size_t i = (reinterpret_cast<uintptr_t>(function) >> 4U) * 0x9e3779b97f4a7c15ULL >> 48U;
  uint32_t region = 0;
  bool is_defined = false;
  for (size_t tries = 0; tries < 64; ++tries, i = (i + 1) % kSlots) {
    void* there = all[i].function.load(std::memory_order_acquire);
    if (there == function) return all[i].region.load(std::memory_order_relaxed);
    if (there != nullptr) continue;
    if (!define) return 0;
    // Before the lock: finding the name takes that of the loader, under which another thread may
    // run constructors that come here. Two threads may define it twice, which is one region in the
    // end.
    if (!is_defined) region = define_at(function);
    is_defined = true;
    const Lock guard(table_lock);
    there = all[i].function.load(std::memory_order_acquire);
    if (there == nullptr) {
      all[i].region.store(region, std::memory_order_relaxed);
      all[i].function.store(function, std::memory_order_release);
      return region;
    }
    if (there == function) return all[i].region.load(std::memory_order_relaxed);
  }
  return 0;
}

}  // namespace
}  // namespace pathline::record

using namespace pathline::record;

extern "C" {

PATHLINE_EXPORT void __cyg_profile_func_enter(void* function, void* caller) {
  (void)caller;
  if (!process.started.load(std::memory_order_relaxed) || !is_outside()) return;
  uint32_t region = 0;
  {
    const Inside inside;
    region = region_at(function, wants() != 0);
    if ((region & kHidden) != 0 && thread.wanted[0] != '\0' && is_wanted(region)) {
      region &= ~kHidden;
    }
  }
  enter_region(region, kFunction);
}

PATHLINE_EXPORT void __cyg_profile_func_exit(void* function, void* caller) {
  (void)caller;
  if (thread.user_depth != 0 && is_outside()) {
    leave_function(region_at(function, false) & kRegionMask);
  }
}

}  // extern "C"
