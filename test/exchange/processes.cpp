// SPDX-License-Identifier: BSD-3-Clause
//
// processes FOLDER MODE   what exchange::Exchange promises several processes, by the library in
// FOLDER.
//
//   talk    everything arrives where it should; prints "SIZE fine" once
//   error   rank 1 has an error that all get
//   leave   the last rank leaves without the others, which must not wait for it
#include <cstdio>
#include <string>
#include <string_view>

#include "exchange/exchange.hpp"

namespace {

using pathline::exchange::Bytes;
using pathline::exchange::Exchange;

int wrong(const Exchange& exchange, const char* what) {
  std::fprintf(stderr, "rank %u of %u: %s\n", exchange.rank(), exchange.size(), what);
  return 1;
}

/// What rank `from` sends to rank `to`: of any length, none sometimes.
Bytes message(unsigned from, unsigned to, unsigned round) {
  Bytes bytes(size_t{(from * 7 + to * 3 + round * 5) % 11} * round);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(from * 50 + to * 10 + i);
  return bytes;
}

int talk(Exchange& exchange) {
  const unsigned rank = exchange.rank();
  const unsigned size = exchange.size();
  const auto ranks = exchange.all_gather(rank + 100);
  for (unsigned i = 0; i < size; ++i) {
    if (ranks[i] != i + 100) return wrong(exchange, "all_gather");
  }
  for (const uint64_t slice : {uint64_t{1} << 30U, uint64_t{7}, uint64_t{1}}) {
    exchange.set_slice_bytes(slice);
    for (unsigned round = 0; round < 5; ++round) {
      std::vector<Bytes> parts;
      for (unsigned to = 0; to < size; ++to) parts.push_back(message(rank, to, round));
      const auto received = exchange.all_to_all(parts);
      if (received.size() != size) return wrong(exchange, "all_to_all");
      for (unsigned from = 0; from < size; ++from) {
        if (received[from] != message(from, rank, round)) return wrong(exchange, "all_to_all");
      }
    }
  }
  const auto gathered = exchange.gather(message(rank, 9, 4));
  if (gathered.size() != (rank == 0 ? size : 0)) return wrong(exchange, "gather");
  for (unsigned from = 0; from < gathered.size(); ++from) {
    if (gathered[from] != message(from, 9, 4)) return wrong(exchange, "gather");
  }
  if (!exchange.agree({})) return wrong(exchange, "agree on nothing");
  exchange.leave();
  if (rank == 0) std::printf("%u fine\n", size);
  return 0;
}

/// Of several errors that of the smallest place counts, with its text.
int error(Exchange& exchange) {
  pathline::base::Status mine;
  const unsigned rank = exchange.rank();
  if (rank > 0) {
    mine = pathline::base::Error{pathline::base::ErrorCode::kCorrupt,
                                 "damage of " + std::to_string(rank), "advice"};
  }
  const auto all = exchange.agree(mine, 100 - rank);
  const std::string expected = "damage of " + std::to_string(exchange.size() - 1);
  if (all.ok() || all.error().message != expected || all.error().advice != "advice" ||
      all.error().code != pathline::base::ErrorCode::kCorrupt) {
    return wrong(exchange, "agree on an error");
  }
  exchange.leave();
  // As in the program one speaks for all: a launcher may kill the others as soon as one has failed.
  if (rank > 0) return 0;
  std::printf("%s\n", all.error().message.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const auto job = pathline::exchange::find_job(pathline::base::own_environment(), "auto");
  if (!job) return 65;
  auto joined = Exchange::join(job.value(), {argv[1]});
  if (!joined) {
    std::fprintf(stderr, "%s\n", joined.error().message.c_str());
    return 66;
  }
  Exchange exchange = std::move(joined).value();
  const std::string_view mode = argv[2];
  if (mode == "talk") return talk(exchange);
  if (mode == "error") return error(exchange);
  if (exchange.rank() + 1 == exchange.size()) {
    std::fprintf(stderr, "the last one leaves\n");
    return 2;  // By the destructor.
  }
  exchange.all_gather(1);
  return wrong(exchange, "met one that had left");
}
