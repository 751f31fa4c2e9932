// SPDX-License-Identifier: BSD-3-Clause
#include "app/program_file.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <span>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.hpp"

namespace pathline::app {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr unsigned char kOwnClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kOwnOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
#if defined(__x86_64__)
constexpr Elf64_Half kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kOwnMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr Elf64_Half kOwnMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr Elf64_Half kOwnMachine = EM_PPC64;
#else
constexpr Elf64_Half kOwnMachine = EM_NONE;
#endif

/// A struct of the file at `offset`; false if the file ends before.
template <class Struct>
bool read(Bytes bytes, uint64_t offset, Struct& result) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Struct)) return false;
  std::memcpy(&result, bytes.data() + offset, sizeof(Struct));
  return true;
}

/// Where the address of a running program lies in its file; absent if nowhere.
std::optional<uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments, uint64_t address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

/// The text up to its zero; absent if the file ends before.
std::optional<std::string> text_at(Bytes bytes, uint64_t offset) {
  if (offset >= bytes.size()) return std::nullopt;
  const Bytes rest = bytes.subspan(offset);
  const auto end = std::find(rest.begin(), rest.end(), 0);
  if (end == rest.end()) return std::nullopt;
  return std::string(rest.begin(), end);
}

/// Fills in what the program headers of a 64-bit file say. Returns what is wrong with it, "" for
/// nothing.
std::string read_segments(Bytes bytes, const Elf64_Ehdr& header, ProgramFile& program) {
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  for (size_t i = 0; i < segments.size(); ++i) {
    if (!read(bytes, header.e_phoff + i * sizeof(Elf64_Phdr), segments[i])) {
      return "its program headers lie behind its end";
    }
  }
  std::vector<uint64_t> names;  // Offsets into the string table.
  uint64_t strings = 0;
  for (const Elf64_Phdr& segment : segments) {
    program.dynamic = program.dynamic || segment.p_type == PT_INTERP;
    if (segment.p_type != PT_DYNAMIC) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry{};
      if (!read(bytes, segment.p_offset + at, entry)) return "its dynamic section is cut off";
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
    }
  }
  const auto table = file_offset(segments, strings);
  if (!names.empty() && !table) return "its string table lies in no segment";
  for (const uint64_t name : names) {
    auto text = text_at(bytes, *table + name);
    if (!text) return "the name of a library lies behind its end";
    program.needed.push_back(std::move(*text));
  }
  return "";
}

bool has_other_rights(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0) {
    return true;
  }
  return ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

base::Result<ProgramFile> look_at_program(const std::filesystem::path& path) {
  const auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file.value().bytes();
  ProgramFile program;
  program.other_rights = has_other_rights(path);
  const std::string_view text = file.value().text();
  if (text.starts_with("#!")) {
    program.kind = ProgramFile::Kind::kScript;
    const std::string_view line = text.substr(2, std::min<size_t>(text.find('\n'), 256) - 2);
    program.interpreter = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    return program;
  }
  Elf64_Ehdr header{};
  if (!text.starts_with(ELFMAG)) return program;
  if (!read(bytes, 0, header) || header.e_ident[EI_CLASS] != kOwnClass || kOwnClass != ELFCLASS64 ||
      header.e_ident[EI_DATA] != kOwnOrder ||
      (kOwnMachine != EM_NONE && header.e_machine != kOwnMachine)) {
    program.kind = ProgramFile::Kind::kForeignElf;
    return program;
  }
  program.kind = ProgramFile::Kind::kElf;
  if (const std::string wrong = read_segments(bytes, header, program); !wrong.empty()) {
    return base::Error{base::ErrorCode::kCorrupt,
                       fmt::format("{} is a damaged ELF file: {}", path.string(), wrong)};
  }
  return program;
}

std::optional<MpiFamily> mpi_family(std::string_view library) {
  const auto is = [&](std::string_view name) { return library.starts_with(name); };
  if (library.find(".so") == std::string_view::npos || !is("libmpi")) return std::nullopt;
  // Open MPI 2 to 5, C and Fortran; 12 is the number of the interface that MPICH, Intel and
  // MVAPICH share.
  for (const std::string_view name :
       {"libmpi.so.20", "libmpi.so.40", "libmpi_mpifh.so", "libmpi_usempi", "libmpi_cxx.so"}) {
    if (is(name)) return MpiFamily::kOpenMpi;
  }
  for (const std::string_view name : {"libmpi.so.12", "libmpich", "libmpifort", "libmpicxx.so.12",
                                      "libmpi_cray", "libmpi_gnu", "libmpi_intel", "libmpi_amd"}) {
    if (is(name)) return MpiFamily::kMpich;
  }
  return MpiFamily::kUnknown;
}

std::filesystem::path find_executable(const std::string& name) {
  const auto usable = [](const std::filesystem::path& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    return usable(name) ? std::filesystem::path(name) : std::filesystem::path();
  }
  const char* variable = std::getenv("PATH");
  const std::string_view folders = variable != nullptr ? variable : "/usr/local/bin:/bin:/usr/bin";
  for (size_t begin = 0; begin <= folders.size() && !name.empty();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string_view folder = folders.substr(begin, end - begin);
    const std::filesystem::path path = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (usable(path)) return path;
    begin = end + 1;
  }
  return {};
}

}  // namespace pathline::app
