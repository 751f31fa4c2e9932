// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

// A parameter study as its file describes it: what varies, what is done for each combination, and
// which numbers are read out of it.
namespace pathline::campaign {

/// Where something stands, for messages.
struct Place {
  std::string file;
  uint32_t line = 0;

  /// "study.toml, line 7".
  [[nodiscard]] std::string text() const;
};

struct Parameter {
  std::string name;
  /// In the order of the file; {other} stands for the value of another parameter.
  std::vector<std::string> values;
  bool is_text = false;  ///< Never taken for arithmetic.
  Place place;
};

/// Parameters that vary together: their first values, their second values and so on. Sets multiply.
struct ParameterSet {
  std::vector<Parameter> parameters;  ///< Each with as many values.

  [[nodiscard]] size_t size() const { return parameters.front().values.size(); }
};

/// A file in which {name} is replaced.
struct Template {
  std::string from;  ///< Beside the study; a file that a step before has made, if there is none.
  std::string to;    ///< In the folder of the run.
  /// Texts to look for, each with what comes there; in both {name} stands for a parameter. With any
  /// of them nothing else is replaced.
  std::vector<std::pair<std::string, std::string>> replacements;
};

/// What is done for each combination of parameters, in a folder of its own. Texts have {name}s.
struct Step {
  std::string name;
  std::vector<std::string> after;  ///< Steps.
  std::vector<Template> templates;
  std::vector<std::string> copies;  ///< Files and folders beside the study.
  std::vector<std::string> links;   ///< The same, not copied: for those that are large.
  std::string command;              ///< For a shell; "": none.
  std::string check;                ///< As command; the run has failed if this does.
  bool record = false;              ///< Through `pathline record`.
  /// Of a run, out of the study's. "": as many as the launcher that the command begins with is told
  /// to start, else 1.
  std::string cores;
  double timeout_s = 0;  ///< After it a run has failed; 0: never.
  std::string slurm;     ///< Options for sbatch.
  /// Parameters that make a difference; runs that agree in them are one. Absent: all.
  std::optional<std::vector<std::string>> uses;
  /// Whether it is run once for each repetition. Absent: if numbers are read out of it, or out of a
  /// step behind it.
  std::optional<bool> repeat;
  Place place;
};

/// A column of the result table.
struct Column {
  std::string name;
  std::string step;
  std::string file = "stdout";  ///< In the folder of the run.
  std::string pattern;          ///< Regular expression; the first group, or all of it.
  std::string json;             ///< JSON pointer into the file.
  std::string profile;          ///< Region or call path of the run that was recorded.
  std::string value;            ///< Of the profile: "exclusive_s".
  /// Of several matches: first, last, min, max, sum, mean, std, count.
  std::string reduce = "last";
  /// Whether "less" or "more" is better, for comparisons. "": less if the name is that of a time.
  std::string better;
  Place place;
};

/// A parameter or a column as the result table shows it.
struct Shown {
  std::string name;
  std::string title;
  std::string format;  ///< Of numbers, as printf has it, without its '%': ".2f". "": as they are.
};

/// A text that the study came from.
struct StudyText {
  std::string path;
  std::string text;
};

enum class Backend : uint8_t { kLocal, kSlurm };

struct Study {
  std::string name;
  uint32_t repetitions = 1;
  uint32_t cores = 0;  ///< 0: those of the machine.
  Backend backend = Backend::kLocal;
  std::vector<ParameterSet> sets;
  std::vector<Step> steps;
  std::vector<Column> columns;
  std::vector<Shown> shown;  ///< Of the result table, in its order; empty: everything.
  /// Parameters and columns by which rows ascend, the first one first; empty: as they are planned.
  std::vector<std::string> sorted_by;
  std::filesystem::path file;
  std::vector<StudyText> texts;  ///< The file and what it includes.
};

/// Reads a study and the files that it includes; one of JUBE if its name ends so (jube.hpp).
///
/// tags    of the command line: an entry with tags is left out unless it has one of these, or one
///         of its tags is "!x" and x is none of these.
/// errors  kNotFound, kIo; kInvalidArgument naming file and line: a key that there is none of, a
///         value of the wrong kind, names given twice, and what plan() would refuse.
base::Result<Study> read_study(const std::filesystem::path& file,
                               const std::vector<std::string>& tags);

/// The study that Study::texts came from, whatever the files hold by now.
/// texts  not empty.
base::Result<Study> read_study_again(const std::vector<StudyText>& texts,
                                     const std::vector<std::string>& tags);

}  // namespace pathline::campaign
