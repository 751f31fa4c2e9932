// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/jube_tree.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

/// A parameter whose text is of the run ($jube_wp_id): it is written where it is used.
struct JubeRunText {
  std::string text;         ///< As in the file.
  std::string update_mode;  ///< "never", "use", "step", "cycle", "always".
  JubeNode node;
};

struct JubeParameters {
  std::vector<ParameterSet> sets;
  std::map<std::string, std::vector<std::string>> of_set;  ///< Names, by that of <parameterset>.
  std::map<std::string, std::vector<std::string>> needs;   ///< What a parameter is made of.
  std::map<std::string, JubeRunText> run_texts;
  std::map<std::string, std::string> fixed;  ///< Values of those that have only one.
};

/// What a name that JUBE itself gives stands for, if that is known before there is a run.
using JubeConstants = std::map<std::string, std::string, std::less<>>;

/// What parameter sets come to. A parameter of mode "python" is calculated here, for all values of
/// what it names; they vary together with it.
///
/// errors  kUnsupported, kInvalidArgument naming file and line.
base::Result<JubeParameters> jube_parameters(const std::vector<const JubeNode*>& sets,
                                             const JubeConstants& constants);

/// errors  kInvalidArgument where a text has {name} and name is a parameter, or a name that
///         Pathline fills in: it would be replaced, which JUBE does not do.
base::Status no_names_in_braces(const JubeNode& node, std::string_view text,
                                const JubeParameters& parameters);

}  // namespace pathline::campaign
