// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "bench/shallow/simulation.hpp"

namespace shallow {
namespace {

constexpr int kMostCells = 1 << 24;     // in one direction
constexpr int kMostSteps = 10'000'000;  // 560 MB of times for each rank

constexpr std::pair<const char*, Start> kStarts[] = {{"steady", Start::kSteady},
                                                     {"perturbed", Start::kPerturbed}};
constexpr std::pair<const char*, Compute> kComputes[] = {{"real", Compute::kReal},
                                                         {"flops", Compute::kFlops}};

std::optional<int> parse_number(std::string_view text, int least, int most) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc{} || stop != end || number < least || number > most) return std::nullopt;
  return number;
}

constexpr const char* kHelp =
    "usage: shallow [OPTION...]\n"
    "\n"
    "Shallow water on a grid without ends; bench/shallow/README.md explains method and output.\n"
    "\n"
    "  --grid MxN       cells in x and y (default: 256x256)\n"
    "  --ranks PXxPY    ranks in x and y (default: as square as their number allows)\n"
    "  --steps K        time steps that are timed (default: 100)\n"
    "  --warmup W       time steps before these (default: 2)\n"
    "  --start steady | perturbed    (default: steady)\n"
    "  --samples FILE   write the seconds of each block, step and rank as JSON lines\n"
    "  --compute real | flops    flops: only where SimGrid simulates the machine, and there the\n"
    "                   default; the loops are not executed, but charged\n"
    "  --help           print this\n"
    "\n"
    "  mpirun -n 4 shallow --grid 1024x512 --ranks 2x2\n";

/// Of bounded length and without line breaks, whatever was given.
std::string shown(std::string_view text) {
  constexpr size_t kLongest = 60;
  std::string line(text.substr(0, kLongest));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text.size() <= kLongest ? line : line + "...";
}

[[noreturn]] void refuse(const std::string& option, const std::string& found,
                         const std::string& expected) {
  throw BadOptions(option + " is '" + shown(found) + "', expected " + expected);
}

int number_of(const std::string& option, const std::string& text, int least, int most) {
  const auto number = parse_number(text, least, most);
  if (!number) {
    refuse(option, text,
           "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *number;
}

/// "256x128"
std::pair<int, int> pair_of(const std::string& option, const std::string& text, int most) {
  const std::string_view view = text;
  const size_t x = view.find('x');
  if (x != std::string_view::npos) {
    const auto first = parse_number(view.substr(0, x), 1, most);
    const auto second = parse_number(view.substr(x + 1), 1, most);
    if (first && second) return {*first, *second};
  }
  refuse(option, text, "two whole numbers from 1 to " + std::to_string(most) + ", as in 64x32");
}

template <typename Value, size_t n>
Value choice_of(const std::string& option, const std::string& text,
                const std::pair<const char*, Value> (&choices)[n]) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names += (names.empty() ? "" : " or ") + std::string(name);
  }
  refuse(option, text, names);
}

void set(Options& options, const std::string& option, const std::string& text) {
  if (option == "--grid") {
    std::tie(options.whole_m, options.whole_n) = pair_of(option, text, kMostCells);
  } else if (option == "--ranks") {
    std::tie(options.px, options.py) = pair_of(option, text, kMostCells);
  } else if (option == "--steps") {
    options.steps = number_of(option, text, 1, kMostSteps);
  } else if (option == "--warmup") {
    options.warmup = number_of(option, text, 0, kMostSteps);
  } else if (option == "--start") {
    options.start = choice_of(option, text, kStarts);
  } else if (option == "--compute") {
    options.compute = choice_of(option, text, kComputes);
  } else {
    if (text.empty()) refuse(option, text, "the name of a file");
    options.samples = text;
  }
}

bool is_known(const std::string& option) {
  constexpr std::string_view kKnown[] = {"--grid",  "--ranks",   "--steps",  "--warmup",
                                         "--start", "--compute", "--samples"};
  return std::find(std::begin(kKnown), std::end(kKnown), option) != std::end(kKnown);
}

/// The number of ranks is that of the program, and each has a cell.
void check_division(Options& options, int rank_count) {
  const auto size = [](int x, int y) { return std::to_string(x) + "x" + std::to_string(y); };
  if (options.px == 0) {
    options.py = 1;
    for (int part = 1; part <= rank_count / part; ++part) {
      if (rank_count % part == 0) options.py = part;
    }
    options.px = rank_count / options.py;
  }
  if (int64_t{options.px} * options.py != rank_count) {
    throw BadOptions("--ranks is " + size(options.px, options.py) +
                     ", but the program was started with " + std::to_string(rank_count) +
                     (rank_count == 1 ? " rank" : " ranks"));
  }
  if (options.px > options.whole_m || options.py > options.whole_n) {
    throw BadOptions("--grid is " + size(options.whole_m, options.whole_n) +
                     ", expected a cell for each of " + size(options.px, options.py) + " ranks");
  }
}

}  // namespace

const char* help_text() { return kHelp; }

const char* name_of(Start start) { return kStarts[static_cast<size_t>(start)].first; }

const char* name_of(Compute compute) { return kComputes[static_cast<size_t>(compute)].first; }

Options parse_options(const std::vector<std::string>& arguments, int rank_count) {
  Options options;
  if (kIsSimulated) options.compute = Compute::kFlops;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--help") {
      options.help = true;
      return options;
    }
    if (!is_known(arguments[i])) {
      throw BadOptions("unknown argument '" + shown(arguments[i]) + "', see --help");
    }
    if (i + 1 == arguments.size()) throw BadOptions(arguments[i] + " needs a value, see --help");
    const std::string& option = arguments[i];
    set(options, option, arguments[++i]);
  }
  if (options.compute == Compute::kFlops && !kIsSimulated) {
    throw BadOptions("--compute is flops, which needs the program that SimGrid's smpicxx compiles");
  }
  check_division(options, rank_count);
  return options;
}

}  // namespace shallow
