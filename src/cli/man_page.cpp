// SPDX-License-Identifier: BSD-3-Clause
#include "cli/man_page.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "app/record_settings.hpp"

namespace pathline::cli {
namespace {

constexpr std::string_view kUsualStatus =
    ".TP\n.B 0\nDone.\n"
    ".TP\n.B 1\nDone, and the answer is no: something differs, failed or is not as expected.\n"
    ".TP\n.B 2\nAn error, which standard error names.\n"
    ".TP\n.B 130\nInterrupted.\n";
constexpr std::string_view kTableVariables =
    ".TP\n.B NO_COLOR\nSet to anything: tables without colours.\n"
    ".TP\n.B PAGER\nShows tables that are longer than the terminal.\n"
    ".TP\n.B COLUMNS\nWidth of tables where the terminal does not tell it.\n";

/// Text as roff takes it literally. A hyphen of text may become a typographic one, which nobody can
/// type again: all of ours are minus signs.
std::string escaped(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    switch (c) {
      case '\\': roff += "\\e"; break;
      case '-': roff += "\\-"; break;
      case '\'': roff += "\\(aq"; break;
      case '^': roff += "\\(ha"; break;
      case '~': roff += "\\(ti"; break;
      case '`': roff += "\\(ga"; break;
      case '.':
        if (roff.empty() || roff.back() == '\n') roff += "\\&";
        [[fallthrough]];
      default: roff += c;
    }
  }
  return roff;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", escaped(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", escaped(text)); }

std::string sentence(std::string_view text) {
  std::string roff = escaped(text);
  if (!roff.empty() && std::string_view(".:!?").find(roff.back()) == std::string_view::npos) {
    roff += '.';
  }
  return roff + '\n';
}

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts) all.append(all.empty() ? "" : between).append(text);
  return all;
}

/// "pathline campaign run" as the name of its page.
std::string page_name(std::string path) {
  std::replace(path.begin(), path.end(), ' ', '-');
  return path;
}

/// Lines up to "Examples:", and those behind it that are examples; what follows them is text again.
struct Footer {
  std::vector<std::string> paragraphs;
  std::string examples;
};

Footer parts_of(std::string_view footer) {
  Footer parts;
  bool in_examples = false;
  bool goes_on = false;  // A sentence that the next line ends.
  while (!footer.empty()) {
    const size_t end = std::min(footer.find('\n'), footer.size());
    const std::string_view line = footer.substr(0, end);
    footer.remove_prefix(std::min(end + 1, footer.size()));
    if (line == "Examples:" || line == "Example:") {
      in_examples = true;
    } else if (in_examples && line.starts_with("  ")) {
      parts.examples.append(line).append("\n");
    } else if (!line.empty()) {
      if (!goes_on) parts.paragraphs.emplace_back();
      parts.paragraphs.back().append(line).append("\n");
      goes_on = !line.ends_with('.') && !line.ends_with(':');
    }
  }
  return parts;
}

/// An argument as a synopsis names it. What is COMMAND stands behind "--" (see option.cpp).
std::string argument(const OptionDescription& option) {
  std::string text = italic(option.names[0]) + (option.is_many ? " ..." : "");
  if (option.names[0] == "COMMAND") text = "\\-\\- " + text;
  return option.is_required ? text : fmt::format("[{}]", text);
}

std::string synopsis(const std::string& path, const CommandDescription& command) {
  std::string text = bold(path);
  for (const OptionDescription& option : command.options) {
    if (!option.is_required || option.is_argument) continue;
    text += fmt::format(" {} {}", bold(option.names.back()), italic(option.value));
  }
  text += fmt::format(" [{} ...]", italic("OPTION"));
  if (!command.commands.empty()) text += fmt::format(" {} ...", italic("COMMAND"));
  for (const OptionDescription& option : command.options) {
    if (option.is_argument) text += ' ' + argument(option);
  }
  return text + '\n';
}

/// Name, what it takes, and all that the help says of it.
std::string entry(const OptionDescription& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(option.is_argument ? italic(name) : bold(name));
  }
  std::string text = ".TP\n" + joined(names, ", ");
  if (!option.value.empty() && !option.is_argument) text += ' ' + italic(option.value);
  if (option.is_argument && option.is_many) text += " ...";
  text += '\n' + sentence(option.help);
  const bool are_told = std::all_of(
      option.words.begin(), option.words.end(),
      [&](const std::string& word) { return option.help.find(word) != std::string::npos; });
  if (!are_told) text += sentence("One of " + joined(option.words, ", "));
  if (!option.range.empty()) text += sentence("A number " + option.range);
  if (!option.usual.empty()) text += sentence("Default: " + option.usual);
  if (!option.needs.empty()) text += sentence("Only with " + joined(option.needs, ", "));
  if (!option.excludes.empty()) text += sentence("Not with " + joined(option.excludes, ", "));
  return text;
}

