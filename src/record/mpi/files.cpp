// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/files.hpp"

#include <climits>
#include <cstdlib>

#include "record/mpi/handle_table.hpp"

namespace pathline::record {
namespace {

HandleTable files;                           // MPI_File -> id
std::atomic<uint32_t> next_file{1U << 24U};  // Apart from those of POSIX, which count from 1.

}  // namespace

void file_opened(Call& call, MPI_Comm comm, const char* name, int mode, MPI_File file) {
  if (!call.tracked() || file == MPI_FILE_NULL) return;
  const Communicator* known = communicator_of(comm);
  if (known == nullptr) return;
  const uint32_t id = next_file.fetch_add(1, std::memory_order_relaxed);
  files.put(key_of(file), id);
  constexpr uint64_t kMpiIo = 1;
  const uint64_t numbers[] = {id, kMpiIo, known->id};
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

void file_closing(Call& call, MPI_File file) {
  const uint64_t id = files.find(key_of(file));
  if (!call.tracked() || id == 0) return;
  if (call.recorded()) emit(RecordKind::kIoDestroy, call.begin(), id);
  files.remove(key_of(file));
}

void file_sought(Call& call, MPI_File file, MPI_Offset offset, int whence) {
  const uint64_t id = files.find(key_of(file));
  if (!call.recorded() || id == 0) return;
  // OTF2_IoSeekOption: 0 from start, 1 from current, 2 from end.
  const unsigned option = whence == MPI_SEEK_SET ? 0 : whence == MPI_SEEK_CUR ? 1 : 2;
  MPI_Offset result = 0;
  if (PMPI_File_get_position(file, &result) != MPI_SUCCESS) result = offset;
  emit(RecordKind::kIoSeek, call.end(), id, chunk::zigzag(offset), option, result);
}

void io_begins(Call& call, MPI_File file, IoMode mode, unsigned flags, uint64_t bytes) {
  const uint64_t id = files.find(key_of(file));
  if (!call.recorded() || id == 0) return;
  call.id = next_request_id();
  emit(RecordKind::kIoBegin, call.begin(), id, static_cast<unsigned>(mode), flags, bytes, call.id);
}

void io_ends(Call& call, MPI_File file, const MPI_Status* status) {
  const uint64_t id = files.find(key_of(file));
  if (!call.recorded() || id == 0 || call.id == 0) return;
  emit(RecordKind::kIoEnd, call.end(), id, received_bytes(*status), call.id);
}

void io_runs(Call& call, MPI_File file, uint64_t bytes, MPI_Request request) {
  const uint64_t id = files.find(key_of(file));
  if (!call.recorded() || id == 0 || call.id == 0) return;
  request_made(request, {.kind = Request::kIo,
                         .recorded = true,
                         .id = call.id,
                         .comm = static_cast<uint32_t>(id),
                         .bytes_sent = bytes});
}

}  // namespace pathline::record
