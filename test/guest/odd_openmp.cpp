// SPDX-License-Identifier: BSD-3-Clause
//
// odd_openmp CASE...
//
// What a program may do with OpenMP, before, with and after MPI. Rank 0 prints lines that are the
// same whoever records.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

namespace {

int sum = 0;

void add(int number) {
#pragma omp atomic
  sum += number;
}

void nested() {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
      add(1);
#pragma omp barrier
#pragma omp parallel num_threads(2)
      add(10);
    }
  }
}

void of_one() {
#pragma omp parallel num_threads(1)
  add(1);
#pragma omp parallel if (sum < 0)
  add(1);
#pragma omp parallel num_threads(2)
  {
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    add(10);
  }
#pragma omp barrier
#pragma omp for
  for (int i = 0; i < 4; ++i) add(100);
}

void sizes() {
  for (int i = 0; i < 200; ++i) {
#pragma omp parallel num_threads(1 + i % 5)
    add(1);
  }
}

void shares() {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 10; ++i) add(1);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; ++i) add(1);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 10; ++i) add(1);
#pragma omp for schedule(runtime)
    for (int i = 0; i < 10; ++i) add(1);
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 10; ++i) {
#pragma omp ordered
      sum = 2 * sum % 1001;
    }
#pragma omp for schedule(dynamic)
    for (unsigned long long i = 0; i < 10; ++i) add(1);
#pragma omp sections
    {
#pragma omp section
      add(7);
#pragma omp section
      add(8);
    }
    int copied = 0;
#pragma omp single copyprivate(copied)
    copied = 5;
    add(copied);
#pragma omp critical
    sum += 1;
#pragma omp critical(one)
    {
#pragma omp critical(other)
      sum += 1;
    }
#pragma omp master
    add(3);
  }
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    add(1);
#pragma omp section
    add(2);
  }
#pragma omp parallel for schedule(dynamic) num_threads(2)
  for (int i = 0; i < 10; ++i) add(1);
#pragma omp parallel for schedule(guided) num_threads(2)
  for (int i = 0; i < 10; ++i) add(1);
#pragma omp parallel for schedule(runtime) num_threads(2)
  for (int i = 0; i < 10; ++i) add(1);
#pragma omp parallel for schedule(static, 2) num_threads(2)
  for (int i = 0; i < 10; ++i) add(1);
}

void tasks() {
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    for (int i = 0; i < 100; ++i) {
#pragma omp task firstprivate(i)
      add(i);
    }
#pragma omp barrier
#pragma omp single
    {
#pragma omp taskgroup
      {
#pragma omp task if (sum < 0)
        add(1);
#pragma omp taskloop grainsize(3)
        for (int i = 0; i < 10; ++i) add(1);
      }
    }
    int part = 0;
#pragma omp taskwait
    part += 1;
    add(part);
  }
  int whole = 0;
#pragma omp parallel num_threads(2) reduction(task, + : whole)
  {
#pragma omp single
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : whole)
      whole += i;
    }
  }
  add(whole);
}

/// Whether the rest is cancelled depends on OMP_CANCELLATION.
void cancelled() {
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 1000; ++i) {
#pragma omp cancel for if (i == 0)
    }
#pragma omp cancel parallel
#pragma omp barrier
  }
  add(1);
}

void thrown() {
#pragma omp parallel num_threads(2)
  {
    try {
#pragma omp critical
      { sum += 1; }
      throw 5;
    } catch (int number) {
      add(number);
    }
#pragma omp barrier
  }
}

void jumped() {
#pragma omp parallel num_threads(2)
  {
    jmp_buf back;
    if (setjmp(back) == 0) longjmp(back, 1);
    add(1);
#pragma omp barrier
  }
}

void forked() {
#pragma omp parallel num_threads(2)
  {
    add(1);
#pragma omp barrier
#pragma omp master
    {
      const pid_t child = fork();
      if (child == 0) _exit(7);
      int status = 0;
      waitpid(child, &status, 0);
      add(WEXITSTATUS(status));
    }
  }
  const pid_t child = fork();
  if (child == 0) {
    int inside = 0;
#pragma omp parallel num_threads(1) reduction(+ : inside)
    inside += 1;
    _exit(inside);
  }
  int status = 0;
  waitpid(child, &status, 0);
  add(WEXITSTATUS(status));
}

void* of_a_thread(void*) {
  for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(2)
    add(1);
  }
  return nullptr;
}
void threads() {
  for (int round = 0; round < 3; ++round) {
    pthread_t others[3];
    for (pthread_t& other : others) pthread_create(&other, nullptr, of_a_thread, nullptr);
    of_a_thread(nullptr);
    for (pthread_t& other : others) pthread_join(other, nullptr);
  }
}

void messages() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
  {
    const int tag = omp_get_thread_num();
    int number = rank;
    if (rank < 2) {
      MPI_Sendrecv_replace(&number, 1, MPI_INT, 1 - rank, tag, 1 - rank, tag, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE);
    }
    add(rank + number);
  }
}

/// Libraries that bring OpenMP into a program.
void plugin() {
  char path[4096] = "";
  if (readlink("/proc/self/exe", path, sizeof path - 32) < 0) return;
  std::strcpy(std::strrchr(path, '/') + 1, "libopenmp_plugin.so");
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return;
  }
  for (int i = 0; i < 10; ++i) add(reinterpret_cast<int (*)()>(dlsym(library, "work"))());
}

void left() {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
#pragma omp master
    {
      int rank = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      MPI_Finalize();
      if (rank == 0) std::printf("left\n");
      std::exit(0);
    }
#pragma omp barrier
  }
}

struct Case {
  const char* name;
  void (*run)();
} const kCases[] = {{"nested", nested},   {"of_one", of_one},     {"sizes", sizes},
                    {"shares", shares},   {"tasks", tasks},       {"cancelled", cancelled},
                    {"thrown", thrown},   {"jumped", jumped},     {"forked", forked},
                    {"threads", threads}, {"messages", messages}, {"plugin", plugin},
                    {"left", left}};

}  // namespace

int main(int count, char** words) {
  const auto run = [&](bool has_mpi) {
    for (int i = 1; i < count; ++i) {
      for (const Case& odd : kCases) {
        if (std::strcmp(odd.name, words[i]) != 0) continue;
        if (has_mpi || (odd.run != messages && odd.run != left)) odd.run();
      }
    }
  };
  run(false);
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  run(true);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  run(false);
  if (rank == 0) std::printf("%d\n", sum);
  return 0;
}
