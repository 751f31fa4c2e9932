// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

/// Whether a study is one of JUBE, by its name: .xml, .yaml, .yml.
bool is_jube(const std::filesystem::path& file);

/// Reads a benchmark of JUBE (2.5), the first one that <selection> leaves, and what it includes.
/// doc/campaigns-jube.md says what of JUBE is read; everything else is refused, nothing is left out
/// in silence that would change a run or a row.
///
/// $name is {name} afterwards. {jube_wp_id}, {jube_wp_padid} (of six digits), {jube_wp_iteration}
/// (from 0), {jube_wp_abspath} and {jube_benchmark_home} stay in texts of steps for what runs them.
///
/// tags    of the command line.
/// kept    texts of files as they were, the study's first; empty: they are read.
/// errors  kNotFound, kIo, kCorrupt; kUnsupported naming file, line, element or attribute, and
///         what to do instead; kInvalidArgument for what JUBE would not take either.
base::Result<Study> read_jube(const std::filesystem::path& file,
                              const std::vector<std::string>& tags,
                              const std::vector<StudyText>& kept = {});

}  // namespace pathline::campaign
