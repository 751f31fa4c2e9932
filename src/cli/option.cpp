// SPDX-License-Identifier: BSD-3-Clause
#include "cli/option.hpp"

#include <algorithm>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"

namespace pathline::cli {

namespace {

// CLI11 keeps a name of each check and shows it nowhere: what description() needs to know of it.
constexpr std::string_view kWords = "words ";
constexpr std::string_view kRange = "from ";

std::string name_of_words(const std::vector<std::string>& words) {
  return fmt::format("{}{}", kWords, fmt::join(words, " "));
}

}  // namespace

Option& Option::required(bool is_required) {
  option_->required(is_required);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  // The words stand in the help as CLI11 writes them, but its message is another than ours.
  // A ValidationError would get the name of the option a second time.
  const std::string in_help = CLI::IsMember(words).get_description();
  const auto refuse_others = [words, option = option_](const std::string& word) -> std::string {
    if (std::find(words.begin(), words.end(), word) != words.end()) return "";
    throw CLI::ParseError(base::not_one_of(option->get_name(), word, words),
                          CLI::ExitCodes::ValidationError);
  };
  option_->check(refuse_others, in_help, name_of_words(words));
  return *this;
}

Option& Option::suggest(const std::vector<std::string>& words) {
  if (words.empty()) return *this;
  option_->check([](const std::string&) { return std::string(); }, "", name_of_words(words));
  return *this;
}

template <typename T>
Option& Option::range(T least, T most) {
  option_->check(CLI::Range(least, most), fmt::format("{}{} to {}", kRange, least, most));
  return *this;
}
template Option& Option::range(int, int);
template Option& Option::range(unsigned, unsigned);
template Option& Option::range(size_t, size_t);
template Option& Option::range(double, double);

Option& Option::above_zero() {
  option_->check([](const std::string& text) {
    const auto number = base::number_in<double>(text);
    return number && *number > 0 ? "" : "'" + text + "' is no number above 0";
  });
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::group(const std::string& name) {
  if (!name.empty()) option_->group(name);
  return *this;
}

Option& Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::value_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Command Command::command(const std::string& name, const std::string& about) {
  return Command(app_->add_subcommand(name, about));
}

template <typename T>
Option Command::option(const std::string& names, T& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, unsigned&, const std::string&);
template Option Command::option(const std::string&, size_t&, const std::string&);
template Option Command::option(const std::string&, int&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);
template Option Command::option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::option(const std::string&, std::optional<unsigned>&, const std::string&);
template Option Command::option(const std::string&, std::optional<double>&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);

Option Command::option_function(const std::string& names,
                                const std::function<void(const std::string&)>& take,
                                const std::string& help) {
  return Option(app_->add_option_function<std::string>(names, take, help));
}

Option Command::flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

Option Command::flag_function(const std::string& names, std::function<void(bool)> take,
                              const std::string& help) {
  const auto count = [take = std::move(take)](int64_t given) { take(given > 0); };
  return Option(app_->add_flag_function(names, count, help));
}

void Command::needs_command() { app_->require_subcommand(1); }

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::on_chosen(std::function<void()> call) { app_->callback(std::move(call)); }

std::vector<Command::Given> Command::given() const {
  std::vector<Given> given;
  for (const CLI::Option* option : app_->parse_order()) {
    given.push_back({.name = option->get_name(), .group = option->get_group()});
  }
  return given;
}

bool Command::was_given(const std::string& name) const { return app_->count(name) > 0; }

namespace {

/// In the order of the command, which a set of pointers does not have.
std::vector<std::string> names_of(const std::set<CLI::Option*>& chosen, CLI::App& command) {
  std::vector<std::string> names;
  for (CLI::Option* option : command.get_options()) {
    if (chosen.contains(option)) names.push_back(option->get_name());
  }
  return names;
}

OptionDescription describe(CLI::Option& option, CLI::App& command) {
  OptionDescription description;
  description.is_argument = !option.nonpositional();
  description.is_required = option.get_required();
  description.is_many = option.get_expected_max() > 1;
  description.value = option.get_type_name();
  description.usual = option.get_default_str();
  description.needs = names_of(option.get_needs(), command);
  description.excludes = names_of(option.get_excludes(), command);
  if (option.get_group() != "Options") description.group = option.get_group();
  description.help = option.get_description();
  if (description.is_argument) description.names = {option.get_name()};
  for (const std::string& name : option.get_snames()) description.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) description.names.push_back("--" + name);
  if (option.get_items_expected_max() == 0) description.value = "";
  for (int i = 0;; ++i) {
    const CLI::Validator* check = nullptr;
    try {
      check = option.get_validator(i);
    } catch (const CLI::OptionNotFound&) {
      break;
    }
    // The type of the help has what each check says of itself behind it.
    const std::string in_help = ":" + check->get_description();
    if (in_help.size() > 1 && description.value.ends_with(in_help)) {
      description.value.resize(description.value.size() - in_help.size());
    }
    const std::string_view name = check->get_name();
    if (name.starts_with(kRange)) description.range = name;
    if (name.starts_with(kWords)) {
      description.words = CLI::detail::split(std::string(name.substr(kWords.size())), ' ');
    }
  }
  return description;
}

CommandDescription describe(CLI::App& app) {
  CommandDescription description;
  description.name = app.get_name();
  description.about = app.get_description();
  description.footer = app.get_footer();
  for (CLI::Option* option : app.get_options({})) {
    if (!option->get_group().empty()) description.options.push_back(describe(*option, app));
  }
  for (CLI::App* command : app.get_subcommands({})) {
    description.commands.push_back(describe(*command));
  }
  return description;
}

/// Reports what `command` (the program itself before its command is known) was told wrongly, where
/// help is and, if `meant` is not "", what the user probably wanted.
int usage_error(const CLI::App& command, std::string message, const std::string& meant = "") {
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  std::string names;
  for (const CLI::App* app = &command; app->get_parent() != nullptr; app = app->get_parent()) {
    names = app->get_name() + ' ' + names;
  }
  const std::string help = fmt::format("'pathline {}--help' lists what there is.", names);
  return report_error({base::ErrorCode::kInvalidArgument, message,
                       meant.empty() ? help : fmt::format("Did you mean '{}'? {}", meant, help)});
}

int unknown_option(const CLI::App& command, std::string_view word) {
  const std::string_view option = word.substr(0, word.find('='));
  if (command.get_option_no_throw("COMMAND") != nullptr && command.count("COMMAND") > 0) {
    return report_error({base::ErrorCode::kInvalidArgument,
                         fmt::format("there is no option '{}'", option),
                         "If it is one of the command: that stands behind --, as in: pathline "
                         "record -- mpirun -n 4 ./app"});
  }
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options()) {
    names.insert(names.end(), known->get_lnames().begin(), known->get_lnames().end());
  }
  // A time is chosen by one of two ways.
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool is_time = option == "--from" || option == "--until";
  const std::string_view meant = is_time && has("focus")              ? "focus"
                                 : option == "--focus" && has("from") ? "from"
                                 : option.starts_with("--") ? base::nearest(option.substr(2), names)
                                                            : "";
  return usage_error(command, fmt::format("there is no option '{}'", option),
                     meant.empty() ? "" : fmt::format("--{}", meant));
}

int unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return usage_error(app, fmt::format("there is no command '{}'", word),
                     std::string(base::nearest(word, names)));
}

