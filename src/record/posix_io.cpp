// SPDX-License-Identifier: BSD-3-Clause
//
// libpathline-io.so, preloaded with --io: the POSIX functions that read and write files. What MPI
// and the recorder do themselves is not the program's, nor are the progress threads of MPI (PMIx):
// calls from the code of such libraries pass untouched. Sockets and pipes are no files.
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/process.hpp"

namespace pathline::record {
namespace {

constexpr uint32_t kRoleFileIo = 27;
constexpr uint32_t kRoleMetadata = 38;
constexpr int kMaxFiles = 65536;
constexpr uint32_t kNoFile = UINT32_MAX;  // Looked at: a socket, a pipe.

/// By descriptor. Its number may go to another file without our notice (dup2, fclose, popen), so
/// that what it leads to is looked at each time.
struct Descriptor {
  std::atomic<uint32_t> handle;  // 0: not yet looked at.
  std::atomic<uint64_t> device;
  std::atomic<uint64_t> inode;
};
Descriptor descriptors[kMaxFiles];
std::atomic<uint32_t> next_handle{1};
std::atomic<uint64_t> next_operation{1};

/// Code that is not the program's.
struct Range {
  uintptr_t begin;
  uintptr_t end;
};
constexpr size_t kMaxRanges = 256;
Range foreign[kMaxRanges];
std::atomic<size_t> foreign_count{0};
std::atomic<bool> looked{false};
Mutex look_lock;

bool is_foreign_file(const char* path) {
  constexpr const char* kParts[] = {
      "/libmpi",   "/libopen-",    "/openmpi/",  "/mca_",  "pmix",    "/libmpich", "/libevent",
      "/libhwloc", "/libpathline", "/libfabric", "/libuc", "/libpsm", "/libprrte"};
  for (const char* part : kParts) {
    if (std::strstr(path, part) != nullptr) return true;
  }
  return false;
}

int add_ranges(dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  if (!is_foreign_file(info->dlpi_name)) return 0;
  size_t count = foreign_count.load(std::memory_order_relaxed);
  for (int i = 0; i < info->dlpi_phnum && count < kMaxRanges; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    foreign[count++] = {info->dlpi_addr + segment.p_vaddr,
                        info->dlpi_addr + segment.p_vaddr + segment.p_memsz};
  }
  foreign_count.store(count, std::memory_order_release);
  return 0;
}

/// After MPI has started, which loads most of its parts.
void look_for_foreign_code() {
  const Lock guard(look_lock);
  if (looked.load(std::memory_order_relaxed)) return;
  dl_iterate_phdr(add_ranges, nullptr);
  looked.store(true, std::memory_order_release);
}

bool called_by_program(const void* caller) {
  if (wants() == 0 || !is_outside()) return false;
  if (!looked.load(std::memory_order_acquire)) {
    const Inside inside;
    look_for_foreign_code();
  }
  const auto at = reinterpret_cast<uintptr_t>(caller);
  const size_t count = foreign_count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i) {
    if (at >= foreign[i].begin && at < foreign[i].end) return false;
  }
  return true;
}

uint32_t define_handle(const char* path) {
  const uint32_t id = next_handle.fetch_add(1, std::memory_order_relaxed);
  constexpr uint64_t kPosix = 0;
  const uint64_t numbers[] = {id, kPosix, UINT32_MAX};
  define_text(RecordKind::kIoHandle, numbers, 3, path);
  return id;
}

/// What the descriptor leads to, whatever it was opened relative to.
void path_of(int fd, char (&path)[PATH_MAX + 64]) {
  char link[64];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const auto length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
}

/// A handle for what was opened just now, kNoFile if that is no file.
uint32_t new_handle(int fd, const struct stat& status) {
  Descriptor& descriptor = descriptors[fd];
  uint32_t handle = kNoFile;
  if (!S_ISSOCK(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    char path[PATH_MAX + 64];
    path_of(fd, path);
    handle = define_handle(path);
  }
  descriptor.device.store(status.st_dev, std::memory_order_relaxed);
  descriptor.inode.store(status.st_ino, std::memory_order_relaxed);
  descriptor.handle.store(handle, std::memory_order_relaxed);
  return handle;
}

/// The handle of a descriptor, 0 if it is no file.
uint32_t handle_of(int fd) {
  struct stat status {};
  if (fd < 0 || fd >= kMaxFiles || fstat(fd, &status) != 0) return 0;
  const Descriptor& known = descriptors[fd];
  uint32_t handle = known.handle.load(std::memory_order_relaxed);
  if (handle == 0 || known.device.load(std::memory_order_relaxed) != status.st_dev ||
      known.inode.load(std::memory_order_relaxed) != status.st_ino) {
    handle = new_handle(fd, status);
  }
  return handle == kNoFile ? 0 : handle;
}

/// A call of the program: its region, and what lies between; or, where calls are counted, its time.
class IoCall {
 public:
  [[gnu::always_inline]] IoCall(std::atomic<uint32_t>& region, const char* name, uint32_t role) {
    const KeepErrno keep;
    begin_ = now();
    if (!ready(begin_)) return;
    uint32_t known = region.load(std::memory_order_relaxed);
    if (known == 0) {
      known = define_region(name, role_and_paradigm(role, 0), nullptr, 0);
      region.store(known, std::memory_order_relaxed);
    }
    const uint32_t wanted = wants();
    if (known == 0) return;
    if ((wanted & kEvents) != 0) {
      region_ = known;
      thread.call.region = known;
      emit_enter(begin_, known);
    }
    if ((wanted & kProfile) != 0) {
      profiled_ = true;
      profile_enter(known, begin_);
    }
  }
  ~IoCall() {
    const KeepErrno keep;
    if (region_ != 0) emit_leave(end(), region_);
    if (profiled_) profile_leave(end());
  }
  IoCall(const IoCall&) = delete;
  IoCall& operator=(const IoCall&) = delete;

  [[nodiscard]] bool recorded() const { return region_ != 0; }
  [[nodiscard]] uint64_t begin() const { return begin_; }
  uint64_t end() {
    if (end_ == 0) end_ = now();
    return end_;
  }
  /// What `fd` leads to, as handle_of() says, without a trace in errno.
  uint32_t handle(int fd) const {
    const KeepErrno keep;
    return recorded() ? handle_of(fd) : 0;
  }
  void operation(int fd, unsigned mode, uint64_t bytes) {
    if (!recorded()) return;
    const KeepErrno keep;
    handle_ = handle_of(fd);
    if (handle_ == 0) return;
    id_ = next_operation.fetch_add(1, std::memory_order_relaxed) << 1U | 1U;
    emit(RecordKind::kIoBegin, begin_, handle_, mode, 0, bytes, id_);
  }
  void operation_ends(ssize_t bytes) {
    if (id_ == 0) return;
    const KeepErrno keep;
    emit(RecordKind::kIoEnd, end(), handle_, bytes < 0 ? 0 : static_cast<uint64_t>(bytes), id_);
  }

 private:
  const Inside inside_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint64_t id_ = 0;
  uint32_t region_ = 0;  // 0: not recorded.
  uint32_t handle_ = 0;
  bool profiled_ = false;
};

void file_opened(IoCall& call, int fd, int flags) {
  struct stat status {};
  if (!call.recorded() || fd < 0 || fd >= kMaxFiles) return;
  const KeepErrno keep;
  const uint32_t handle = fstat(fd, &status) != 0 ? kNoFile : new_handle(fd, status);
  if (handle == kNoFile) return;
  const unsigned access = (flags & O_ACCMODE) == O_RDWR     ? 2
                          : (flags & O_ACCMODE) == O_WRONLY ? 1
                                                            : 0;
  const unsigned creation = ((flags & O_CREAT) != 0 ? 1U : 0U) |
                            ((flags & O_TRUNC) != 0 ? 2U : 0U) | ((flags & O_EXCL) != 0 ? 8U : 0U);
  const unsigned flag_bits =
      ((flags & O_CLOEXEC) != 0 ? 1U : 0U) | ((flags & O_APPEND) != 0 ? 2U : 0U) |
      ((flags & O_NONBLOCK) != 0 ? 4U : 0U) | ((flags & O_SYNC) != 0 ? 16U : 0U);
  emit(RecordKind::kIoCreate, call.end(), handle, access, creation, flag_bits);
}

void file_closes(IoCall& call, int fd) {
  if (!call.recorded() || fd < 0 || fd >= kMaxFiles) return;
  const KeepErrno keep;
  const bool known = descriptors[fd].handle.load(std::memory_order_relaxed) != 0;
  const uint32_t handle = known ? handle_of(fd) : 0;
  descriptors[fd].handle.store(0, std::memory_order_relaxed);
  if (handle != 0) emit(RecordKind::kIoDestroy, call.begin(), handle);
}

template <class Function>
Function* next(std::atomic<void*>& known, const char* name) {
  void* found = known.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = dlsym(RTLD_NEXT, name);
    known.store(found, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function*>(found);
}

}  // namespace
}  // namespace pathline::record

using namespace pathline::record;

// The function of the C library behind the one of this name.
#define PATHLINE_NEXT(function)         \
  static std::atomic<void*> next_known; \
  const auto real = next<decltype(function)>(next_known, #function)
#define PATHLINE_CALL(name, role)      \
  static std::atomic<uint32_t> region; \
  IoCall call(region, name, role)
#define PATHLINE_BY_PROGRAM() called_by_program(__builtin_return_address(0))

// Reads and writes: the same for all, but for their parameters. _FORTIFY_SOURCE calls some
// functions by names of its own; they are shown as what the program wrote.
#define PATHLINE_TRANSFER_AS(name, function, parameters, arguments, mode, size) \
  PATHLINE_EXPORT ssize_t function parameters {                                 \
    PATHLINE_NEXT(function);                                                    \
    if (!PATHLINE_BY_PROGRAM()) return real arguments;                          \
    PATHLINE_CALL(name, kRoleFileIo);                                           \
    call.operation(fd, mode, size);                                             \
    const ssize_t result = real arguments;                                      \
    call.operation_ends(result);                                                \
    return result;                                                              \
  }
#define PATHLINE_TRANSFER(function, parameters, arguments, mode, size) \
  PATHLINE_TRANSFER_AS(#function, function, parameters, arguments, mode, size)

#define PATHLINE_OPEN(function, parameters, last, arguments) \
  PATHLINE_EXPORT int function parameters {                  \
    PATHLINE_NEXT(function);                                 \
    mode_t mode = 0;                                         \
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {              \
      va_list rest;                                          \
      va_start(rest, last);                                  \
      mode = va_arg(rest, mode_t);                           \
      va_end(rest);                                          \
    }                                                        \
    if (!PATHLINE_BY_PROGRAM()) return real arguments;       \
    PATHLINE_CALL(#function, kRoleMetadata);                 \
    const int fd = real arguments;                           \
    file_opened(call, fd, flags);                            \
    return fd;                                               \
  }
#define PATHLINE_OPEN_AS(name, function, parameters, arguments) \
  PATHLINE_EXPORT int function parameters {                     \
    PATHLINE_NEXT(function);                                    \
    if (!PATHLINE_BY_PROGRAM()) return real arguments;          \
    PATHLINE_CALL(name, kRoleMetadata);                         \
    const int fd = real arguments;                              \
    file_opened(call, fd, flags);                               \
    return fd;                                                  \
  }
#define PATHLINE_CREAT(function)                                \
  PATHLINE_EXPORT int function(const char* path, mode_t mode) { \
    PATHLINE_NEXT(function);                                    \
    if (!PATHLINE_BY_PROGRAM()) return real(path, mode);        \
    PATHLINE_CALL(#function, kRoleMetadata);                    \
    const int fd = real(path, mode);                            \
    file_opened(call, fd, O_WRONLY | O_CREAT | O_TRUNC);        \
    return fd;                                                  \
  }
#define PATHLINE_LSEEK(function, offset_type)                                               \
  PATHLINE_EXPORT offset_type function(int fd, offset_type offset, int whence) noexcept {   \
    PATHLINE_NEXT(function);                                                                \
    if (!PATHLINE_BY_PROGRAM()) return real(fd, offset, whence);                            \
    PATHLINE_CALL(#function, kRoleMetadata);                                                \
    const uint32_t handle = call.handle(fd);                                                \
    const offset_type result = real(fd, offset, whence);                                    \
    if (handle != 0 && result >= 0) {                                                       \
      emit(RecordKind::kIoSeek, call.end(), handle, pathline::base::zigzag(offset), whence, \
           result);                                                                         \
    }                                                                                       \
    return result;                                                                          \
  }
#define PATHLINE_SYNC(function)                  \
  PATHLINE_EXPORT int function(int fd) {         \
    PATHLINE_NEXT(function);                     \
    if (!PATHLINE_BY_PROGRAM()) return real(fd); \
    PATHLINE_CALL(#function, kRoleFileIo);       \
    call.operation(fd, kFlush, 0);               \
    const int result = real(fd);                 \
    call.operation_ends(0);                      \
    return result;                               \
  }

namespace {

uint64_t bytes_of(const iovec* parts, int count) {
  uint64_t bytes = 0;
  for (int i = 0; parts != nullptr && i < count; ++i) bytes += parts[i].iov_len;
  return bytes;
}

constexpr unsigned kRead = 0;
constexpr unsigned kWrite = 1;
constexpr unsigned kFlush = 2;

}  // namespace

extern "C" {

PATHLINE_OPEN(open, (const char* path, int flags, ...), flags, (path, flags, mode))
PATHLINE_OPEN(open64, (const char* path, int flags, ...), flags, (path, flags, mode))
PATHLINE_OPEN(openat, (int folder, const char* path, int flags, ...), flags,
              (folder, path, flags, mode))
PATHLINE_OPEN(openat64, (int folder, const char* path, int flags, ...), flags,
              (folder, path, flags, mode))

PATHLINE_TRANSFER(read, (int fd, void* to, size_t size), (fd, to, size), kRead, size)
PATHLINE_TRANSFER(write, (int fd, const void* from, size_t size), (fd, from, size), kWrite, size)
PATHLINE_TRANSFER(pread, (int fd, void* to, size_t size, off_t at), (fd, to, size, at), kRead, size)
PATHLINE_TRANSFER(pread64, (int fd, void* to, size_t size, off64_t at), (fd, to, size, at), kRead,
                  size)
PATHLINE_TRANSFER(pwrite, (int fd, const void* from, size_t size, off_t at), (fd, from, size, at),
                  kWrite, size)
PATHLINE_TRANSFER(pwrite64, (int fd, const void* from, size_t size, off64_t at),
                  (fd, from, size, at), kWrite, size)
PATHLINE_TRANSFER(readv, (int fd, const iovec* parts, int count), (fd, parts, count), kRead,
                  bytes_of(parts, count))
PATHLINE_TRANSFER(writev, (int fd, const iovec* parts, int count), (fd, parts, count), kWrite,
                  bytes_of(parts, count))

PATHLINE_TRANSFER(preadv, (int fd, const iovec* parts, int count, off_t at), (fd, parts, count, at),
                  kRead, bytes_of(parts, count))
PATHLINE_TRANSFER(preadv64, (int fd, const iovec* parts, int count, off64_t at),
                  (fd, parts, count, at), kRead, bytes_of(parts, count))
PATHLINE_TRANSFER(pwritev, (int fd, const iovec* parts, int count, off_t at),
                  (fd, parts, count, at), kWrite, bytes_of(parts, count))
PATHLINE_TRANSFER(pwritev64, (int fd, const iovec* parts, int count, off64_t at),
                  (fd, parts, count, at), kWrite, bytes_of(parts, count))

PATHLINE_CREAT(creat)
PATHLINE_CREAT(creat64)
PATHLINE_LSEEK(lseek, off_t)
PATHLINE_LSEEK(lseek64, off64_t)
PATHLINE_SYNC(fsync)
PATHLINE_SYNC(fdatasync)

PATHLINE_EXPORT int close(int fd) {
  PATHLINE_NEXT(close);
  if (!PATHLINE_BY_PROGRAM()) return real(fd);
  PATHLINE_CALL("close", kRoleMetadata);
  file_closes(call, fd);
  return real(fd);
}

PATHLINE_OPEN_AS("open", __open_2, (const char* path, int flags), (path, flags))
PATHLINE_OPEN_AS("open64", __open64_2, (const char* path, int flags), (path, flags))
PATHLINE_OPEN_AS("openat", __openat_2, (int folder, const char* path, int flags),
                 (folder, path, flags))
PATHLINE_OPEN_AS("openat64", __openat64_2, (int folder, const char* path, int flags),
                 (folder, path, flags))
PATHLINE_TRANSFER_AS("read", __read_chk, (int fd, void* to, size_t size, size_t room),
                     (fd, to, size, room), kRead, size)
PATHLINE_TRANSFER_AS("pread", __pread_chk, (int fd, void* to, size_t size, off_t at, size_t room),
                     (fd, to, size, at, room), kRead, size)
PATHLINE_TRANSFER_AS("pread64", __pread64_chk,
                     (int fd, void* to, size_t size, off64_t at, size_t room),
                     (fd, to, size, at, room), kRead, size)

}  // extern "C"