/// Arguments first, then options below their headings, these in the order of their first options.
std::string entries(const CommandDescription& command) {
  std::string arguments;
  std::vector<std::string> groups = {""};
  for (const OptionDescription& option : command.options) {
    if (option.is_argument) {
      arguments += entry(option);
    } else if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  std::string text = arguments.empty() ? "" : ".SH ARGUMENTS\n" + arguments;
  text += ".SH OPTIONS\n";
  for (const std::string& group : groups) {
    if (!group.empty()) text += fmt::format(".SS {}\n", escaped(group));
    for (const OptionDescription& option : command.options) {
      if (!option.is_argument && option.group == group) text += entry(option);
    }
  }
  return text;
}

bool prints_tables(const CommandDescription& command) {
  const auto has = [](const std::vector<std::string>& texts, std::string_view text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  };
  return std::any_of(command.options.begin(), command.options.end(),
                     [&](const OptionDescription& option) {
                       return has(option.names, "--format") && has(option.words, "table");
                     });
}

std::string record_variables() {
  std::string text;
  for (const app::RecordSetting& setting : app::record_settings()) {
    std::string option = fmt::format("--{}", setting.name);
    std::replace(option.begin(), option.end(), '_', '-');
    text += fmt::format(".TP\n.B {}\nAs {}.\n", app::variable_name(setting.name), bold(option));
  }
  return text;
}

std::string environment(const std::string& path, const CommandDescription& command) {
  std::string text;
  if (prints_tables(command)) text += kTableVariables;
  if (path == "pathline record") text += record_variables();
  if (path == "pathline") {
    text += kTableVariables;
    text += fmt::format(".TP\n.BI PATHLINE_ NAME\nOptions of recording, see {}(1).\n",
                        bold("pathline-record"));
  }
  return text.empty() ? text : ".SH ENVIRONMENT\n" + text;
}

std::string exit_status(const std::string& path) {
  if (path != "pathline record") return fmt::format(".SH EXIT STATUS\n{}", kUsualStatus);
  return fmt::format(".SH EXIT STATUS\nThat of {}, or 2 if it could not be started.\n",
                     italic("COMMAND"));
}

/// All commands below `command`, as "pathline campaign run".
void collect_paths(const std::string& path, const CommandDescription& command,
                   std::vector<std::string>& paths) {
  paths.push_back(path);
  for (const CommandDescription& each : command.commands) {
    collect_paths(path + ' ' + each.name, each, paths);
  }
}

class Writer {
 public:
  Writer(const CommandDescription& program, const std::string& version)
      : version_(version), program_(program) {
    collect_paths(program.name, program, paths_);
  }

  std::vector<ManPage> pages() {
    write(program_.name, program_);
    return std::move(pages_);
  }

 private:
  void write(const std::string& path, const CommandDescription& command) {
    const std::string name = page_name(path);
    std::string title = name;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const Footer footer = parts_of(command.footer);
    // Without a date: the same program writes the same bytes.
    std::string text = fmt::format(
        ".\\\" Made of the program's options.\n"
        ".TH {} 1 \"\" \"Pathline {}\" \"Pathline\"\n.nh\n.ad l\n",
        escaped(title), version_);
    text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(command.about));
    text += ".SH SYNOPSIS\n" + synopsis(path, command);
    for (size_t i = 0; i < footer.paragraphs.size(); ++i) {
      text += (i == 0 ? ".SH DESCRIPTION\n" : ".PP\n") + escaped(footer.paragraphs[i]);
    }
    if (!command.commands.empty()) text += ".SH COMMANDS\n" + commands(path, command);
    text += entries(command);
    text += exit_status(path);
    text += environment(path, command);
    if (!footer.examples.empty()) {
      text += fmt::format(".SH EXAMPLES\n.EX\n{}.EE\n", escaped(footer.examples));
    }
    text += ".SH SEE ALSO\n" + see_also(path, text);
    pages_.push_back({.name = name, .text = text});
    for (const CommandDescription& each : command.commands) write(path + ' ' + each.name, each);
  }

  static std::string commands(const std::string& path, const CommandDescription& command) {
    std::string text;
    for (const CommandDescription& each : command.commands) {
      text += fmt::format(".TP\n{}(1)\n{}", bold(page_name(path + ' ' + each.name)),
                          sentence(each.about));
    }
    return text;
  }

  /// The page above, those below, and what the page itself speaks of.
  [[nodiscard]] std::string see_also(const std::string& path, const std::string& text) const {
    std::vector<std::string> pages;
    for (const std::string& other : paths_) {
      const bool is_above = path.starts_with(other + ' ');
      const bool is_below =
          other.starts_with(path + ' ') && other.find(' ', path.size() + 1) == std::string::npos;
      const bool is_named = text.find(other + ' ') != std::string::npos ||
                            text.find(other + "\\(aq") != std::string::npos;
      if (other != path && (is_above || is_below || is_named)) {
        pages.push_back(fmt::format("{}(1)", bold(page_name(other))));
      }
    }
    return joined(pages, ",\n") + '\n';
  }

  const std::string& version_;
  const CommandDescription& program_;
  std::vector<std::string> paths_;
  std::vector<ManPage> pages_;
};

}  // namespace

std::vector<ManPage> man_pages(const CommandDescription& program, const std::string& version) {
  return Writer(program, version).pages();
}

}  // namespace pathline::cli
