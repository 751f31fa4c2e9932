// SPDX-License-Identifier: BSD-3-Clause
#include "app/cpu_use.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace pathline::app {

CpuUse cpu_use() {
  CpuUse use;
  const auto hertz = static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::ifstream stat("/proc/stat");
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  if (stat >> word >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal) {
    use.busy_s = (user + nice + system + irq + soft) / hertz;
    use.stolen_s = steal / hertz;
  }
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (::getrusage(who, &usage) != 0) continue;
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      use.own_s += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  (void)::getloadavg(&use.load, 1);
  return use;
}

}  // namespace pathline::app
