// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/options.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

namespace poisson {
namespace {

constexpr int kMostCells = 1 << 13;  // of a rank in one direction
constexpr int kMostRanks = 1 << 17;  // in one direction: the cells of both can be counted
constexpr int kMostUnhalved = 32;    // cells, in the shorter direction, that are solved directly
constexpr int kMostIterations = 100'000'000;

constexpr const char* kHelp =
    "usage: poisson [OPTION...]\n"
    "\n"
    "Solves -div(k grad u) = f on the unit square; examples/poisson/README.md explains method and\n"
    "output.\n"
    "\n"
    "  --solver mg | cg     multigrid, or conjugate gradients (default: mg)\n"
    "  --ranks PXxPY        ranks in x and y (default: as square as their number allows)\n"
    "  --cells NXxNY        cells of each rank (default: 64x64)\n"
    "  --grid MXxMY         cells of all ranks, instead\n"
    "  --coefficient D      k in a disc in the middle, 1e-5 to 1e5 (default: 1)\n"
    "  --tolerance T        of the residual relative to the right side (default: 1e-8)\n"
    "  --max-iterations N   (default: 10000)\n"
    "  --census             in each iteration all ranks tell all others how much they do\n"
    "  --json FILE          write the results there, too\n"
    "  --help               print this\n"
    "\n"
    "  mpirun -n 4 poisson --cells 128x128 --coefficient 100\n";

template <typename Number>
std::optional<Number> parse_number(std::string_view text, Number least, Number most) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc{} || stop != end || !(number >= least && number <= most)) {
    return std::nullopt;
  }
  return number;
}

/// Of bounded length and without line breaks, whatever was given.
std::string shown(std::string_view text) {
  constexpr size_t kLongest = 60;
  std::string line(text.substr(0, kLongest));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text.size() <= kLongest ? line : line + "...";
}

template <typename Number>
Number number_of(const std::string& option, const std::string& text, const char* kind, Number least,
                 Number most) {
  const auto number = parse_number(text, least, most);
  if (number) return *number;
  std::ostringstream message;
  message << option << " is '" << shown(text) << "', expected a " << kind << " from " << least
          << " to " << most;
  throw BadOptions(message.str());
}

using Pair = std::pair<int, int>;

std::string shown(const Pair& pair) {
  return std::to_string(pair.first) + "x" + std::to_string(pair.second);
}

/// "256x128"
Pair pair_of(const std::string& option, const std::string& text, int most) {
  const std::string_view view = text;
  const size_t x = view.find('x');
  if (x != std::string_view::npos) {
    const auto first = parse_number(view.substr(0, x), 1, most);
    const auto second = parse_number(view.substr(x + 1), 1, most);
    if (first && second) return {*first, *second};
  }
  throw BadOptions(option + " is '" + shown(text) + "', expected two whole numbers from 1 to " +
                   std::to_string(most) + ", as in 64x32");
}

/// What can be checked only when all options are known.
struct Sizes {
  std::optional<Pair> ranks;
  std::optional<Pair> cells;
  std::optional<Pair> grid;
};

Solver solver_of(const std::string& text) {
  for (const Solver solver : {Solver::kCg, Solver::kMg}) {
    if (text == name_of(solver)) return solver;
  }
  throw BadOptions("--solver is '" + shown(text) + "', expected mg or cg");
}

using Set = void (*)(Options&, Sizes&, const std::string& text);

