// SPDX-License-Identifier: BSD-3-Clause
//
// The libFuzzer target of one kind of file; PATHLINE_FUZZ_FILE says which. The archive around it
// may be chosen with PATHLINE_FUZZ_ARCHIVE.
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "fuzz/probe.hpp"

namespace {

pathline::fuzz::Probe& probe() {
  static const char* const archive = std::getenv("PATHLINE_FUZZ_ARCHIVE");
  static pathline::fuzz::Probe instance(PATHLINE_FUZZ_FILE, archive == nullptr ? "" : archive);
  return instance;
}

}  // namespace

/// `--seed FILE` writes the unchanged content, the first input of a corpus.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::strcmp((*argv)[1], "--seed") == 0) {
    const auto& bytes = probe().original();
    std::ofstream((*argv)[2], std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  probe().run({data, size});
  return 0;
}
