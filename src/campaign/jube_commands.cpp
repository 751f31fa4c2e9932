// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <regex>

#include <fmt/format.h>

#include "campaign/jube_steps.hpp"
#include "campaign/jube_support.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 1'000;

/// Ends the translation of a step; it does not leave this file.
struct Failed {
  base::Error error;
};

class Translator {
 public:
  Translator(const JubeSteps& steps, const JubeStep& from) : steps_(steps), from_(from) {}

  Step run() {
    step_.name = from_.name;
    step_.after = from_.after;
    step_.place = from_.node->place;
    step_.repeat = from_.iterations > 1;
    step_.uses.emplace();
    for (const ParameterSet& set : steps_.parameters.sets) {
      for (const Parameter& parameter : set.parameters) {
        if (from_.uses.contains(parameter.name)) step_.uses->push_back(parameter.name);
      }
    }
    for (const JubeNode* set : from_.files) add_files(*set);
    for (const JubeNode* set : from_.substitutes) add_substitutes(*set);
    for (const JubeNode& node : from_.node->children) {
      if (node.name == "do" && is_active(node)) add_command(node);
    }
    step_.command = command();
    return std::move(step_);
  }

 private:
  struct Command {
    std::string text;
    std::string folder;     ///< "": that of the run.
    std::string redirects;  ///< "", or as a shell has them.
  };

  template <class T>
  static T checked(base::Result<T> result) {
    if (!result) throw Failed{result.error()};
    return std::move(result).value();
  }
  std::string text(const JubeNode& node, std::string_view raw,
                   JubeReader reader = JubeReader::kOther) const {
    return checked(jube_text_of_step(node, raw, steps_, from_, reader));
  }
  bool is_active(const JubeNode& node) const {
    return checked(jube_is_active(node, steps_.parameters));
  }
  static void supported(const JubeNode& node) {
    if (auto status = jube_supported(node); !status) throw Failed{status.error()};
  }

  /// The name of a file: no variables, no patterns.
  std::string file(const JubeNode& node, const std::string& raw) const {
    std::string name = text(node, raw);
    if (name.find('$') != std::string::npos || name.starts_with('~')) {
      throw Failed{unsupported(node, fmt::format("the file '{}'", raw),
                               "variables of the environment have no value here",
                               "Write the name itself, or do it in a command.")};
    }
    if (name.find_first_of("*?[") != std::string::npos) {
      throw Failed{unsupported(node, fmt::format("the file '{}'", raw),
                               "a pattern of names is not looked up",
                               "Name the files, or the folder that they are in.")};
    }
    if (name.empty()) throw Failed{wrong(node, "the name of a file is missing")};
    return name;
  }

  static std::string quoted(const std::string& name) {
    std::string all = "\"";
    for (const char c : name)
      all += c == '"' || c == '`' ? fmt::format("\\{}", c) : std::string(1, c);
    return all + '"';
  }

  // Files.

  void add_files(const JubeNode& set) {
    supported(set);
    for (const JubeNode& node : set.children) {
      if (!is_active(node)) continue;
      if (node.name == "prepare") {
        if (!from_.substitutes.empty()) {
          throw Failed{unsupported(node, "<prepare> with a substituteset",
                                   "files are written before commands are run",
                                   "Prepare in a step before this one.")};
        }
        add_command(node);
      } else {
        add_copies(node);
      }
    }
  }

