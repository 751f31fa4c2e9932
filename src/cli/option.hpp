// SPDX-License-Identifier: BSD-3-Clause
//
// The options and arguments of commands. The library behind them, CLI11, is known to option.cpp
// alone: each source that includes its header costs four seconds of compiling.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/description.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
class Option;
}  // namespace CLI

namespace pathline::cli {

/// One option or argument; a handle, valid as long as its Program. Each call returns the handle, so
/// that they can be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required(bool is_required = true);
  Option& one_of(const std::vector<std::string>& words);
  /// What shells offer to complete; it takes others, too, or says itself what is wrong with them.
  Option& suggest(const std::vector<std::string>& words);
  /// Both ends are allowed. For int, unsigned, size_t and double.
  template <typename T>
  Option& range(T least, T most);
  Option& above_zero();
  /// The help shows what its variable holds now.
  Option& show_default();
  /// Heading that it stands under in the help; "" is the common one.
  Option& group(const std::string& name);
  /// It may be given again, with one value each time.
  Option& one_value_each();
  /// What stands for the value in the help.
  Option& value_name(const std::string& name);
  Option& needs(const Option& other);
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

/// A command and its options; a handle like Option.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command command(const std::string& name, const std::string& about);
  /// One of its own commands must follow its name.
  void needs_command();

  /// names  "-o,--output", or "INPUT" for an argument.
  /// value  set when the command line is read, and must still be there; its type is std::string,
  ///        unsigned, size_t, int, double, an optional of one of them or a vector of strings.
  template <typename T>
  Option option(const std::string& names, T& value, const std::string& help);
  Option option_function(const std::string& names,
                         const std::function<void(const std::string&)>& take,
                         const std::string& help);
  Option flag(const std::string& names, bool& value, const std::string& help);
  /// take  gets false for the names that begin with an exclamation mark.
  Option flag_function(const std::string& names, std::function<void(bool)> take,
                       const std::string& help);

  void footer(const std::string& text);
  /// Called when the command line chose this command, with all its values set.
  void on_chosen(std::function<void()> call);

  struct Given {
    std::string name;  ///< "--top-links" or "INPUT".
    std::string group;
  };
  /// What stood on the command line, in its order; for on_chosen().
  [[nodiscard]] std::vector<Given> given() const;
  [[nodiscard]] bool was_given(const std::string& name) const;
  /// Of what was added until now, in the order of the help.
  [[nodiscard]] CommandDescription description() const;

 protected:
  CLI::App* app_;
};

/// The whole command line. Its commands are added first, then it is parsed once.
class Program : public Command {
 public:
  Program(const std::string& name, const std::string& about, const std::string& version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// returns  the exit status if all is said: --help, --version, or a mistake, which is reported.
  std::optional<int> parse(int argc, const char* const* argv);
  /// The name of the chosen command; after a parse() that returned nothing.
  [[nodiscard]] std::string chosen() const;

 private:
  std::unique_ptr<CLI::App> root_;
};

}  // namespace pathline::cli
