// SPDX-License-Identifier: BSD-3-Clause
#include "base/launch_line.hpp"

#include <algorithm>

#include "base/parse.hpp"

namespace pathline::base {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD";

/// Whether `list`, " of words between spaces ", holds `word`.
bool is_in(std::string_view word, std::string_view list) {
  return list.find(' ' + std::string(word) + ' ') != std::string_view::npos;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0.
}

/// "np" of "-np" and "--np".
std::string_view option_name(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

constexpr int kUnknownOption = -1;

/// How many words behind an option are its values.
int value_count_openmpi(std::string_view word) {
  constexpr std::string_view kTwo = " mca gmca omca prtemca pmixmca ";
  constexpr std::string_view kOne =
      " am app bind-to c cpu-list cpu-set cpus-per-proc cpus-per-rank default-hostfile "
      "display dvm dvm-uri H hnp host hostfile launch-agent machinefile map-by max-restarts "
      "max-vm-size n N np npernode npersocket num-procs of ompi-server output "
      "output-directory output-filename path personality prefix preload-files rank-by "
      "rankfile report-pid report-uri rf runtime-options server-wait-time slot-list stdin "
      "stream-buffering timeout tmpdir tune wd wdir x xml-file xterm ";
  constexpr std::string_view kNone =
      " allow-run-as-root bycore bynode byslot d debug-devel display-map display-topo "
      "do-not-launch enable-recovery nolocal nooversubscribe oversubscribe q quiet "
      "report-bindings tag-output timestamp-output v ";
  if (word.find('=') != std::string_view::npos) return 0;
  const std::string_view name = option_name(word);
  return is_in(name, kTwo) ? 2 : is_in(name, kOne) ? 1 : is_in(name, kNone) ? 0 : kUnknownOption;
}

int value_count_hydra(std::string_view word) {
  constexpr std::string_view kTwo = " env genv ";
  constexpr std::string_view kOne =
      " arch bind-to binding bootstrap bootstrap-exec configfile demux disable-x envlist "
      "errfile-pattern f file genvlist host hostfile hosts iface launcher launcher-exec "
      "machinefile map-by membind n nameserver np outfile-pattern path perhost pmi-port ppn "
      "prepend-pattern rmk soft topolib wd wdir ";
  constexpr std::string_view kNone =
      " enable-x envall envnone genvall genvnone info l prepend-rank print-all-exitcodes "
      "profile rr v verbose print-rank-map ";
  if (word.find('=') != std::string_view::npos) return 0;
  const std::string_view name = option_name(word);
  return is_in(name, kTwo) ? 2 : is_in(name, kOne) ? 1 : is_in(name, kNone) ? 0 : kUnknownOption;
}

int value_count_slurm(std::string_view word) {
  // Everything else that is long takes a value.
  constexpr std::string_view kNone =
      " contiguous disable-status disable-stdout-job-summary exact exclusive help hold "
      "immediate interactive kill-on-bad-exit label multi-prog nice no-allocate no-kill "
      "no-requeue overcommit overlap oversubscribe preserve-env propagate pty quiet "
      "quit-on-interrupt reboot resv-ports spread-job unbuffered usage use-min-nodes verbose "
      "version whole ";
  constexpr std::string_view kLettersWithValue = "AbBcCdDeGiJLmMnNopqrStTwWx";
  if (word.starts_with("--")) {
    if (word.find('=') != std::string_view::npos) return 0;
    return is_in(option_name(word), kNone) ? 0 : 1;
  }
  // "-n4", "-n 4", "-lun 4".
  const size_t letter = word.find_first_of(kLettersWithValue, 1);
  return letter != std::string_view::npos && letter + 1 == word.size() ? 1 : 0;
}

int value_count(Launcher launcher, std::string_view word) {
  switch (launcher) {
    case Launcher::kOpenMpi: return value_count_openmpi(word);
    case Launcher::kHydra: return value_count_hydra(word);
    case Launcher::kSlurm: return value_count_slurm(word);
    case Launcher::kNone: break;
  }
  // Of which family it is only the launcher could say; no option means two things.
  const int count = value_count_openmpi(word);
  return count == kUnknownOption ? value_count_hydra(word) : count;
}

struct Option {
  size_t word = 0;
  int values = 0;  ///< In how many of the words behind it.
};

/// What belongs to one program: [begin, end) without the ":".
struct Part {
  size_t begin = 0;
  size_t end = 0;
  size_t program = 0;  ///< end if there is none.
  std::vector<Option> options;
};

using Predicate = std::function<bool(const std::string&)>;

Part scan_part(Launcher launcher, const std::vector<std::string>& words, size_t begin, size_t end,
               const Predicate& is_program) {
  Part part{.begin = begin, .end = end, .program = end};
  for (size_t i = begin; i < end;) {
    if (words[i].size() < 2 || words[i][0] != '-') {
      part.program = i;
      break;
    }
    int values = value_count(launcher, words[i]);
    if (values == kUnknownOption) {
      const bool value_follows = i + 1 < end && !words[i + 1].starts_with('-') &&
                                 words[i].find('=') == std::string::npos &&
                                 !is_program(words[i + 1]);
      values = value_follows ? 1 : 0;
    }
    values = static_cast<int>(std::min<size_t>(values, end - i - 1));
    part.options.push_back({i, values});
    i += 1 + values;
  }
  return part;
}

std::vector<Part> scan(Launcher launcher, const std::vector<std::string>& words,
                       size_t launcher_word, const Predicate& is_program) {
  std::vector<Part> parts;
  for (size_t begin = launcher_word + 1; begin <= words.size();) {
    const auto colon = std::find(words.begin() + begin, words.end(), ":");
    const size_t end = colon - words.begin();
    parts.push_back(scan_part(launcher, words, begin, end, is_program));
    begin = end + 1;
  }
  return parts;
}

/// "value" if `text` is "LD_PRELOAD=value".
std::optional<std::string_view> preload_value(std::string_view text) {
  if (!text.starts_with(kPreload) || !text.substr(kPreload.size()).starts_with('=')) return {};
  return text.substr(kPreload.size() + 1);
}

std::string assignment(std::string_view name, std::string_view value) {
  return std::string(name) + '=' + std::string(value);
}

void add_openmpi_part(const std::vector<std::string>& words, const Part& part,
                      const RankEnvironment& ranks, std::vector<std::string>& out) {
  std::string preload = ranks.preload;
  std::vector<std::string> rest;
  size_t next = part.begin;
  for (const Option& option : part.options) {
    const bool exports = option_name(words[option.word]) == "x" && option.values == 1;
    const auto value = exports ? preload_value(words[option.word + 1]) : std::nullopt;
    next = option.word + 1 + option.values;
    if (value) preload = *value;
    // Of several -x the last one counts, so ours has to be the only one.
    if (value || (exports && words[option.word + 1] == kPreload)) continue;
    rest.insert(rest.end(), words.begin() + option.word, words.begin() + next);
  }
  out.insert(out.end(), {"-x", assignment(kPreload, preload_with(ranks.library, preload))});
  for (const auto& [name, value] : ranks.variables) {
    out.insert(out.end(), {"-x", assignment(name, value)});
  }
  out.insert(out.end(), rest.begin(), rest.end());
  out.insert(out.end(), words.begin() + next, words.begin() + part.end);
}

void add_slurm_part(const std::vector<std::string>& words, const Part& part,
                    const RankEnvironment& ranks, std::vector<std::string>& out,
                    std::map<std::string, std::string>& environment) {
  std::string exported = ranks.exported;
  std::vector<std::string> rest;
  size_t next = part.begin;
  for (const Option& option : part.options) {
    next = option.word + 1 + option.values;
    const std::string_view word = words[option.word];
    if (word.starts_with("--export=")) {
      exported = word.substr(word.find('=') + 1);
    } else if (word == "--export" && option.values == 1) {
      exported = words[option.word + 1];
    } else {
      rest.insert(rest.end(), words.begin() + option.word, words.begin() + next);
    }
  }
  std::string preload = ranks.preload;
  std::string list;
  bool everything = false;
  for (size_t begin = 0; begin <= exported.size();) {
    const size_t end = std::min(exported.find(',', begin), exported.size());
    const std::string item = exported.substr(begin, end - begin);
    begin = end + 1;
    everything = everything || item == "ALL";
    if (const auto value = preload_value(item)) {
      preload = *value;
    } else if (item != "NONE" && item != "NIL" && item != kPreload && !item.empty()) {
      list += item + ',';
    }
  }
  // What srun hands on from its own environment may hold commas, which its list cannot quote.
  preload = preload_with(ranks.library, preload);
  if (preload.find(',') == std::string::npos) {
    list += assignment(kPreload, preload);
  } else {
    environment[std::string(kPreload)] = preload;
    list += kPreload;
  }
  if (!everything) {
    for (const auto& [name, value] : ranks.variables) list += ',' + name;
  }
  out.push_back("--export=" + list);
  out.insert(out.end(), rest.begin(), rest.end());
  out.insert(out.end(), words.begin() + next, words.begin() + part.end);
}

std::vector<std::string> hydra_words(const std::vector<std::string>& words, size_t launcher_word,
                                     const std::vector<Part>& parts, const RankEnvironment& ranks) {
  std::vector<std::string> changed = words;
  for (const Part& part : parts) {
    for (const Option& option : part.options) {
      if (option.values == 2 && words[option.word + 1] == kPreload) {
        changed[option.word + 2] = preload_with(ranks.library, words[option.word + 2]);
      }
    }
  }
  std::vector<std::string> ours = {"-genv", std::string(kPreload),
                                   preload_with(ranks.library, ranks.preload)};
  for (const auto& [name, value] : ranks.variables) ours.insert(ours.end(), {"-genv", name, value});
  changed.insert(changed.begin() + launcher_word + 1, ours.begin(), ours.end());
  return changed;
}

/// The programs of an application file get no -x of the command line.
bool has_application_file(const std::vector<std::string>& words, const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
    return std::any_of(part.options.begin(), part.options.end(), [&](const Option& option) {
      return option_name(words[option.word]) == "app";
    });
  });
}

}  // namespace

