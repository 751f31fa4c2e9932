// SPDX-License-Identifier: BSD-3-Clause
#include "record/settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>

#include "record/node.hpp"
#include "record/process.hpp"

namespace pathline::record {
namespace {

template <size_t N>
void copy_text(char (&to)[N], const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return;
  std::strncpy(to, value, N - 1);
  to[N - 1] = '\0';
}

bool is(const char* variable, const char* value) {
  const char* found = std::getenv(variable);
  return found != nullptr && std::strcmp(found, value) == 0;
}

uint32_t parse_groups(const char* text) {
  struct Name {
    const char* name;
    uint32_t group;
  };
  constexpr Name kNames[] = {{"p2p", kGroupP2p},     {"coll", kGroupColl}, {"rma", kGroupRma},
                             {"io", kGroupIo},       {"topo", kGroupTopo}, {"probes", kGroupProbes},
                             {"other", kGroupOther}, {"all", kAllGroups}};
  if (std::strcmp(text, "none") == 0) return 0;
  uint32_t groups = 0;
  while (*text != '\0') {
    const size_t length = std::strcspn(text, ",");
    for (const Name& name : kNames) {
      if (std::strlen(name.name) == length && std::strncmp(name.name, text, length) == 0) {
        groups |= name.group;
      }
    }
    text += length + (text[length] == ',' ? 1 : 0);
  }
  return groups == 0 ? static_cast<uint32_t>(kAllGroups) : groups;
}

/// "100:200:10", "100:200", "100:", ":200:5".
void parse_steps(const char* text, Settings& settings) {
  char* end = nullptr;
  settings.has_steps = true;
  if (*text != ':')
    settings.first_step = std::strtoll(text, &end, 10);
  else
    end = const_cast<char*>(text);
  if (*end != ':') {
    settings.last_step = settings.first_step;
    return;
  }
  text = end + 1;
  if (*text != ':' && *text != '\0')
    settings.last_step = std::strtoll(text, &end, 10);
  else
    end = const_cast<char*>(text);
  if (*end == ':' && end[1] != '\0') settings.every_step = std::strtoll(end + 1, &end, 10);
  if (settings.every_step < 1) settings.every_step = 1;
}

void define_cpus() {
  // cpus=0-3,8: where this process may run, for placement.csv.
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  char text[1024];
  size_t used = 0;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    const int written = last == first ? std::snprintf(text + used, sizeof text - used, "%s%d",
                                                      used ? "," : "", first)
                                      : std::snprintf(text + used, sizeof text - used, "%s%d-%d",
                                                      used ? "," : "", first, last);
    if (written < 0 || used + static_cast<size_t>(written) >= sizeof text) break;
    used += static_cast<size_t>(written);
    first = last;
  }
  text[used] = '\0';
  define_setting("cpus", text);
}

}  // namespace

uint64_t parse_size(const char* text, uint64_t fallback) {
  if (text == nullptr || *text < '0' || *text > '9') return fallback;
  char* end = nullptr;
  const uint64_t number = std::strtoull(text, &end, 10);
  switch (*end) {
    case 'k':
    case 'K': return number << 10U;
    case 'm':
    case 'M': return number << 20U;
    case 'g':
    case 'G': return number << 30U;
    case '\0': return number;
    default: return fallback;
  }
}

