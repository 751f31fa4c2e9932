// SPDX-License-Identifier: BSD-3-Clause
#include "trace/outer_calls.hpp"

namespace pathline::trace {

std::vector<CallClass> call_classes(const Definitions& definitions) {
  std::vector<CallClass> classes;
  classes.reserve(definitions.regions.size());
  for (const RegionDefinition& region : definitions.regions) {
    const bool io =
        region.role == RegionRole::kFileIo || region.role == RegionRole::kFileIoMetadata;
    const bool mpi = region.paradigm == kParadigmMpi || region.name.starts_with("MPI_") ||
                     region.name.starts_with("mpi_");
    classes.push_back(io ? CallClass::kFileIo : mpi ? CallClass::kMpi : CallClass::kOther);
  }
  return classes;
}

}  // namespace pathline::trace
