// SPDX-License-Identifier: BSD-3-Clause
#include "cli/completion.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pathline::cli {
namespace {

enum class Value : uint8_t { kNone, kWords, kNumber, kFile };

Value value_of(const OptionDescription& option) {
  if (option.value.empty()) return Value::kNone;
  if (!option.words.empty()) return Value::kWords;
  for (const std::string_view number : {"INT", "UINT", "FLOAT", "N", "SECONDS", "SIZE"}) {
    if (option.value == number) return Value::kNumber;
  }
  return Value::kFile;
}

/// As much of a help text as fits in a line.
std::string in_short(std::string_view help) {
  constexpr size_t kMost = 72;
  std::string text(help.substr(0, help.find(';')));
  if (text.size() > kMost) text = text.substr(0, text.rfind(' ', kMost)) + " ...";
  return text;
}

std::string join(const std::vector<std::string>& texts, std::string_view between = " ") {
  return fmt::format("{}", fmt::join(texts, between));
}

/// `text` with `before` in front of each of the letters.
std::string escaped(std::string_view text, std::string_view letters, std::string_view before) {
  std::string all;
  for (const char c : text) {
    if (letters.find(c) != std::string_view::npos) all += before;
    all += c;
  }
  return all;
}

/// A word of bash and zsh.
std::string shell_word(std::string_view text) {
  return fmt::format("'{}'", escaped(text, "'", "'\\'"));
}

std::string path_of(const std::string& parent, const std::string& name) {
  return parent.empty() ? name : parent + ' ' + name;
}

/// Calls visit(path, command) for the program, whose path is "", and for "campaign run".
template <typename Visit>
void for_each_command(const CommandDescription& command, const std::string& path,
                      const Visit& visit) {
  visit(path, command);
  for (const CommandDescription& each : command.commands) {
    for_each_command(each, path_of(path, each.name), visit);
  }
}

/// What the first argument is usually one of.
std::vector<std::string> first_words(const CommandDescription& command) {
  for (const OptionDescription& option : command.options) {
    if (option.is_argument) return option.words;
  }
  return {};
}

/// `script` with texts in the place of @NAME@.
std::string filled(std::string script,
                   const std::vector<std::pair<std::string, std::string>>& texts) {
  for (const auto& [name, text] : texts) {
    const std::string mark = '@' + name + '@';
    script.replace(script.find(mark), mark.size(), text);
  }
  return script;
}

constexpr const char* kBash = R"(# bash completion of pathline, made of the program's options.

_pathline_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_pathline_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_pathline() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' commands='' options='' first='' i
  COMPREPLY=()
  # Bash takes --format=csv for three words.
  if [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $word == = ]]; then
    word=''
  fi
  # Another command line stands behind --.
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -- ]] || continue
    if declare -F _command_offset >/dev/null; then
      _command_offset $((i + 1))
    else
      _pathline_files "$word"
    fi
    return
  done
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${COMP_WORDS[i]}" in
      @COMMANDS@)
        command=${command:+$command }${COMP_WORDS[i]} ;;
      *) break ;;
    esac
  done
  case "$command $before" in
@VALUES@  esac
  case $command in
@WORDS@  esac
  if [[ $word == -* ]]; then
    _pathline_words "$options" "$word"
  elif [[ $commands ]]; then
    _pathline_words "$commands" "$word"
  elif [[ $first && $i == "$COMP_CWORD" ]]; then
    _pathline_words "$first" "$word"
  else
    _pathline_files "$word"
  fi
}

complete -F _pathline pathline
)";

/// What bash does behind `option`, "" for a flag.
std::string bash_value(const OptionDescription& option) {
  switch (value_of(option)) {
    case Value::kNone: return "";
    case Value::kWords:
      return fmt::format(R"(_pathline_words {} "$word"; return)", shell_word(join(option.words)));
    case Value::kNumber: return "return";
    case Value::kFile: return R"(_pathline_files "$word"; return)";
  }
  return "";
}

constexpr const char* kZshChoice = R"(_pathline@NAME@() {
  local curcontext=$curcontext context state state_descr line
  typeset -A opt_args
  local -a choice=(@COMMANDS@
  )
  _arguments -C@OPTIONS@ \
    '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe -t commands command choice ;;
    argument)
      case $words[1] in
@CASES@      esac ;;
  esac
}
)";

