// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/jube_files.hpp"
#include "campaign/jube_parameters.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

/// A step of JUBE with what it uses.
struct JubeStep {
  const JubeNode* node = nullptr;
  std::string name;
  uint32_t iterations = 1;
  std::vector<std::string> after;
  std::set<std::string> ancestors;           ///< Steps before it, and before those.
  std::vector<const JubeNode*> sets;         ///< Of parameters.
  std::vector<const JubeNode*> files;        ///< Filesets.
  std::vector<const JubeNode*> substitutes;  ///< Substitutesets.
  std::set<std::string> own;                 ///< Parameters of its own sets.
  std::set<std::string> uses;                ///< With those of the steps before it.
};

struct JubeSteps {
  std::string benchmark;
  std::vector<JubeStep> steps;
  JubeParameters parameters;

  [[nodiscard]] const JubeStep* find(std::string_view name) const;
};

/// The steps that are active, and their parameters.
/// errors  kUnsupported, kInvalidArgument naming file and line.
base::Result<JubeSteps> jube_steps(const JubeBenchmark& benchmark, const std::string& home);

/// What reads a text: a name that is a parameter of other steps only is a variable of the shell.
enum class JubeReader : uint8_t { kShell, kOther };

/// A text of a step with {name} for $name.
/// errors  kUnsupported naming the line of the node: a name of JUBE that there is nothing for.
base::Result<std::string> jube_text_of_step(const JubeNode& node, std::string_view text,
                                            const JubeSteps& steps, const JubeStep& step,
                                            JubeReader reader = JubeReader::kOther);

/// The value of an attribute `active`.
base::Result<bool> jube_is_active(const JubeNode& node, const JubeParameters& parameters);

/// Commands and files of a step.
base::Result<Step> jube_step(const JubeSteps& steps, const JubeStep& step);

}  // namespace pathline::campaign
