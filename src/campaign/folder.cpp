// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/folder.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/launch_line.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "campaign/extract.hpp"
#include "campaign/formula.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kSmallFile = uintmax_t{1} << 20;

const Step& step_of(const WorkOrder& order) { return order.study->steps[order.package->step]; }

std::string fill(const WorkOrder& order, std::string_view text) {
  return filled_in(text, *order.plan, order.package->point, names_of(order));
}

base::Error cannot(const Step& step, std::string_view what, const fs::path& file,
                   const std::error_code& code) {
  const bool full = code == std::errc::no_space_on_device;
  return {code == std::errc::no_such_file_or_directory ? base::ErrorCode::kNotFound
                                                       : base::ErrorCode::kIo,
          fmt::format("{}: step '{}': cannot {} {}: {}", step.place.text(), step.name, what,
                      file.string(), code.message()),
          full ? "Make room; 'pathline campaign continue' goes on where it stopped." : ""};
}

/// Whether a word needs a shell: more than a program and its arguments.
bool is_plain(std::string_view command) {
  if (command.find_first_of("\n|&;<>()$`\\\"'*?[#~=%{!") != std::string_view::npos) return false;
  return command.find_first_not_of(" \t") != std::string_view::npos;
}

/// Files that a step left for those behind it; nothing that Pathline wrote.
base::Status take_over(const Step& step, const std::string& name, const fs::path& from,
                       const fs::path& to) {
  static constexpr std::array<std::string_view, 9> kOwn = {kCommandFile, kOutputFile,  kErrorFile,
                                                           kCheckFile,   kRecordedRun, "job.sh",
                                                           "slurm.out",  "status",     "ticket"};
  std::error_code code;
  for (fs::directory_iterator entry(from, code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string file = entry->path().filename().string();
    if (std::find(kOwn.begin(), kOwn.end(), file) != kOwn.end()) continue;
    std::error_code failed;
    fs::remove_all(to / file, failed);
    if (entry->is_symlink(failed)) {
      // Where it leads to must not depend on where it stands.
      const fs::path target = fs::weakly_canonical(entry->path(), failed);
      fs::create_symlink(target, to / file, failed);
    } else if (entry->is_regular_file(failed) && entry->file_size(failed) <= kSmallFile) {
      fs::copy_file(entry->path(), to / file, failed);
    } else {
      fs::create_symlink(entry->path(), to / file, failed);
    }
    if (failed) return cannot(step, "take over", entry->path(), failed);
  }
  if (code) return cannot(step, "list", from, code);
  std::error_code exists;
  if (!fs::exists(fs::symlink_status(to / name, exists))) {
    fs::create_symlink(from, to / name, exists);
  }
  return {};
}

base::Status copy_or_link(const WorkOrder& order, const std::string& name, bool link) {
  const Step& step = step_of(order);
  const fs::path from = order.study->file.parent_path() / fill(order, name);
  std::error_code code;
  const fs::path whole = fs::canonical(from, code);
  if (code) return cannot(step, link ? "link" : "copy", from, code);
  const fs::path to = order.folder / whole.filename();
  fs::remove_all(to, code);
  if (link) {
    fs::create_symlink(whole, to, code);
  } else {
    fs::copy(whole, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, code);
  }
  if (code) return cannot(step, link ? "link" : "copy", from, code);
  return {};
}

std::string with_replacements(const WorkOrder& order, const Template& file, std::string text) {
  if (file.replacements.empty()) return fill(order, text);
  for (const auto& [wanted, by] : file.replacements) {
    const std::string what = fill(order, wanted);
    const std::string with = fill(order, by);
    if (what.empty()) continue;
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
      text.replace(at, what.size(), with);
    }
  }
  return text;
}

base::Status make_file(const WorkOrder& order, const Template& file) {
  const Step& step = step_of(order);
  const std::string name = fill(order, file.from);
  fs::path from = order.study->file.parent_path() / name;
  std::error_code code;
  if (!fs::exists(from, code) && fs::exists(order.folder / name, code)) {
    from = order.folder / name;
  }
  const fs::path to = order.folder / fill(order, file.to);
  fs::create_directories(to.parent_path(), code);
  std::string text;
  fs::perms permissions = fs::perms::unknown;
  {
    const auto content = base::MappedFile::open(from);
    if (!content) {
      return base::Error{content.error().code, fmt::format("{}: step '{}': {}", step.place.text(),
                                                           step.name, content.error().message)};
    }
    permissions = fs::status(from, code).permissions();
    text = with_replacements(order, file, std::string(content.value().text()));
  }
  // It may be a copy or a link of what a step before has made.
  fs::remove(to, code);
  std::ofstream out(to, std::ios::binary);
  out << text;
  out.close();
  if (!out) return cannot(step, "write", to, std::error_code(errno, std::generic_category()));
  if (permissions != fs::perms::unknown) fs::permissions(to, permissions, code);
  return {};
}

