// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for the recorder: says which processes it was loaded into, and with what environment.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

extern char** environ;

// <FAKE_RECORDER_FOLDER>/<process>: the executable, then the environment, each ended by a zero.
__attribute__((constructor)) static void tell(void) {
  const char* folder = getenv("FAKE_RECORDER_FOLDER");
  if (folder == NULL) return;
  char path[4096];
  snprintf(path, sizeof(path), "%s/%ld", folder, (long)getpid());
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  char executable[4096] = "";
  if (readlink("/proc/self/exe", executable, sizeof(executable) - 1) < 0) executable[0] = '?';
  fprintf(file, "%s%c", executable, 0);
  for (char** entry = environ; *entry != NULL; ++entry) fprintf(file, "%s%c", *entry, 0);
  fclose(file);

  const char* run = getenv("PATHLINE_RUN_DIRECTORY");
  if (run == NULL || getenv("FAKE_RECORDER_WRITES") == NULL) return;
  snprintf(path, sizeof(path), "%s/raw", run);
  mkdir(path, 0777);
  snprintf(path, sizeof(path), "%s/raw/0", run);
  file = fopen(path, "w");
  if (file == NULL) return;
  fputs("not what a recorder writes", file);
  fclose(file);
}
