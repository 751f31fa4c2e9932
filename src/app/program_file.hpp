// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::app {

/// What the file of a program says about how it will be loaded.
struct ProgramFile {
  enum class Kind { kElf, kForeignElf, kScript, kOther };
  Kind kind = Kind::kOther;   ///< Foreign: of another word size, byte order or processor.
  bool dynamic = false;       ///< An ELF file that asks for a loader: a library can be preloaded.
  bool other_rights = false;  ///< setuid, setgid or file capabilities: LD_PRELOAD is ignored.
  std::string interpreter;    ///< Of a script: what stands behind "#!".
  std::vector<std::string> needed;  ///< Libraries it names itself: "libmpi.so.40", "libc.so.6".
};

/// errors  kNotFound, kIo; kCorrupt when an ELF file contradicts itself.
base::Result<ProgramFile> look_at_program(const std::filesystem::path& path);

enum class MpiFamily { kOpenMpi, kMpich, kUnknown };

/// Which MPI a library belongs to, by its name; absent if it is none of MPI's.
std::optional<MpiFamily> mpi_family(std::string_view library);

/// Where the shell would find `name`; "" when there is no such executable.
std::filesystem::path find_executable(const std::string& name);

}  // namespace pathline::app