/// The words of each simple command of a shell's text, without quotes; what only the shell can tell
/// stays as it is.
std::vector<std::vector<std::string>> simple_commands(std::string_view text) {
  std::vector<std::vector<std::string>> commands(1);
  std::string word;
  bool in_word = false;
  char quote = 0;
  const auto end_word = [&] {
    if (in_word) commands.back().push_back(std::move(word));
    word.clear();
    in_word = false;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      in_word = true;
    } else if (quote != '\'' && c == '\\' && i + 1 < text.size()) {
      if (text[++i] == '\n') continue;
      word += text[i];
      in_word = true;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      end_word();
    } else if (quote == 0 && std::string_view("\n;|&").find(c) != std::string_view::npos) {
      end_word();
      commands.emplace_back();
    } else {
      word += c;
      in_word = true;
    }
  }
  end_word();
  return commands;
}

/// What a launcher's line says about how many processes it starts.
std::optional<uint32_t> started_by(std::string_view command) {
  for (std::vector<std::string>& words : simple_commands(command)) {
    const auto is_launcher = [](const std::string& word) {
      return base::is_launcher_name(fs::path(word).filename().string());
    };
    const auto launcher = std::find_if(words.begin(), words.end(), is_launcher);
    if (launcher == words.end()) continue;
    // A variable in front of the program may well hold options.
    for (auto word = launcher; word != words.end(); ++word) {
      if (word->starts_with('$')) word->insert(0, "-");
    }
    const auto count = base::rank_count(
        base::launcher_by_name(fs::path(*launcher).filename().string()), words,
        static_cast<size_t>(launcher - words.begin()),
        [](const std::string& word) { return word.find('/') != std::string::npos; });
    if (count) return count;
  }
  return std::nullopt;
}

}  // namespace

std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./:=+,@").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::vector<std::pair<std::string, std::string>> names_of(const WorkOrder& order) {
  std::error_code ignored;
  const std::string study = fs::absolute(order.study->file, ignored).parent_path().string();
  const uint32_t repetition = order.package->repetition;
  return {{"run_id", std::to_string(order.id)},
          {"repetition", std::to_string(repetition + 1)},
          {"step", step_of(order).name},
          {"run_dir", order.folder.string()},
          {"study_dir", study},
          {"campaign_dir", order.folder.parent_path().string()},
          // What JUBE calls them, counted from 0.
          {"jube_wp_id", std::to_string(order.id - 1)},
          {"jube_wp_padid", fmt::format("{:06}", order.id - 1)},
          {"jube_wp_iteration", std::to_string(repetition)},
          {"jube_wp_abspath", order.folder.string()},
          {"jube_benchmark_home", study}};
}

std::string command_of(const WorkOrder& order) {
  const Step& step = step_of(order);
  std::string command = fill(order, step.command);
  if (command.empty() || !step.record) return command;
  std::string record;
  for (const std::string& word : order.record) record += shell_word(word) + ' ';
  record += fmt::format("-o {} --", kRecordedRun);
  const size_t wanted = command.find("{record}");
  if (wanted != std::string::npos) return command.replace(wanted, 8, record);
  if (is_plain(command)) return fmt::format("{} {}", record, command);
  return fmt::format("{} sh -ec {}", record, shell_word(command));
}

std::string check_of(const WorkOrder& order) { return fill(order, step_of(order).check); }

base::Result<uint32_t> cores_of(const Study& study, const Plan& plan, const Package& package) {
  const Step& step = study.steps[package.step];
  if (step.cores.empty()) {
    const std::string command = filled_in(step.command, plan, package.point);
    return std::max(started_by(command).value_or(1), 1U);
  }
  const std::string text = filled_in(step.cores, plan, package.point);
  const auto value = calculated(text);
  const auto number = value ? base::number_in<uint32_t>(value.value()) : std::nullopt;
  if (number && *number > 0) return *number;
  return base::Error{base::ErrorCode::kInvalidArgument,
                     fmt::format("{}: step '{}': 'cores' is '{}', expected a whole number above 0",
                                 step.place.text(), step.name, text)};
}

