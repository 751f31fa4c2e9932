// SPDX-License-Identifier: BSD-3-Clause
#include "record/grid_file.hpp"

#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace pathline::record {
namespace {

static_assert(std::endian::native == std::endian::little);

/// More cells or points than any process has; keeps sizes in bytes from overflowing.
constexpr int64_t kMostItems = int64_t{1} << 40;
constexpr uint8_t kPolyhedron = 42;

/// Points of a cell by VTK's type, 0 where their number is free.
constexpr uint8_t kPointsOfType[] = {0, 1,  0,  2, 0, 3, 0, 0, 4, 4, 4,  8,  8,  6,
                                     5, 10, 12, 0, 0, 0, 0, 3, 6, 8, 10, 20, 15, 13};

using Why = char (&)[256];

__attribute__((format(printf, 2, 3))) bool wrong(Why why, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it does not see va_start here
  std::vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  return false;
}

long long shown(int64_t number) { return static_cast<long long>(number); }

int64_t connectivity_size(const Grid& grid) {
  return grid.n_cells == 0 ? 0 : grid.offsets[grid.n_cells - 1];
}

bool is_count(Why why, const char* name, int64_t count) {
  return (count >= 0 && count <= kMostItems) || wrong(why, "%s is %lld", name, shown(count));
}

/// Is there memory in all of it that may be read? To try would end the program.
bool is_memory(const void* begin, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = from / page * page;
  if (from + bytes < from) return false;
  // The kernel has nothing to do for MS_ASYNC but to look.
  const auto answer = syscall(SYS_msync, first, from - first + bytes, MS_ASYNC);
  if (answer != 0 && errno == ENOMEM) return false;
  constexpr size_t kPages = 256;
  iovec pages[kPages];
  char bytes_of_pages[kPages];
  for (uintptr_t at = from; at < from + bytes;) {
    size_t count = 0;
    for (; count < kPages && at < from + bytes; ++count) {
      pages[count] = {const_cast<char*>(static_cast<const char*>(begin)) + (at - from), 1};
      at = at / page * page + page;
    }
    const iovec copy = {bytes_of_pages, count};
    const auto read = syscall(SYS_process_vm_readv, getpid(), &copy, 1UL, pages, count, 0UL);
    if (read < 0 && errno != EFAULT) return true;  // It may not be asked.
    if (read != static_cast<long>(count)) return false;
  }
  return true;
}

bool has_array(Why why, const char* name, const void* begin, int64_t count, size_t item_bytes) {
  if (count == 0) return true;
  if (begin == nullptr) return wrong(why, "%s is NULL, expected %lld values", name, shown(count));
  if (is_memory(begin, static_cast<size_t>(count) * item_bytes)) return true;
  return wrong(why, "%s leads to memory that is not there, expected %lld values", name,
               shown(count));
}

constexpr uint64_t kFactor = 0x9e3779b97f4a7c15ULL;

uint64_t hash_of(const void* begin, size_t bytes, uint64_t seed) {
  // Four chains, which the processor works on at a time. Each step is one to one, so that a changed
  // word always changes the end.
  uint64_t chains[4] = {seed, seed + 1, seed + 2, seed + 3};
  const auto add = [&](const char* block) {
    uint64_t words[4];
    std::memcpy(words, block, sizeof words);
    for (int i = 0; i < 4; ++i) {
      chains[i] = std::rotl((chains[i] ^ words[i]) * kFactor, 29);
    }
  };
  const auto* at = static_cast<const char*>(begin);
  size_t left = bytes;
  for (; left >= 32; left -= 32, at += 32) add(at);
  char last[32] = {};
  if (left > 0) std::memcpy(last, at, left);
  add(last);
  uint64_t hash = bytes;
  for (const uint64_t chain : chains) hash = std::rotl((hash ^ chain) * kFactor, 31);
  return hash ^ hash >> 32U;
}

int make_folder(const char* path) {
  return syscall(SYS_mkdirat, AT_FDCWD, path, 0755) == 0 || errno == EEXIST ? 0 : errno;
}

/// A folder and the two above it.
int make_folders(const char* path) {
  char part[1200];
  const size_t length = std::strlen(path);
  if (length >= sizeof part) return ENAMETOOLONG;
  std::memcpy(part, path, length + 1);
  char* ends[2] = {};
  for (char*& end : ends) {
    end = std::strrchr(part, '/');
    if (end == nullptr) return EINVAL;
    *end = '\0';
  }
  // From the second above on: it exists unless somebody has taken the run away.
  for (int i = 1; i >= 0; --i) {
    if (const int error = make_folder(part); error != 0) return error;
    *ends[i] = '/';
  }
  return make_folder(path);
}

/// Writes it all, however much the system takes at a time.
int write_all(int fd, iovec* parts, int count) {
  while (count > 0) {
    if (parts->iov_len == 0) {
      ++parts;
      --count;
      continue;
    }
    const auto written = syscall(SYS_writev, fd, parts, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    auto left = static_cast<size_t>(written);
    while (count > 0 && left >= parts->iov_len) {
      left -= parts->iov_len;
      ++parts;
      --count;
    }
    if (count == 0) break;
    parts->iov_base = static_cast<char*>(parts->iov_base) + left;
    parts->iov_len -= left;
  }
  return 0;
}

constexpr char kEnd[] = "\n</AppendedData>\n</VTKFile>\n";

/// The file as what writev() takes: XML, then each array behind its size.
class Parts {
 public:
  explicit Parts(const Grid& grid) {
    const auto cells = static_cast<size_t>(grid.n_cells);
    add(grid.points, 3 * sizeof(double) * static_cast<size_t>(grid.n_points));
    add(grid.connectivity, sizeof(int64_t) * static_cast<size_t>(connectivity_size(grid)));
    add(grid.offsets, sizeof(int64_t) * cells);
    add(grid.types, cells);
    const int length = std::snprintf(
        xml_, sizeof xml_,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n"
        "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n"
        "<Points>\n"
        "<DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" format=\"appended\" "
        "offset=\"%zu\"/>\n"
        "</Points>\n<Cells>\n"
        "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"appended\" offset=\"%zu\"/>\n"
        "<DataArray type=\"Int64\" Name=\"offsets\" format=\"appended\" offset=\"%zu\"/>\n"
        "<DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" offset=\"%zu\"/>\n"
        "</Cells>\n<PointData>\n</PointData>\n<CellData>\n</CellData>\n"
        "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_",
        shown(grid.n_points), shown(grid.n_cells), offsets_[0], offsets_[1], offsets_[2],
        offsets_[3]);
    parts_[0] = {xml_, static_cast<size_t>(length)};
    parts_[kCount - 1] = {const_cast<char*>(kEnd), sizeof kEnd - 1};
  }
  ~Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  [[nodiscard]] uint64_t bytes() const { return parts_[0].iov_len + at_ + sizeof kEnd - 1; }
  int write_to(int fd) { return write_all(fd, parts_, kCount); }

 private:
  static constexpr int kArrays = 4;
  static constexpr int kCount = 2 * kArrays + 2;

  void add(const void* begin, size_t bytes) {
    sizes_[array_] = bytes;
    offsets_[array_] = at_;
    parts_[1 + 2 * array_] = {&sizes_[array_], sizeof sizes_[0]};
    parts_[2 + 2 * array_] = {const_cast<void*>(begin), bytes};
    at_ += sizeof sizes_[0] + bytes;
    ++array_;
  }

  char xml_[1400];
  iovec parts_[kCount];
  uint64_t sizes_[kArrays];
  size_t offsets_[kArrays];
  size_t at_ = 0;
  int array_ = 0;
};

}  // namespace

bool is_readable(const Grid& grid, char (&why)[256]) {
  why[0] = '\0';
  if (!is_count(why, "n_points", grid.n_points) || !is_count(why, "n_cells", grid.n_cells)) {
    return false;
  }
  if (!has_array(why, "points", grid.points, grid.n_points, 3 * sizeof(double)) ||
      !has_array(why, "offsets", grid.offsets, grid.n_cells, sizeof(int64_t)) ||
      !has_array(why, "types", grid.types, grid.n_cells, 1)) {
    return false;
  }
  const int64_t corners = connectivity_size(grid);
  if (corners < 0 || corners > kMostItems) {
    return wrong(why,
                 "the offset of the last cell, %lld, is %lld, expected the length of connectivity",
                 shown(grid.n_cells - 1), shown(corners));
  }
  return has_array(why, "connectivity", grid.connectivity, corners, sizeof(int64_t));
}

bool is_mesh(const Grid& grid, char (&why)[256]) {
  why[0] = '\0';
  const int64_t corners = connectivity_size(grid);
  int64_t begin = 0;
  for (int64_t cell = 0; cell < grid.n_cells; ++cell) {
    const int64_t end = grid.offsets[cell];
    if (end < begin || end > corners) {
      return wrong(
          why,
          "the offset of cell %lld is %lld, expected %lld to %lld: offsets ascend, and say "
          "where the points of each cell end",
          shown(cell), shown(end), shown(begin), shown(corners));
    }
    const uint8_t type = grid.types[cell];
    if (type == kPolyhedron) {
      return wrong(why, "cell %lld is a polyhedron (type 42), whose faces cannot be handed over",
                   shown(cell));
    }
    const int64_t wanted = type < sizeof kPointsOfType ? kPointsOfType[type] : 0;
    if (wanted != 0 && end - begin != wanted) {
      return wrong(why, "cell %lld of type %d has %lld points, expected %lld", shown(cell), type,
                   shown(end - begin), shown(wanted));
    }
    for (int64_t i = begin; i < end; ++i) {
      const int64_t point = grid.connectivity[i];
      if (point >= 0 && point < grid.n_points) continue;
      return wrong(why, "cell %lld names point %lld, expected 0 to %lld", shown(cell), shown(point),
                   shown(grid.n_points - 1));
    }
    begin = end;
  }
  return true;
}

uint64_t hash_of(const Grid& grid) {
  const auto cells = static_cast<size_t>(grid.n_cells);
  uint64_t hash = hash_of(grid.points, 3 * sizeof(double) * static_cast<size_t>(grid.n_points), 1);
  hash = hash_of(grid.connectivity, sizeof(int64_t) * static_cast<size_t>(connectivity_size(grid)),
                 hash);
  hash = hash_of(grid.offsets, sizeof(int64_t) * cells, hash);
  return hash_of(grid.types, cells, hash);
}

int write_grid_file(const Grid& grid, const char* folder, uint32_t rank) {
  if (const int error = make_folders(folder); error != 0) return error;
  Parts parts(grid);
  // Beyond this limit the system does not fail but ends the program.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      parts.bytes() > limit.rlim_cur) {
    return EFBIG;
  }
  char name[1300];
  char temporary[1300];
  std::snprintf(name, sizeof name, "%s/rank_%u.vtu", folder, rank);
  std::snprintf(temporary, sizeof temporary, "%s/rank_%u.vtu.part", folder, rank);
  const auto fd = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (fd < 0) return errno;
  int error = parts.write_to(fd);
  if (syscall(SYS_close, fd) != 0 && error == 0) error = errno;
  if (error == 0 && syscall(SYS_renameat, AT_FDCWD, temporary, AT_FDCWD, name) != 0) {
    error = errno;
  }
  if (error != 0) (void)syscall(SYS_unlinkat, AT_FDCWD, temporary, 0);
  return error;
}

}  // namespace pathline::record