/// "_campaign_run", behind "_pathline".
std::string zsh_function(const std::string& path) {
  std::string name = path.empty() ? "" : '_' + path;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// ":FILE:_files" for an option or argument.
std::string zsh_value(const OptionDescription& option) {
  const std::string name = escaped(option.is_argument ? option.names[0] : option.value, ":", "\\");
  switch (value_of(option)) {
    case Value::kNone: return "";
    case Value::kWords: return fmt::format(":{}:({})", name, join(option.words));
    case Value::kNumber: return fmt::format(":{}: ", name);
    case Value::kFile: return fmt::format(":{}:_files", name);
  }
  return "";
}

/// The specifications of all options and arguments, as words of _arguments.
std::string zsh_specifications(const CommandDescription& command) {
  std::string text;
  size_t place = 0;
  const auto add = [&](const std::string& word) { text += " \\\n    " + shell_word(word); };
  for (const OptionDescription& option : command.options) {
    if (option.is_argument) {
      ++place;
      // Another command line stands behind --.
      if (option.names[0] == "COMMAND") {
        add("*:::COMMAND: _normal");
      } else {
        add((option.is_many ? "*" : std::to_string(place)) +
            (option.is_required || option.is_many ? "" : ":") + zsh_value(option));
      }
      continue;
    }
    const std::string once = option.is_many ? "*" : fmt::format("({})", join(option.names));
    for (const std::string& name : option.names) {
      const char* joint = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
      add(fmt::format("{}{}{}[{}]{}", once, name, joint, escaped(in_short(option.help), "[]", "\\"),
                      zsh_value(option)));
    }
  }
  return text;
}

constexpr const char* kFish = R"(# fish completion of pathline, made of the program's options.

# Whether these are the first words behind pathline.
function __pathline_in
    set -l words (commandline -opc)
    for word in $argv
        set -e words[1]
        test "$words[1]" = $word; or return 1
    end
end

# Whether these are all of its words.
function __pathline_at
    test (count (commandline -opc)) -eq (math 1 + (count $argv)); and __pathline_in $argv
end

)";

std::string fish_word(std::string_view text) {
  return fmt::format("'{}'", escaped(text, "'\\", "\\"));
}

std::string fish_option(const CommandDescription& command, const std::string& path,
                        const OptionDescription& option) {
  // Behind one of its own commands, that one's options hold.
  const char* where = command.commands.empty() ? "__pathline_in " : "__pathline_at ";
  std::string line = fmt::format("complete -c pathline -n {}", fish_word(where + path));
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  switch (value_of(option)) {
    case Value::kNone: break;
    case Value::kWords: line += fmt::format(" -x -a {}", fish_word(join(option.words))); break;
    case Value::kNumber: line += " -x"; break;
    case Value::kFile: line += " -r -F"; break;
  }
  return line + fmt::format(" -d {}\n", fish_word(in_short(option.help)));
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
  std::vector<std::string> commands;
  std::string values;
  std::string words;
  for_each_command(program, "", [&](const std::string& path, const CommandDescription& command) {
    if (!path.empty()) {
      commands.push_back(shell_word(path.find(' ') == std::string::npos ? ' ' + path : path));
    }
    std::vector<std::string> options;
    for (const OptionDescription& option : command.options) {
      if (option.is_argument) continue;
      options.insert(options.end(), option.names.begin(), option.names.end());
      const std::string value = bash_value(option);
      if (value.empty()) continue;
      std::vector<std::string> cases;
      for (const std::string& name : option.names) {
        cases.push_back(shell_word(fmt::format("{} {}", path, name)));
      }
      values += fmt::format("    {}) {} ;;\n", join(cases, " | "), value);
    }
    std::vector<std::string> own;
    for (const CommandDescription& each : command.commands) own.push_back(each.name);
    words += fmt::format("    {}) commands={} options={} first={} ;;\n", shell_word(path),
                         shell_word(join(own)), shell_word(join(options)),
                         shell_word(join(first_words(command))));
  });
  return filled(kBash, {{"COMMANDS", join(commands, " | ")}, {"VALUES", values}, {"WORDS", words}});
}

std::string zsh_completion(const CommandDescription& program) {
  std::string text =
      "#compdef pathline\n# zsh completion of pathline, made of the program's options.\n";
  for_each_command(program, "", [&](const std::string& path, const CommandDescription& command) {
    const std::string function = zsh_function(path);
    const std::string specifications = zsh_specifications(command);
    if (command.commands.empty()) {
      text +=
          fmt::format("\n_pathline{}() {{\n  _arguments -s -S{}\n}}\n", function, specifications);
      return;
    }
    std::string names;
    std::string cases;
    for (const CommandDescription& each : command.commands) {
      names += "\n    " + shell_word(fmt::format("{}:{}", each.name, each.about));
      cases += fmt::format("        {}) _pathline{} ;;\n", each.name,
                           zsh_function(path_of(path, each.name)));
    }
    text += '\n' + filled(kZshChoice, {{"NAME", function},
                                       {"COMMANDS", names},
                                       {"OPTIONS", specifications},
                                       {"CASES", cases}});
  });
  return text +
         "\nif [[ $funcstack[1] == _pathline ]]; then\n  _pathline \"$@\"\nelse\n"
         "  compdef _pathline pathline\nfi\n";
}

std::string fish_completion(const CommandDescription& program) {
  std::string text = kFish;
  for_each_command(program, "", [&](const std::string& path, const CommandDescription& command) {
    const std::string at =
        fmt::format("complete -c pathline -n {}", fish_word(path_of("__pathline_at", path)));
    for (const CommandDescription& each : command.commands) {
      text += fmt::format("{} -f -a {} -d {}\n", at, each.name, fish_word(each.about));
    }
    const std::vector<std::string> first = first_words(command);
    if (!first.empty()) text += fmt::format("{} -f -a {}\n", at, fish_word(join(first)));
    for (const OptionDescription& option : command.options) {
      if (!option.is_argument) text += fish_option(command, path, option);
    }
  });
  return text;
}

}  // namespace pathline::cli
