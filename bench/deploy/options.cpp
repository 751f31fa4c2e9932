// SPDX-License-Identifier: BSD-3-Clause
#include "bench/deploy/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string_view>

#include "bench/deploy/machine.hpp"
#include "bench/deploy/program.hpp"

namespace deploy {
namespace {

constexpr std::array<const char*, 3> kLayoutNames = {"contiguous", "strided", "packed"};
constexpr int64_t kMostBytes = int64_t{1} << 30;  // of a message: MPI counts with int
constexpr int64_t kMostCells = 1 << 24;           // in one direction

// Of the help, what both programs have.
#define DEPLOY_COMMON_HELP                                                        \
  "  --bind LIST       a processing unit (as Linux numbers them) for each rank\n" \
  "  --seed N          of the order in which things are measured (1)\n"           \
  "  --output FILE     JSON lines go there instead of to standard output\n"       \
  "  --help            print this\n"

/// The value of an option; what is wrong with it throws.
class Value {
 public:
  Value(std::string_view option, std::string_view text) : option_(option), text_(text) {}

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Refused(std::string(option_) + " is '" + std::string(text_) + "', expected " + expected);
  }

  [[nodiscard]] std::string_view text() const { return text_; }

  [[nodiscard]] int64_t count(int64_t least, int64_t most) const {
    const auto value = number<int64_t>(text_);
    if (!value || *value < least || *value > most) {
      refuse("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return *value;
  }

  [[nodiscard]] double seconds() const {
    const auto value = number<double>(text_);
    if (!value || !std::isfinite(*value) || *value < 0 || *value > 1e6) {
      refuse("seconds from 0 to 1e6");
    }
    return *value;
  }

  /// Two whole numbers, `least` or more, the second not above `most`.
  [[nodiscard]] std::optional<std::pair<int64_t, int64_t>> pair(std::string_view text,
                                                                char separator, int64_t least,
                                                                int64_t most) const {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) return std::nullopt;
    const auto first = number<int64_t>(text.substr(0, at));
    const auto second = number<int64_t>(text.substr(at + 1));
    if (!first || !second || *first < least || *second < least || *first > most || *second > most) {
      return std::nullopt;
    }
    return std::pair(*first, *second);
  }

  /// Each word between commas, made an element; nothing may be there twice if `is_set`.
  template <typename T>
  [[nodiscard]] std::vector<T> list(
      const std::string& expected, bool is_set,
      const std::function<std::optional<T>(std::string_view)>& element) const {
    std::vector<T> elements;
    std::vector<std::string_view> words;
    for (std::string_view rest = text_;;) {
      const size_t comma = rest.find(',');
      words.push_back(rest.substr(0, comma));
      const auto found = element(words.back());
      if (!found) refuse(expected + ", separated by commas");
      elements.push_back(*found);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    std::sort(words.begin(), words.end());
    if (is_set && std::adjacent_find(words.begin(), words.end()) != words.end()) {
      refuse("each only once");
    }
    return elements;
  }

  [[nodiscard]] std::vector<int64_t> counts(const std::string& expected, bool is_set, int64_t least,
                                            int64_t most) const {
    return list<int64_t>(expected, is_set, [&](std::string_view word) -> std::optional<int64_t> {
      const auto value = number<int64_t>(word);
      return value && *value >= least && *value <= most ? value : std::nullopt;
    });
  }

 private:
  template <typename T>
  static std::optional<T> number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  std::string_view option_;
  std::string_view text_;
};

struct Option {
  std::string_view name;
  std::function<void(const Value&)> set;  ///< If there is none, it has no value.
  bool* flag = nullptr;
};

void parse(const std::vector<std::string>& arguments, const std::vector<Option>& options) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&](const Option& known) { return known.name == name; });
    if (option == options.end()) {
      throw Refused("unknown option '" + name + "', --help names those that there are");
    }
    if (option->flag != nullptr) {
      *option->flag = true;
    } else if (++i == arguments.size()) {
      throw Refused(name + " is the last word, expected a value after it");
    } else {
      option->set(Value(name, arguments[i]));
    }
  }
}

std::vector<Option> common_options(Common& common, int rank_count) {
  return {
      {"--output", [&](const Value& value) { common.output = value.text(); }},
      {"--seconds", [&](const Value& value) { common.seconds = value.seconds(); }},
      {"--samples",
       [&](const Value& value) {
         const auto pair = value.pair(value.text(), ':', 1, 10'000'000);
         if (!pair || pair->first > pair->second) value.refuse("MIN:MAX, 1 or more, like 20:1000");
         common.least = pair->first;
         common.most = pair->second;
       }},
      {"--bind",
       [&common, rank_count](const Value& value) {
         const auto units = value.counts("numbers of processing units", false, 0, 1 << 20);
         if (units.size() != static_cast<size_t>(rank_count)) {
           value.refuse("one number for each of the " + std::to_string(rank_count) + " ranks");
         }
         if (kIsSimulated) value.refuse("none: a simulated machine has the ranks where they are");
         common.bind.assign(units.begin(), units.end());
       }},
      {"--seed",
       [&](const Value& value) {
         common.seed = static_cast<uint64_t>(value.count(0, std::numeric_limits<int64_t>::max()));
       }},
      {"--help", nullptr, &common.help},
  };
}

std::optional<Layout> layout_of(std::string_view name) {
  const auto* found = std::find(kLayoutNames.begin(), kLayoutNames.end(), name);
  if (found == kLayoutNames.end()) return std::nullopt;
  return static_cast<Layout>(found - kLayoutNames.begin());
}