std::string_view launcher_name(Launcher launcher) {
  switch (launcher) {
    case Launcher::kOpenMpi: return "openmpi";
    case Launcher::kHydra: return "hydra";
    case Launcher::kSlurm: return "slurm";
    case Launcher::kNone: break;
  }
  return "none";
}

bool is_launcher_name(std::string_view name) {
  constexpr std::string_view kNames = " mpirun mpiexec orterun prterun srun ";
  const size_t end = std::min(name.find_first_of(".-0123456789"), name.size());
  // "mpirun-4.1" and "mpiexec.mpich-mt", but no script: that could be somebody's job.
  return is_in(name.substr(0, end), kNames) && !name.ends_with(".sh") && !name.ends_with(".py") &&
         !name.ends_with(".bash");
}

Launcher launcher_by_name(std::string_view name) {
  if (!is_launcher_name(name)) return Launcher::kNone;
  if (name == "srun") return Launcher::kSlurm;
  if (name == "orterun" || name == "prterun" || name.ends_with(".openmpi")) {
    return Launcher::kOpenMpi;
  }
  for (const std::string_view end : {".hydra", ".mpich", ".mvapich", ".mvapich2"}) {
    if (name.ends_with(end)) return Launcher::kHydra;
  }
  return Launcher::kNone;
}

