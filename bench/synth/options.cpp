// SPDX-License-Identifier: BSD-3-Clause
#include "bench/synth/options.hpp"

#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace pathline::synth {
namespace {

struct ShapeDefaults {
  std::string_view name;
  Shape shape;
  uint32_t rank_count;
  uint64_t message_count;
  double seconds;
};

constexpr ShapeDefaults kShapes[] = {{"wrf", Shape::kWrf, 16, 160'000, 240},
                                     {"tachyon", Shape::kTachyon, 256, 8'000, 1200},
                                     {"fd4", Shape::kFd4, 1024, 2'200'000, 300}};

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

template <class Number>
std::optional<base::Error> parse(std::string_view option, std::string_view text, Number least,
                                 Number most, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  // Written so that a number that is none (nan) fails as well.
  if (code == std::errc{} && stop == end && number >= least && number <= most) return {};
  return invalid(fmt::format("{} '{}' is not a number from {} to {}", option, text, least, most));
}

std::optional<base::Error> set_option(Options& options, std::string_view option,
                                      std::string_view text) {
  if (option == "--ranks") return parse(option, text, 2U, 65'536U, options.rank_count);
  if (option == "--messages") {
    return parse<uint64_t>(option, text, 1, 100'000'000, options.message_count);
  }
  if (option == "--seconds") return parse(option, text, 0.001, 1e6, options.seconds);
  if (option == "--seed") return parse<uint64_t>(option, text, 0, UINT64_MAX, options.seed);
  if (option == "--repeat") return parse(option, text, 1U, 100'000U, options.repeat);
  if (option == "--copies") return parse(option, text, 1U, 100'000U, options.copies);
  options.folder = text;  // -o
  if (text.empty()) return invalid("-o needs the name of a folder");
  return {};
}

const ShapeDefaults* find_shape(std::string_view name) {
  for (const ShapeDefaults& shape : kShapes) {
    if (shape.name == name) return &shape;
  }
  return nullptr;
}

bool takes_value(std::string_view option) {
  for (const std::string_view known :
       {"-o", "--output", "--ranks", "--messages", "--seconds", "--seed", "--repeat", "--copies"}) {
    if (option == known) return true;
  }
  return false;
}

}  // namespace

const char* const kHelp =
    R"(Writes the OTF2 trace of an MPI program that does not exist.
The same options give the same bytes.

Usage: pathline-synth SHAPE -o DIR [options]

SHAPE is one of
  wrf       weather model on a grid of processes that exchange halos
            (16 ranks, 160000 messages, 240 s)
  tachyon   ray tracer whose workers send image tiles to rank 0
            (256 ranks, 8000 messages, 1200 s)
  fd4       cloud model with dynamic load balance along a space-filling curve
            (1024 ranks, 2200000 messages, 300 s)

Options
  -o, --output DIR   Folder of the trace, which is DIR/traces.otf2; must not hold one already
  --ranks N          Number of processes, 2 or more
  --messages N       Number of messages; time steps are made to give it to about 2 %
  --seconds S        Duration of the run
  --seed N           Another run of the same program (default 1)
  --repeat N         The run N times one after the other, for traces larger than memory
  --copies N         The run N times at once, on N times the ranks: the files of events are hard
                     links, so that the copies cost no space
  -h, --help         This text

Examples
  pathline-synth wrf -o /tmp/wrf
  pathline-synth fd4 -o /tmp/small --ranks 64 --messages 20000 --seconds 10
  pathline-synth fd4 -o /tmp/large --repeat 48     # 10^9 events of 1,024 ranks in 12 GB
  pathline-synth fd4 -o /tmp/wide --copies 53      # 10^9 events of 54,272 ranks in 242 MB
)";

base::Result<Options> parse_options(std::span<const char* const> arguments) {
  Options options;
  const ShapeDefaults* shape = nullptr;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (argument == "-h" || argument == "--help") return Options{.help = true};
    if (!argument.starts_with('-')) {
      if (shape != nullptr) return invalid(fmt::format("unexpected argument '{}'", argument));
      shape = find_shape(argument);
      if (shape == nullptr) {
        return invalid(fmt::format("unknown shape '{}', expected wrf, tachyon or fd4", argument));
      }
      continue;
    }
    const size_t equals = argument.starts_with("--") ? argument.find('=') : argument.npos;
    const std::string_view option = argument.substr(0, equals);
    if (!takes_value(option)) return invalid(fmt::format("unknown option '{}'", option));
    if (equals == argument.npos && i + 1 == arguments.size()) {
      return invalid(fmt::format("{} needs a value", option));
    }
    const std::string_view text =
        equals == argument.npos ? std::string_view(arguments[++i]) : argument.substr(equals + 1);
    if (const auto error = set_option(options, option, text)) return *error;
  }
  if (shape == nullptr) return invalid("no shape given, expected wrf, tachyon or fd4 (see --help)");
  if (options.folder.empty()) return invalid("-o DIR is missing (see --help)");
  options.shape = shape->shape;
  if (options.rank_count == 0) options.rank_count = shape->rank_count;
  if (options.message_count == 0) options.message_count = shape->message_count;
  if (options.seconds == 0) options.seconds = shape->seconds;
  return options;
}

}  // namespace pathline::synth
