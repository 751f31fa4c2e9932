// SPDX-License-Identifier: BSD-3-Clause
#include "bench/deploy/program.hpp"

#include <cstdio>

#include <mpi.h>

namespace deploy {

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void refuse_if_any(const std::string& reason) {
  const int size = world_size();
  int first = reason.empty() ? size : world_rank();
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == size) return;
  std::string text = reason;
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, first, MPI_COMM_WORLD);
  text.resize(static_cast<size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, first, MPI_COMM_WORLD);
  throw Refused(text);
}

double largest(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

int main_of(const char* program, int argc, char** argv,
            const std::function<int(const std::vector<std::string>&)>& run) {
  MPI_Init(&argc, &argv);
  int status = 2;
  try {
    status = run({argv + 1, argv + argc});
  } catch (const Refused& error) {
    if (world_rank() == 0) std::fprintf(stderr, "%s: %s\n", program, error.what());
  } catch (const std::exception& error) {  // no memory, perhaps on this rank alone
    std::fprintf(stderr, "%s: rank %d: %s\n", program, world_rank(), error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return status;
}

}  // namespace deploy