uint64_t definition_of(const WorkOrder& order) {
  const Step& step = step_of(order);
  // Where the run lies makes no difference to what it is.
  const auto plain = [&](std::string_view text) {
    return filled_in(text, *order.plan, order.package->point);
  };
  std::vector<std::string> texts = {plain(step.command), plain(step.check),
                                    step.record ? "record" : ""};
  for (const Template& file : step.templates) {
    texts.push_back(plain(file.from));
    texts.push_back(plain(file.to));
    for (const auto& [what, by] : file.replacements) {
      texts.push_back(plain(what));
      texts.push_back(plain(by));
    }
  }
  for (const std::string& file : step.copies) texts.push_back(plain(file));
  for (const std::string& file : step.links) texts.push_back(plain(file));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return definition_of(std::span<const std::string_view>(views));
}

base::Status check_files(const Study& study) {
  const fs::path beside = study.file.parent_path();
  for (const Step& step : study.steps) {
    std::vector<std::string> files = step.copies;
    files.insert(files.end(), step.links.begin(), step.links.end());
    for (const Template& file : step.templates) {
      if (step.after.empty()) files.push_back(file.from);
    }
    for (const std::string& file : files) {
      std::error_code code;
      if (!names_in(file).empty() || fs::exists(beside / file, code)) continue;
      return base::Error{base::ErrorCode::kNotFound,
                         fmt::format("{}: step '{}': there is no file {}", step.place.text(),
                                     step.name, (beside / file).string()),
                         "Files of a step are looked for beside the study."};
    }
  }
  return {};
}

base::Status make_folder(const WorkOrder& order) {
  const Step& step = step_of(order);
  std::error_code code;
  fs::remove_all(order.folder, code);
  fs::create_directory(order.folder, code);
  if (code) return cannot(step, "make", order.folder, code);
  for (const auto& [name, folder] : order.before) {
    if (auto status = take_over(step, name, folder, order.folder); !status) return status;
  }
  for (const std::string& file : step.copies) {
    if (auto status = copy_or_link(order, file, false); !status) return status;
  }
  for (const std::string& file : step.links) {
    if (auto status = copy_or_link(order, file, true); !status) return status;
  }
  for (const Template& file : step.templates) {
    if (auto status = make_file(order, file); !status) return status;
  }
  if (step.command.empty()) return {};
  std::ofstream out(order.folder / kCommandFile, std::ios::binary);
  out << command_of(order) << '\n';
  out.close();
  if (!out) {
    return cannot(step, "write", order.folder / kCommandFile,
                  std::error_code(errno, std::generic_category()));
  }
  return {};
}

base::Status check_space(const fs::path& folder) {
  std::error_code code;
  const fs::space_info space = fs::space(folder, code);
  if (code || space.available > (uintmax_t{1} << 16)) return {};
  return base::Error{base::ErrorCode::kIo,
                     fmt::format("there is no space left in {}", folder.string()),
                     "What is done is kept. Make room; 'pathline campaign continue' goes on."};
}

std::string last_words(const fs::path& folder) {
  constexpr size_t kMostBytes = 1024;
  constexpr int kMostLines = 5;
  for (const char* name : {kCheckFile, kErrorFile, kOutputFile, "slurm.out"}) {
    std::ifstream file(folder / name, std::ios::binary | std::ios::ate);
    if (!file) continue;
    const auto size = static_cast<size_t>(std::max<std::streamoff>(file.tellg(), 0));
    std::string tail(std::min(size, kMostBytes), '\0');
    file.seekg(static_cast<std::streamoff>(size - tail.size()));
    file.read(tail.data(), static_cast<std::streamsize>(tail.size()));
    while (tail.ends_with('\n')) tail.pop_back();
    if (tail.empty()) continue;
    size_t begin = tail.size();
    for (int line = 0; line < kMostLines && begin != std::string::npos && begin > 0; ++line) {
      begin = tail.rfind('\n', begin - 1);
    }
    if (begin != std::string::npos) tail.erase(0, begin == 0 ? 0 : begin + 1);
    std::string text = fmt::format("\n  {} ends with:", (folder / name).string());
    for (size_t at = 0; at <= tail.size();) {
      const size_t end = std::min(tail.find('\n', at), tail.size());
      text += "\n    " + base::printable(tail.substr(at, end - at));
      at = end + 1;
    }
    return text;
  }
  return "";
}

}  // namespace pathline::campaign
