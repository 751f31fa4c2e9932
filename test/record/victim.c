// SPDX-License-Identifier: BSD-3-Clause
//
// victim MAPPING MESSAGES AFTER FATE
//
// Two ranks send each other MESSAGES messages of 8 bytes; when rank 1 has sent AFTER of them, it
// meets its fate (limits and handlers: both ranks do). MAPPING is a file of 4096 bytes in which
// each rank counts, after each send, what it has sent: after a death the trace must hold as many.
// Rank 0 prints the sum of all numbers that arrived.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

enum { kBatch = 50, kMaxFiles = 65536 };

typedef struct {
  _Atomic long sent;
  _Atomic long pid;
  _Atomic long handled;
  char rest[40];
} Published;

static Published* published;  // [2]
static int rank;
static int files[kMaxFiles];
static int file_count;

static void fail(const char* what) {
  perror(what);
  exit(3);
}

static void set_limit(int resource, rlim_t value) {
  struct rlimit limit;
  getrlimit(resource, &limit);
  limit.rlim_cur = value;
  if (setrlimit(resource, &limit)) fail("setrlimit");
}

static rlim_t address_space(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld", &pages) != 1) fail("/proc/self/statm");
  fclose(file);
  return (rlim_t)(pages * sysconf(_SC_PAGESIZE));
}

// From now on the kernel answers the call `number` with `error`, if its fourth argument has one of
// the bits of `flags`.
static void refuse(int number, int error, unsigned flags) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail("PR_SET_NO_NEW_PRIVS");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) fail("PR_SET_SECCOMP");
}

static void take_all_files(void) {
  set_limit(RLIMIT_NOFILE, 1024);
  while (file_count < kMaxFiles) {
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    files[file_count++] = file;
  }
}

static void count_signal(int number) {
  (void)number;
  atomic_fetch_add(&published[rank].handled, 1);
}

// Every signal that can be caught comes to the handler of the program, before and after.
static void catch_all(void) {
  long expected = 0;
  for (int number = 1; number < 32; ++number) {
    if (number == SIGKILL || number == SIGSTOP || number == SIGCHLD) continue;
    struct sigaction action, found;
    memset(&action, 0, sizeof action);
    action.sa_handler = count_signal;
    if (sigaction(number, &action, NULL)) fail("sigaction");
    raise(number);
    sigaction(number, NULL, &found);
    if (found.sa_handler != count_signal) fail("the handler was replaced");
    ++expected;
  }
  if (atomic_load(&published[rank].handled) != expected) fail("a signal was lost");
}

static void wait_for(pid_t child) {
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) fail("waitpid");
  if (status != 0) {
    fprintf(stderr, "victim: child ended with %x\n", (unsigned)status);
    exit(3);
  }
}

extern char** environ;

static void have_children(void) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(0);
  wait_for(child);
  child = fork();
  if (child == 0) exit(0);  // runs the handlers of atexit and the destructors of libraries
  wait_for(child);
  child = fork();
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  wait_for(child);
  child = fork();
  if (child == 0) {  // the same program with the same libraries, which never calls MPI
    execl("/proc/self/exe", "victim", (char*)NULL);
    _exit(1);
  }
  wait_for(child);
  char* const arguments[] = {"true", NULL};
  if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ)) fail("posix_spawn");
  wait_for(child);
  if (system("echo 'a child speaks' >/dev/null")) fail("system");
}

static void meet(const char* fate) {
  if (strncmp(fate, "signal:", 7) == 0) {
    if (rank != 1) return;
    const int number = atoi(fate + 7);
    raise(number);
    fprintf(stderr, "victim: survived signal %d\n", number);
  }
  if (rank == 1) {
    if (strcmp(fate, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(fate, "segv") == 0) *(volatile int*)8 = 1;
    if (strcmp(fate, "abort") == 0) abort();
    if (strcmp(fate, "_exit") == 0) _exit(7);
    if (strcmp(fate, "exit") == 0) exit(7);
    if (strcmp(fate, "mpi_abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  }
  if (strcmp(fate, "children") == 0) have_children();
  if (strcmp(fate, "handlers") == 0) catch_all();
  if (strcmp(fate, "no_files") == 0) take_all_files();
  if (strcmp(fate, "no_memory") == 0) set_limit(RLIMIT_AS, address_space() + (1 << 20));
  if (strcmp(fate, "small_files") == 0) set_limit(RLIMIT_FSIZE, 65536);
  if (strcmp(fate, "quota") == 0) refuse(SYS_fallocate, EDQUOT, ~0u);  // the length
  if (strcmp(fate, "no_mapping") == 0) refuse(SYS_mmap, ENOMEM, MAP_SHARED);
}

static void release(const char* fate) {
  for (int i = 0; i < file_count; ++i) close(files[i]);
  if (strcmp(fate, "no_memory") == 0) set_limit(RLIMIT_AS, RLIM_INFINITY);
  if (strcmp(fate, "small_files") == 0) set_limit(RLIMIT_FSIZE, RLIM_INFINITY);
}

int main(int argc, char** argv) {
  if (argc == 1) return 0;  // what children run
  if (argc != 5) {
    fprintf(stderr, "usage: victim MAPPING MESSAGES AFTER FATE\n");
    return 2;
  }
  const long messages = atol(argv[2]), after = atol(argv[3]);
  const char* fate = argv[4];
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int file = open(argv[1], O_RDWR);
  published = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (published == MAP_FAILED) fail(argv[1]);
  close(file);
  if (rank < 2) atomic_store(&published[rank].pid, getpid());

  long sum = 0;
  for (long first = 0; first < messages && rank < 2; first += kBatch) {
    for (long i = first; i < first + kBatch; ++i) {
      if (i == after) meet(fate);
      const long number = 2 * i + rank;
      MPI_Send(&number, 1, MPI_LONG, 1 - rank, 0, MPI_COMM_WORLD);
      atomic_store_explicit(&published[rank].sent, i + 1, memory_order_release);
    }
    for (long i = first; i < first + kBatch; ++i) {
      long number;
      MPI_Recv(&number, 1, MPI_LONG, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += number;
    }
  }
  release(fate);
  long total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum = %ld\n", total);
  MPI_Finalize();
  return 0;
}