Launcher launcher_by_version(std::string_view text) {
  const auto holds = [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  if (holds("Open MPI") || holds("OpenRTE") || holds("PRRTE") || holds("PMIx Reference")) {
    return Launcher::kOpenMpi;
  }
  if (holds("HYDRA") || holds("Hydra") || holds("Intel(R) MPI") || holds("MPICH")) {
    return Launcher::kHydra;
  }
  return text.starts_with("slurm") ? Launcher::kSlurm : Launcher::kNone;
}

size_t find_launcher(const std::vector<std::string>& words, const Predicate& is_launcher) {
  constexpr std::string_view kInFront =
      " chrt env ionice nice nohup numactl setsid stdbuf taskset time timeout xvfb-run ";
  if (words.empty() || is_launcher(words[0])) return 0;
  if (!is_in(file_name(words[0]), kInFront)) return words.size();
  for (size_t i = 1; i < words.size(); ++i) {
    if (is_launcher(words[i])) return i;
  }
  return words.size();
}

CommandLine with_rank_environment(Launcher launcher, const std::vector<std::string>& words,
                                  size_t launcher_word, const RankEnvironment& ranks,
                                  const Predicate& is_program) {
  CommandLine line{.words = words};
  const auto parts = scan(launcher, words, launcher_word, is_program);
  const bool in_parts = launcher == Launcher::kSlurm ||
                        (launcher == Launcher::kOpenMpi && !has_application_file(words, parts));
  if (launcher == Launcher::kHydra) {
    line.words = hydra_words(words, launcher_word, parts, ranks);
  } else if (in_parts) {
    line.words.assign(words.begin(), words.begin() + launcher_word + 1);
    if (launcher == Launcher::kSlurm) line.environment = ranks.variables;
    for (const Part& part : parts) {
      if (part.begin != launcher_word + 1) line.words.emplace_back(":");
      if (launcher == Launcher::kSlurm) {
        add_slurm_part(words, part, ranks, line.words, line.environment);
      } else {
        add_openmpi_part(words, part, ranks, line.words);
      }
    }
  } else {
    line.environment = ranks.variables;
    line.environment[std::string(kPreload)] = preload_with(ranks.library, ranks.preload);
  }
  return line;
}

std::vector<size_t> find_programs(Launcher launcher, const std::vector<std::string>& words,
                                  size_t launcher_word, const Predicate& is_program) {
  if (launcher == Launcher::kNone) return {0};
  std::vector<size_t> programs;
  for (const Part& part : scan(launcher, words, launcher_word, is_program)) {
    if (part.program < part.end) programs.push_back(part.program);
  }
  return programs;
}

std::optional<uint32_t> rank_count(Launcher launcher, const std::vector<std::string>& words,
                                   size_t launcher_word, const Predicate& is_program) {
  const std::string_view names = launcher == Launcher::kSlurm ? " n ntasks " : " c n np ";
  uint32_t sum = 0;
  bool is_told = false;
  for (const Part& part : scan(launcher, words, launcher_word, is_program)) {
    std::optional<uint32_t> told;
    for (const Option& option : part.options) {
      const std::string_view word = words[option.word];
      if (option.values == 1 && is_in(option_name(word), names)) {
        told = number_in<uint32_t>(words[option.word + 1]);
      } else if (word.starts_with("-n") || word.starts_with("--ntasks=")) {
        // "-n4" and "--ntasks=4", but neither "-np" nor "-nolocal".
        const size_t value = word[1] == 'n' ? 2 : word.find('=') + 1;
        if (const auto number = number_in<uint32_t>(word.substr(value))) told = number;
      }
    }
    is_told |= told.has_value();
    if (part.program < part.end) sum += told.value_or(1);
  }
  return is_told && sum > 0 ? std::optional(sum) : std::nullopt;
}

std::string preload_with(std::string_view library, std::string_view preload) {
  std::string result(library);
  for (size_t begin = 0; begin < preload.size();) {
    const size_t end = std::min(preload.find_first_of(": ", begin), preload.size());
    const std::string_view entry = preload.substr(begin, end - begin);
    if (!entry.empty() && entry != library) result += ':' + std::string(entry);
    begin = end + 1;
  }
  return result;
}

}  // namespace pathline::base
