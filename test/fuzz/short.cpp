// SPDX-License-Identifier: BSD-3-Clause
//
// A short run without a fuzzing engine, for the ordinary tests:
//
//   fuzz_short FILE COUNT   that many mutations of one kind of file, the same ones every time
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include <fmt/format.h>

#include "fuzz/probe.hpp"

namespace pathline::fuzz {
namespace {

using Bytes = std::vector<uint8_t>;

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  Bytes operator()(Bytes bytes) {
    for (size_t rounds = 1 + below(3); rounds > 0 && !bytes.empty(); --rounds) mutate(bytes);
    return bytes;
  }

 private:
  size_t below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void mutate(Bytes& bytes) {
    const size_t at = below(bytes.size());
    const auto position = bytes.begin() + static_cast<ptrdiff_t>(at);
    const size_t length = std::min(1 + below(40), bytes.size() - at);
    constexpr uint8_t kSpecial[] = {0, 1, 2, 3, 5, 6, 8, 9, 0x7f, 0x80, 0xfe, 0xff};
    switch (below(6)) {
      case 0: bytes[at] ^= static_cast<uint8_t>(1U << below(8)); break;
      case 1: bytes[at] = kSpecial[below(std::size(kSpecial))]; break;
      case 2: bytes.resize(at); break;
      case 3: bytes.erase(position, position + static_cast<ptrdiff_t>(length)); break;
      case 4: {
        const Bytes slice(position, position + static_cast<ptrdiff_t>(length));
        const auto to = bytes.begin() + static_cast<ptrdiff_t>(below(bytes.size() + 1));
        bytes.insert(to, slice.begin(), slice.end());
        break;
      }
      default: std::fill_n(position, std::min<size_t>(length, 8), below(2) == 0 ? 0xff : 0x00);
    }
  }

  std::mt19937_64 random_;
};

}  // namespace
}  // namespace pathline::fuzz

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: fuzz_short FILE COUNT\n");
    return 2;
  }
  constexpr uint64_t kSeed = 20261121;
  pathline::fuzz::Probe probe(argv[1]);
  pathline::fuzz::Mutator mutate(kSeed);
  const long count = std::atol(argv[2]);
  probe.run(probe.original());
  for (long i = 0; i < count; ++i) probe.run(mutate(probe.original()));
  fmt::print("{}: {} mutations with seed {}\n", argv[1], count, kSeed);
  return 0;
}
