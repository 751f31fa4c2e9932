// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/scratch_folder.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

/// Studies of JUBE that tests write themselves.
struct JubeStudies {
  base::ScratchFolder folder;

  /// The message, from the line on, and the advice.
  std::string refused(const std::string& name, const std::string& text,
                      const std::vector<std::string>& tags = {}) {
    const auto study = read_study(folder.write(name, text), tags);
    if (study.ok()) return "read";
    const std::string& message = study.error().message;
    const size_t line = message.find(", line ");
    return (line == std::string::npos ? message : message.substr(line + 2)) + " | " +
           study.error().advice;
  }
};

/// All that a study says, without names of files.
inline std::string described(const Study& study) {
  std::string all = fmt::format("{} x{}\n", study.name, study.repetitions);
  for (const ParameterSet& set : study.sets) {
    all += "set\n";
    for (const Parameter& one : set.parameters) {
      all += fmt::format("  {} = {}{}\n", one.name, fmt::join(one.values, "; "),
                         one.is_text ? "" : " calculated");
    }
  }
  for (const Step& step : study.steps) {
    all +=
        fmt::format("step {} after {} uses {} repeat {}\n", step.name, fmt::join(step.after, ","),
                    step.uses ? fmt::format("{}", fmt::join(*step.uses, ",")) : "all",
                    step.repeat ? *step.repeat ? "yes" : "no" : "-");
    all += fmt::format("  copies {} links {}\n", fmt::join(step.copies, ","),
                       fmt::join(step.links, ","));
    for (const Template& file : step.templates) {
      all += fmt::format("  template {} -> {}\n", file.from, file.to);
      for (const auto& [what, by] : file.replacements)
        all += fmt::format("    {} : {}\n", what, by);
    }
    all += step.command + "\n";
  }
  for (const Column& column : study.columns) {
    all += fmt::format("column {} of {} in {}: {} {}\n", column.name, column.step, column.file,
                       column.pattern, column.reduce);
  }
  for (const Shown& shown : study.shown) {
    all += fmt::format("shown {} '{}' {}\n", shown.name, shown.title, shown.format);
  }
  return all + fmt::format("sorted by {}\n", fmt::join(study.sorted_by, ","));
}

}  // namespace pathline::campaign