  void add_copies(const JubeNode& node) {
    std::string separator = ",";
    for (const auto& [key, value] : node.attributes) {
      if (key == "separator") separator = value;
    }
    const std::vector<std::string> files = split(node.text, separator);
    if (files.size() + copied_.size() > kMostFiles) {
      throw Failed{wrong(node, fmt::format("a step has more than {} files", kMostFiles))};
    }
    std::vector<std::string> names;
    if (const auto name = node.attribute("name")) names = split(*name);
    if (!names.empty() && names.size() != files.size()) {
      throw Failed{wrong(node, fmt::format("{} files have {} names", files.size(), names.size()))};
    }
    const bool is_copy = node.name == "copy";
    const bool is_inside = node.attribute("rel_path_ref", "external") == "internal";
    const fs::path folder = node.attribute("source_dir", node.attribute("directory", ""));
    const std::string target = node.attribute("target_dir", "");
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].empty()) throw Failed{wrong(node, "the name of a file is missing")};
      fs::path path = folder / files[i];
      if (!is_inside) path = fs::path(node.attribute("file_path_ref", "")) / path;
      const std::string from = file(node, path.lexically_normal().string());
      const std::string base = fs::path(from).filename().string();
      std::string name = names.empty() ? base : file(node, names[i]);
      if (!target.empty()) name = (fs::path(file(node, target)) / name).string();
      copied_.emplace_back(name, from);
      if (const fs::path to(name); to.has_parent_path()) {
        lines_.push_back("mkdir -p " + quoted(to.parent_path().string()));
      }
      if (is_inside) {
        lines_.push_back(fmt::format(
            "{} {} {}", is_copy ? "cp -R" : "ln -sfn",
            quoted(is_copy || fs::path(name).parent_path().empty() ? from : "$PWD/" + from),
            quoted(name)));
        continue;
      }
      std::vector<std::string>& to = is_copy ? step_.copies : step_.links;
      for (const auto* other : {&step_.copies, &step_.links}) {
        for (const std::string& one : *other) {
          if (fs::path(one).filename() != base || (name == base && one == from)) continue;
          throw Failed{unsupported(node, fmt::format("a second file '{}'", base),
                                   "files of a step come under their own names first",
                                   "Give one of them another name beside the study.")};
        }
      }
      to.push_back(from);
      if (name != base) lines_.push_back(fmt::format("mv {} {}", quoted(base), quoted(name)));
    }
  }

  void add_substitutes(const JubeNode& set) {
    supported(set);
    std::vector<std::pair<std::string, std::string>> replacements;
    std::vector<std::pair<const JubeNode*, std::string>> outs;
    for (const JubeNode& node : set.children) {
      if (node.name == "iofile") {
        const std::string out = file(node, node.attribute("out", ""));
        // A set that is initialised with another one writes files of the same name in its way.
        std::erase_if(outs, [&](const auto& other) { return other.second == out; });
        outs.emplace_back(&node, out);
        continue;
      }
      if (replacements.size() > kMostFiles) break;
      const std::string what = text(node, node.attribute("source", ""));
      if (what.empty()) throw Failed{wrong(node, "a <sub> needs a 'source'")};
      const std::string by = text(node, node.attribute("dest").value_or(node.text));
      const auto old = std::find_if(replacements.begin(), replacements.end(),
                                    [&](const auto& one) { return one.first == what; });
      if (old == replacements.end()) {
        replacements.emplace_back(what, by);
      } else {
        old->second = by;
      }
    }
    if (replacements.size() + outs.size() > kMostFiles) {
      throw Failed{wrong(set, fmt::format("there are more than {} replacements", kMostFiles))};
    }
    for (const auto& [node, out] : outs) {
      if (replacements.empty()) {
        throw Failed{unsupported(*node, "<iofile> without a <sub>", "there is nothing to replace",
                                 "Copy the file, with a name for it.")};
      }
      add_template(*node, out, replacements);
    }
  }

  void add_template(const JubeNode& node, const std::string& out,
                    const std::vector<std::pair<std::string, std::string>>& replacements) {
    const std::string in = file(node, node.attribute("in", ""));
    Template made{.from = in, .to = out, .replacements = replacements};
    // What a substituteset before has written is replaced further.
    const auto before = std::find_if(step_.templates.rbegin(), step_.templates.rend(),
                                     [&](const Template& one) { return one.to == in; });
    if (before != step_.templates.rend()) {
      made = {.from = before->from, .to = out, .replacements = before->replacements};
      made.replacements.insert(made.replacements.end(), replacements.begin(), replacements.end());
      if (in == out) {
        *before = std::move(made);
        return;
      }
    } else {
      for (const auto& [name, from] : copied_) {
        if (name == in) made.from = from;
      }
    }
    std::erase_if(step_.templates, [&](const Template& one) { return one.to == out; });
    // The file itself is not there under its name yet when commands would rename it.
    if (in == out)
      std::erase_if(lines_, [&](const std::string& line) {
        return line.starts_with("mv ") && line.ends_with(" " + quoted(out));
      });
    step_.templates.push_back(std::move(made));
  }

  // Commands.

  void add_command(const JubeNode& node) {
    std::string_view raw = stripped(node.text);
    while (raw.starts_with(';')) raw.remove_prefix(1);
    while (raw.ends_with(';') && !raw.ends_with(";;")) raw.remove_suffix(1);
    Command command{.text = std::string(stripped(text(node, raw, JubeReader::kShell)))};
    if (command.text.empty()) return;
    if (const auto folder = node.attribute("work_dir")) command.folder = file(node, *folder);
    const std::string home = command.folder.empty() ? "" : "$jube_dir/";
    if (const auto out = node.attribute("stdout")) {
      command.redirects += " >>" + quoted(home + file(node, *out));
    }
    if (const auto out = node.attribute("stderr")) {
      command.redirects += " 2>>" + quoted(home + file(node, *out));
    }
    commands_.push_back(std::move(command));
  }

  static bool moves(const Command& command) {
    static const std::regex kMoves("(^|[^A-Za-z0-9_])(cd|pushd|popd)([^A-Za-z0-9_]|$)");
    return !command.folder.empty() || std::regex_search(command.text, kMoves);
  }

  /// Each <do> begins in the folder of the run, and fails with its last command only. The runner's
  /// shell stops at the first command that fails.
  [[nodiscard]] std::string command() const {
    std::string all;
    for (const std::string& line : lines_) all += line + '\n';
    const bool has_folders = std::any_of(commands_.begin(), commands_.end(),
                                         [](const Command& one) { return !one.folder.empty(); });
    const bool has_moves =
        has_folders ||
        (commands_.size() > 1 && std::any_of(commands_.begin(), commands_.end() - 1, moves));
    if (has_moves) all += "jube_dir=$PWD\n";
    for (size_t i = 0; i < commands_.size(); ++i) {
      const Command& one = commands_[i];
      const bool is_last = i + 1 == commands_.size();
      if (i > 0 && moves(commands_[i - 1])) all += "cd \"$jube_dir\"\n";
      if (!one.folder.empty()) {
        all += fmt::format("mkdir -p {0}\ncd {0}\n", quoted(one.folder));
      }
      const bool is_one = one.text.find_first_of(is_last ? "\n;" : "\n;&|!#") == std::string::npos;
      if (is_one && one.redirects.empty()) {
        all += one.text + '\n';
      } else {
        all += fmt::format("{{\n{}\n}}{} || exit\n", one.text, one.redirects);
      }
    }
    while (all.ends_with('\n')) all.pop_back();
    return all;
  }

  const JubeSteps& steps_;
  const JubeStep& from_;
  Step step_;
  std::vector<std::pair<std::string, std::string>> copied_;  // Name in the run, and where it is.
  std::vector<std::string> lines_;                           // Before the commands.
  std::vector<Command> commands_;
};

}  // namespace

base::Result<Step> jube_step(const JubeSteps& steps, const JubeStep& step) {
  try {
    return Translator(steps, step).run();
  } catch (const Failed& failed) {
    return failed.error;
  }
}

}  // namespace pathline::campaign
