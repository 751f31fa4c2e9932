// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/result.hpp"

namespace pathline::synth {

enum class Shape { kWrf, kTachyon, kFd4 };

struct Options {
  Shape shape = Shape::kWrf;
  std::filesystem::path folder;
  uint32_t rank_count = 0;
  uint64_t message_count = 0;
  double seconds = 0;
  uint64_t seed = 1;
  uint32_t repeat = 1;  ///< Runs of the program one after the other.
  uint32_t copies = 1;  ///< Runs beside each other.
  bool help = false;    ///< Nothing else is set then.
};

extern const char* const kHelp;

/// errors  kInvalidArgument, naming the option; numbers that are not given are those of the shape.
base::Result<Options> parse_options(std::span<const char* const> arguments);

}  // namespace pathline::synth