Settings read_settings() {
  Settings settings;
  settings.enable = !is("PATHLINE_ENABLE", "0");
  if (is("PATHLINE_BUFFER", "ram")) settings.buffering = chunk::Buffering::kRam;
  if (is("PATHLINE_BUFFER", "ring")) settings.buffering = chunk::Buffering::kRing;
  settings.ring_bytes = parse_size(std::getenv("PATHLINE_BUFFER_SIZE"), settings.ring_bytes);
  settings.max_bytes = parse_size(std::getenv("PATHLINE_MAX_SIZE"), settings.max_bytes);
  if (const char* groups = std::getenv("PATHLINE_MPI_GROUPS"))
    settings.groups = parse_groups(groups);
  settings.profile = is("PATHLINE_MODE", "profile") || is("PATHLINE_MODE", "both");
  settings.trace = !is("PATHLINE_MODE", "profile");
  if (const char* steps = std::getenv("PATHLINE_STEPS"); steps != nullptr && *steps != '\0') {
    parse_steps(steps, settings);
  } else if (const char* every = std::getenv("PATHLINE_EVERY"); every != nullptr) {
    settings.every = std::strtoull(every, nullptr, 10);
    settings.has_steps = settings.every > 1;
  }
  if (const char* seconds = std::getenv("PATHLINE_SYNC_INTERVAL"); seconds != nullptr) {
    const double value = std::strtod(seconds, nullptr);
    if (value > 0 && value < 1e9) {
      settings.sync_interval_ns = static_cast<uint64_t>(value * 1e9) + 1;
    }
  }
  if (is("PATHLINE_CALL_SITES", "all")) settings.sites_below = UINT32_MAX;
  // Each simulated rank is a copy of the program in a file that is gone when names are looked up.
  if (is("PATHLINE_CALL_SITES", "off") || kIsSimulated) settings.sites_below = 0;
  settings.openmp = !is("PATHLINE_OPENMP", "0");
  settings.geometry = is("PATHLINE_INSITU", "geometry");
  settings.verbose = is("PATHLINE_VERBOSE", "1");
  copy_text(settings.clock, "PATHLINE_CLOCK");
  copy_text(settings.run_directory, "PATHLINE_RUN_DIRECTORY");
  copy_text(settings.output, "PATHLINE_OUTPUT");
  copy_text(settings.program, "PATHLINE_PROGRAM");
  copy_text(settings.filter, "PATHLINE_FILTER");
  copy_text(settings.counters, "PATHLINE_COUNTERS");
  copy_text(settings.step_marker, "PATHLINE_STEP_MARKER");
  copy_text(settings.insitu_regions, "PATHLINE_INSITU_REGIONS");
  copy_text(settings.insitu_to, "PATHLINE_INSITU_TO");
  copy_text(settings.catalyst, "PATHLINE_CATALYST");
  return settings;
}

void define_settings() {
  const Settings& s = process.settings;
  constexpr const char* kBuffers[] = {"file", "ram", "ring"};
  char text[1024];
  define_setting("buffer", kBuffers[static_cast<int>(s.buffering)]);
  std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(s.max_bytes));
  define_setting("max_size", text);
  define_setting("mode", s.trace ? (s.profile ? "both" : "trace") : "profile");
  define_setting("clock", kIsSimulated                ? "simulated"
                          : process.clock.use_counter ? "tsc"
                                                      : "monotonic_raw");
  if (s.has_steps) {
    const bool every = s.every != 0;
    define_setting(every ? "every" : "steps",
                   std::getenv(every ? "PATHLINE_EVERY" : "PATHLINE_STEPS"));
  }
  if (s.filter[0] != '\0') define_setting("filter", s.filter);
  if (s.groups != kAllGroups) define_setting("mpi_groups", std::getenv("PATHLINE_MPI_GROUPS"));
  if (s.counters[0] != '\0') define_setting("counters", s.counters);
  if (s.step_marker[0] != '\0') define_setting("step_marker", s.step_marker);
  if (s.sites_below != 1) define_setting("call_sites", s.sites_below == 0 ? "off" : "all");
  if (!s.openmp) define_setting("openmp", "0");
  if (s.geometry) define_setting("insitu", "geometry");
  if (s.catalyst[0] != '\0') define_setting("catalyst", s.catalyst);
  if (!kIsSimulated) define_cpus();
  if (const char* switches = switches_above(process.rank); *switches != '\0') {
    define_setting("switches", switches);
  }
}

}  // namespace pathline::record
