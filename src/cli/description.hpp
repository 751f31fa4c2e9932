// SPDX-License-Identifier: BSD-3-Clause
//
// What the help says, as data: manual pages and completions are made of it.
#pragma once

#include <string>
#include <vector>

namespace pathline::cli {

/// An option or an argument.
struct OptionDescription {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument "INPUT" alone.
  bool is_argument = false;
  bool is_required = false;
  bool is_many = false;            ///< Takes several values, or may be given again.
  std::string value;               ///< What it takes, "FILE"; "" for a flag.
  std::vector<std::string> words;  ///< All that it takes, or what people usually want.
  std::string range;               ///< "from 0 to 4096".
  std::string usual;               ///< What it is unless given; "" for nothing worth telling.
  std::vector<std::string> needs;  ///< First names of other options, in their order; so are these:
  std::vector<std::string> excludes;
  std::string group;  ///< Its heading; "" for the common one.
  std::string help;
};

struct CommandDescription {
  std::string name;
  std::string about;
  std::string footer;
  std::vector<OptionDescription> options;
  std::vector<CommandDescription> commands;  ///< Its own.
};

}  // namespace pathline::cli
