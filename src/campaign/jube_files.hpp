// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/jube_tree.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {

/// A benchmark of JUBE with all that its files include: no tags, no <include>, no init_with, no
/// <use from="..">.
struct JubeBenchmark {
  JubeNode node;  ///< <benchmark>, without its sets.
  /// By name: <parameterset>, <fileset>, <substituteset>, <patternset>, those of the file around
  /// the benchmark too. What a set is initialised with stands before what it has itself.
  std::map<std::string, JubeNode> sets;
  std::vector<StudyText> texts;
};

/// kept  texts of files as they were; empty: they are read.
/// errors  kNotFound, kIo, kCorrupt; kInvalidArgument naming file and line: files that include each
///         other without an end, two sets of one name, a file or set that is not there.
base::Result<JubeBenchmark> read_jube_benchmark(const std::filesystem::path& file,
                                                const std::vector<std::string>& tags,
                                                const std::vector<StudyText>& kept);

}  // namespace pathline::campaign
