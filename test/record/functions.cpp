// SPDX-License-Identifier: BSD-3-Clause
//
// functions [deep]   compiled with -finstrument-functions; two ranks. run_options knows by heart
// who calls whom. Prints what came of it.
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include <mpi.h>

#include "pathline/pathline.h"

namespace shop {

struct Item {
  explicit Item(int price) : price_(price) {}
  virtual ~Item() {}  // NOLINT: has to be a function
  virtual int price() const { return price_; }

 private:
  int price_;
};

struct Discounted : Item {
  using Item::Item;
  int price() const override { return Item::price() / 2; }
};

template <class T>
T twice(T value) {
  return value + value;
}

static inline __attribute__((always_inline)) int inlined(int value) { return value + 1; }
static int hidden(int value) { return inlined(value); }

int risky(int value) {
  const pathline::Region guard("guarded");
  if (value > 1) throw std::runtime_error("too much");
  return value;
}
int middle(int value) { return risky(value) + 1; }
int safe(int value) {
  try {
    return middle(value);
  } catch (const std::exception&) {
    return hidden(-value);
  }
}

std::jmp_buf back;
void far_below() { std::longjmp(back, 1); }
void below() { far_below(); }
int jumps() {
  if (setjmp(back) == 0) below();
  return hidden(0);
}

// A region that reaches from the end of one function into another.
class Stopwatch {
 public:
  explicit Stopwatch(const char* name) : name_(name) { pathline_region_begin(name_); }
  ~Stopwatch() { pathline_region_end(name_); }

 private:
  const char* name_;
};

int recursive(int depth) { return depth == 0 ? 0 : 1 + recursive(depth - 1); }

void in_thread() { hidden(twice(1)); }

}  // namespace shop

int run(int rank, bool deep) {
  int sum = 0;
  if (deep) return shop::recursive(500);
  const shop::Discounted item(20);
  const shop::Item& base = item;
  sum += base.price();
  sum += shop::twice(3);
  sum += static_cast<int>(shop::twice(std::string("ab")).size());
  for (int i = 0; i < 4; ++i) sum += shop::safe(i);
  sum += shop::jumps();
  {
    const shop::Stopwatch watch("watched");
    sum += shop::hidden(1);
  }
  sum += shop::recursive(10);
  std::thread(shop::in_thread).join();
  MPI_Barrier(MPI_COMM_WORLD);
  return sum + rank;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int sum = run(rank, argc > 1 && std::strcmp(argv[1], "deep") == 0);
  if (rank == 0) std::printf("sum = %d\n", sum);
  MPI_Finalize();
  return 0;
}