/// The program, the command that was chosen, and so on if that has commands of its own.
std::vector<const CLI::App*> chosen_in(const CLI::App& app) {
  std::vector<const CLI::App*> chosen = {&app};
  while (!chosen.back()->get_subcommands().empty()) {
    chosen.push_back(chosen.back()->get_subcommands()[0]);
  }
  return chosen;
}

/// CLI11's messages in our form: one line, and where help is.
int parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  const std::vector<const CLI::App*> chosen = chosen_in(app);
  const CLI::App& command = *chosen.back();
  // First of all, as what else seems wrong may follow from it: the value of a misspelt option is
  // taken for INPUT.
  for (const CLI::App* part : chosen) {
    for (const std::string& word : part->remaining()) {
      if (word.starts_with('-')) return unknown_option(*part, word);
    }
  }
  const bool lacks_command = !command.get_subcommands({}).empty();
  for (const CLI::App* part : chosen) {
    if (lacks_command && part->remaining_size() > 0) {
      return unknown_command(command, part->remaining()[0]);
    }
  }
  constexpr std::string_view kNoNumber = "Could not convert: ";
  const std::string_view text = error.what();
  const size_t value = text.find(" = ");
  if (text.starts_with(kNoNumber) && value != std::string_view::npos) {
    return usage_error(command, fmt::format("{} is '{}', expected a number",
                                            text.substr(kNoNumber.size(), value - kNoNumber.size()),
                                            text.substr(value + 3)));
  }
  return usage_error(command, error.what());
}

/// The first option or argument that was given nothing, nullptr if there is none. CLI11 takes it
/// for not given: --ranks '' would be all ranks.
const CLI::Option* first_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end()) return option;
  }
  return nullptr;
}

}  // namespace

CommandDescription Command::description() const { return describe(*app_); }

Program::Program(const std::string& name, const std::string& about, const std::string& version)
    : Command(nullptr), root_(std::make_unique<CLI::App>(about, name)) {
  app_ = root_.get();
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
}

Program::~Program() = default;

std::optional<int> Program::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_error(*app_, error);
  }
  const CLI::App& command = *chosen_in(*app_).back();
  if (const CLI::Option* option = first_empty(command)) {
    return usage_error(command, option->get_name() + " is empty");
  }
  return std::nullopt;
}

std::string Program::chosen() const { return app_->get_subcommands()[0]->get_name(); }

}  // namespace pathline::cli