/// What can only be said when all options are known.
void check_together(HaloOptions& options, int rank_count) {
  const auto ranks = [&] { return std::to_string(rank_count) + " ranks"; };
  const std::string lanes = "--lanes is " + std::to_string(options.lanes);
  if (rank_count % options.lanes != 0) {
    throw Refused(lanes + ", expected a divisor of the " + ranks());
  }
  options.places = rank_count / options.lanes;
  if (options.probe && options.places < 2) {
    throw Refused(lanes + " of " + ranks() + ", expected two places or more for --probe");
  }
  if (options.probe) return;
  for (const size_t bytes : options.bytes) {
    for (const Layout layout : options.layouts) {
      if (layout != Layout::kContiguous && bytes % sizeof(double) != 0) {
        throw Refused("--bytes has " + std::to_string(bytes) + ", expected multiples of 8 for " +
                      name_of(layout));
      }
    }
  }
}

}  // namespace

const char* name_of(Layout layout) { return kLayoutNames[static_cast<size_t>(layout)]; }

const char* halo_help() {
  return "usage: bench-halo [options]\n"
         "\n"
         "Times MPI_Sendrecv along rings of ranks; bench/deploy/README.md explains the output.\n"
         "\n"
         "  --bytes LIST      of a message (8,64,512,4096,32768,262144)\n"
         "  --layouts LIST    contiguous, strided (MPI_Type_vector), packed (contiguous)\n"
         "  --stride S        from element to element of the last two, in doubles (1026)\n"
         "  --lanes K         rings at a time: rank = place * K + lane (1)\n"
         "  --level-bytes B   size of the area that messages are taken from (262144)\n"
         "  --inner-bytes B   size of what is read before each sample, to evict it (0)\n"
         "  --batch B         shifts in a sample, or auto: 50 times the cost of the timer (auto)\n"
         "  --seconds T       for each point (0.1)\n"
         "  --samples MIN:MAX for each point (20:1000)\n"
         "  --probe           how messages of these sizes are sent, instead of how long shifts "
         "take\n" DEPLOY_COMMON_HELP
         "\n"
         "  mpirun -n 4 bench-halo --lanes 2 --bytes 8,1024 --layouts contiguous,strided\n";
}

const char* compute_help() {
  return "usage: bench-compute [options]\n"
         "\n"
         "Times the loops of bench/shallow, on all ranks at a time; bench/deploy/README.md "
         "explains "
         "the output.\n"
         "\n"
         "  --sizes LIST      cells of each rank, MxN (64x64)\n"
         "  --warmup W        time steps before those that are timed (2)\n"
         "  --seconds T       for each size (0.3)\n"
         "  --samples MIN:MAX time steps for each size (20:2000)\n" DEPLOY_COMMON_HELP
         "\n"
         "  mpirun -n 2 bench-compute --sizes 32x32,512x512 --bind 0,1\n";
}

HaloOptions parse_halo(const std::vector<std::string>& arguments, int rank_count) {
  HaloOptions halo;
  std::vector<Option> options = common_options(halo.common, rank_count);
  const auto add = [&](std::string_view name, std::function<void(const Value&)> set) {
    options.push_back({name, std::move(set)});
  };
  add("--bytes", [&](const Value& value) {
    const auto counts = value.counts("whole numbers from 1 to 1073741824", true, 1, kMostBytes);
    halo.bytes.assign(counts.begin(), counts.end());
  });
  add("--layouts", [&](const Value& value) {
    halo.layouts = value.list<Layout>("contiguous, strided or packed", true, layout_of);
  });
  add("--stride",
      [&](const Value& value) { halo.stride = static_cast<size_t>(value.count(1, 1 << 24)); });
  add("--lanes",
      [&](const Value& value) { halo.lanes = static_cast<int>(value.count(1, 1 << 24)); });
  add("--level-bytes", [&](const Value& value) {
    halo.level_bytes = static_cast<size_t>(value.count(0, int64_t{1} << 40));
  });
  add("--inner-bytes", [&](const Value& value) {
    halo.inner_bytes = static_cast<size_t>(value.count(0, int64_t{1} << 40));
  });
  add("--batch", [&](const Value& value) {
    halo.batch = value.text() == "auto" ? 0 : value.count(1, 1'000'000);
  });
  options.push_back({"--probe", nullptr, &halo.probe});
  parse(arguments, options);
  if (!halo.common.help) check_together(halo, rank_count);
  return halo;
}

ComputeOptions parse_compute(const std::vector<std::string>& arguments, int rank_count) {
  ComputeOptions compute;
  std::vector<Option> options = common_options(compute.common, rank_count);
  options.push_back(
      {"--sizes", [&](const Value& value) {
         compute.sizes = value.list<Size>(
             "sizes like 64x64", true, [&](std::string_view word) -> std::optional<Size> {
               const auto pair = value.pair(word, 'x', 1, kMostCells);
               if (!pair) return std::nullopt;
               return Size{static_cast<int>(pair->first), static_cast<int>(pair->second)};
             });
       }});
  options.push_back(
      {"--warmup", [&](const Value& value) { compute.warmup = value.count(0, 1'000'000); }});
  parse(arguments, options);
  return compute;
}

std::vector<size_t> shuffled(size_t count, uint64_t seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  // Not std::shuffle, which may differ from library to library.
  std::mt19937_64 random(seed);
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

}  // namespace deploy
