// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/files.hpp"

#include <climits>
#include <cstdlib>

namespace pathline::record {
namespace {

HandleTable known_files;                     // MPI_File -> id
std::atomic<uint32_t> next_file{1U << 24U};  // Apart from those of POSIX, which count from 1.

}  // namespace

HandleTable& files() { return known_files; }

void file_opened(Call& call, MPI_Comm comm, const char* name, int mode, MPI_File file) {
  // MPICH opens files of its own, to see which processes share a file system.
  if (!call.tracked() || call.nested() || file == MPI_FILE_NULL) return;
  const Communicator* known = communicator_of(comm);
  if (known == nullptr) return;
  const uint32_t id = next_file.fetch_add(1, std::memory_order_relaxed);
  known_files.put(key_of(file), id);
  constexpr uint64_t kMpiIo = 1;
  const uint64_t numbers[] = {id, kMpiIo, known->id};
  const OwnEnvironment environment;
  char path[PATH_MAX];
  const char* absolute = name[0] == '/' ? nullptr : realpath(name, path);
  define_text(RecordKind::kIoHandle, numbers, 3, absolute == nullptr ? name : absolute);
  // OTF2_IoAccessMode: 0 write only, 1 read only, 2 read and write (at different places).
  const unsigned access = (mode & MPI_MODE_RDWR) != 0 ? 2 : (mode & MPI_MODE_WRONLY) != 0 ? 1 : 0;
  const unsigned creation =
      ((mode & MPI_MODE_CREATE) != 0 ? 1U : 0U) | ((mode & MPI_MODE_EXCL) != 0 ? 8U : 0U);
  const unsigned status = (mode & MPI_MODE_APPEND) != 0 ? 2U : 0U;
  if (call.recorded()) emit(RecordKind::kIoCreate, call.end(), id, access, creation, status);
}

void file_closed(Call& call, uint64_t id) {
  if (call.recorded() && id != 0) emit(RecordKind::kIoDestroy, call.begin(), id);
}

void file_sought(Call& call, MPI_File file, MPI_Offset offset, int whence) {
  const uint64_t id = known_files.find(key_of(file));
  if (!call.recorded() || id == 0) return;
  // OTF2_IoSeekOption: 0 from start, 1 from current, 2 from end.
  const unsigned option = whence == MPI_SEEK_SET ? 0 : whence == MPI_SEEK_CUR ? 1 : 2;
  MPI_Offset result = 0;
  if (PMPI_File_get_position(file, &result) != MPI_SUCCESS) result = offset;
  emit(RecordKind::kIoSeek, call.end(), id, base::zigzag(offset), option, result);
}

namespace {

/// The file's id, 0 if nothing is recorded.
uint64_t io_begins(Call& call, MPI_File file, IoMode mode, unsigned flags, uint64_t bytes) {
  const uint64_t id = known_files.find(key_of(file));
  if (!call.recorded() || id == 0) return 0;
  call.id = next_request_id();
  emit(RecordKind::kIoBegin, call.begin(), id, static_cast<unsigned>(mode), flags, bytes, call.id);
  return id;
}

}  // namespace

void io_done(Call& call, MPI_File file, IoMode mode, unsigned flags, uint64_t bytes,
             const MPI_Status* status) {
  const uint64_t id = io_begins(call, file, mode, flags, bytes);
  if (id != 0) emit(RecordKind::kIoEnd, call.end(), id, received_bytes(*status), call.id);
}

void io_runs(Call& call, MPI_File file, IoMode mode, unsigned flags, uint64_t bytes,
             MPI_Request request) {
  const uint64_t id = io_begins(call, file, mode, flags, bytes);
  if (id == 0) return;
  request_made(request, {.kind = Request::kIo,
                         .recorded = true,
                         .id = call.id,
                         .comm = static_cast<uint32_t>(id),
                         .bytes_sent = bytes});
}

}  // namespace pathline::record
