// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <pathline/analysis.hpp>

int main() {
  std::printf("linked with pathline %s\n", pathline::version());
  return 0;
}