constexpr std::pair<std::string_view, Set> kOptions[] = {
    {"--solver", [](Options& o, Sizes&, const std::string& text) { o.solver = solver_of(text); }},
    {"--ranks", [](Options&, Sizes& s,
                   const std::string& text) { s.ranks = pair_of("--ranks", text, kMostRanks); }},
    {"--cells", [](Options&, Sizes& s,
                   const std::string& text) { s.cells = pair_of("--cells", text, kMostCells); }},
    {"--grid", [](Options&, Sizes& s,
                  const std::string& text) { s.grid = pair_of("--grid", text, 1 << 30); }},
    {"--coefficient",
     [](Options& o, Sizes&, const std::string& text) {
       o.coefficient = number_of("--coefficient", text, "number", 1e-5, 1e5);
     }},
    {"--tolerance",
     [](Options& o, Sizes&, const std::string& text) {
       o.tolerance = number_of("--tolerance", text, "number", 1e-14, 0.5);
     }},
    {"--max-iterations",
     [](Options& o, Sizes&, const std::string& text) {
       o.max_iterations = number_of("--max-iterations", text, "whole number", 1, kMostIterations);
     }},
    {"--json",
     [](Options& o, Sizes&, const std::string& text) {
       if (text.empty()) throw BadOptions("--json is '', expected the name of a file");
       o.json = text;
     }},
};

void divide_ranks(Options& options, const Sizes& sizes, int rank_count) {
  options.py = 1;
  for (int part = 1; part <= rank_count / part; ++part) {
    if (rank_count % part == 0) options.py = part;
  }
  options.px = rank_count / options.py;
  if (!sizes.ranks) return;
  std::tie(options.px, options.py) = *sizes.ranks;
  if (int64_t{options.px} * options.py != rank_count) {
    throw BadOptions("--ranks is " + shown(*sizes.ranks) + ", but the program was started with " +
                     std::to_string(rank_count) + (rank_count == 1 ? " rank" : " ranks"));
  }
}

void divide_cells(Options& options, const Sizes& sizes) {
  if (sizes.cells && sizes.grid) throw BadOptions("--cells and --grid exclude each other");
  if (sizes.cells) std::tie(options.nx, options.ny) = *sizes.cells;
  if (!sizes.grid) return;
  const auto [mx, my] = *sizes.grid;
  const Pair cells = {mx / options.px, my / options.py};
  if (mx % options.px != 0 || my % options.py != 0 ||
      std::max(cells.first, cells.second) > kMostCells) {
    throw BadOptions("--grid is " + shown(*sizes.grid) + ", expected multiples of " +
                     shown({options.px, options.py}) + " ranks, with up to " +
                     std::to_string(kMostCells) + " cells for each");
  }
  std::tie(options.nx, options.ny) = cells;
}

/// Multigrid halves the grid, and the ranks.
void check_halving(const Options& options) {
  const auto is_power = [](int number) {
    return std::has_single_bit(static_cast<unsigned>(number));
  };
  if (!is_power(options.px) || !is_power(options.py)) {
    throw BadOptions("--ranks is " + shown({options.px, options.py}) +
                     ", but multigrid merges two by two ranks: expected powers of two");
  }
  int shorter = std::min(options.px * options.nx, options.py * options.ny);
  int longer = std::max(options.px * options.nx, options.py * options.ny);
  while (shorter % 2 == 0 && longer % 2 == 0) {
    shorter /= 2;
    longer /= 2;
  }
  if (shorter > kMostUnhalved) {
    throw BadOptions("--cells is " + shown({options.nx, options.ny}) +
                     ", but multigrid halves them: expected powers of two, times up to " +
                     std::to_string(kMostUnhalved));
  }
}

}  // namespace

const char* help_text() { return kHelp; }

const char* name_of(Solver solver) { return solver == Solver::kCg ? "cg" : "mg"; }

Options parse_options(const std::vector<std::string>& arguments, int rank_count) {
  Options options;
  Sizes sizes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    if (option == "--help") {
      options.help = true;
      return options;
    }
    if (option == "--census") {
      options.census = true;
      continue;
    }
    const auto known = std::find_if(std::begin(kOptions), std::end(kOptions),
                                    [&](const auto& entry) { return entry.first == option; });
    if (known == std::end(kOptions)) {
      throw BadOptions("unknown argument '" + shown(option) + "', see --help");
    }
    if (i + 1 == arguments.size()) throw BadOptions(option + " needs a value, see --help");
    known->second(options, sizes, arguments[++i]);
  }
  divide_ranks(options, sizes, rank_count);
  divide_cells(options, sizes);
  if (options.solver == Solver::kMg) check_halving(options);
  return options;
}

}  // namespace poisson
