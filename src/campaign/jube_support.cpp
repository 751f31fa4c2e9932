// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_support.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::campaign {
namespace {

/// An attribute or an element that is known.
struct Known {
  const char* name;
  const char* refused = nullptr;  ///< Why it is not supported; nullptr: it is.
  const char* advice = "";
  const char* harmless = nullptr;  ///< The value that says what is the case anyway.
};

struct Element {
  const char* name;
  std::vector<Known> attributes;
  std::vector<Known> children;
};

const char* const kNoWorkDir = "each run has a folder of its own";
const char* const kNoJobFile = "Pathline waits for the command itself";
const char* const kJobAdvice =
    "Let the command wait (sbatch --wait), or give the study to Slurm by a backend.";
const char* const kNoShared = "a run does not see the folders of others beside it";
const char* const kSharedAdvice = "A step behind it, which uses no parameters, can do it for all.";
const char* const kNoCycles = "a step is run once";
const char* const kCyclesAdvice = "Write the loop into the command.";
const char* const kNoEnvironment = "variables of the shell end with the step";
const char* const kNoOther = "results are one table of Pathline's own form";
const char* const kOtherAdvice = "Use a <table>; 'pathline campaign result' writes CSV and JSON.";

const std::vector<Element>& elements() {
  static const std::vector<Element> kAll = {
      {"benchmark",
       {{"name"}, {"outpath"}, {"file_path_ref", "files are beside the study", "", "."}},
       {{"comment"}, {"step"}, {"analyser"}, {"analyzer"}, {"result"}}},
      {"comment", {}, {}},
      {"parameterset", {{"name"}, {"duplicate"}}, {{"parameter"}}},
      {"parameter",
       {{"name"},
        {"type"},
        {"separator"},
        {"mode"},
        {"update_mode"},
        {"duplicate"},
        {"export", "parameters are no environment variables",
         "Write 'export NAME=$name' into the command.", "false"}},
       {{"value", "a parameter has its values as its text"},
        {"selection", "a parameter has its values as its text"}}},
      {"step",
       {{"name"},
        {"depend"},
        {"iterations"},
        {"active"},
        {"suffix"},
        {"procs"},
        {"max_async"},
        {"work_dir", kNoWorkDir, "Change into it in the command."},
        {"shared", kNoShared, kSharedAdvice},
        {"export", kNoEnvironment, "Write 'export' into each step that needs it.", "false"},
        {"cycles", kNoCycles, kCyclesAdvice, "1"},
        {"do_log_file", "what a run does is in its file 'command'", "", "false"}},
       {{"use"}, {"do"}}},
      {"use", {{"from"}}, {}},
      {"do",
       {{"stdout"},
        {"stderr"},
        {"active"},
        {"done_file", kNoJobFile, kJobAdvice},
        {"error_file", kNoJobFile, "Let the command fail: test ! -e FILE."},
        {"break_file", kNoCycles, kCyclesAdvice},
        {"shared", kNoShared, kSharedAdvice, "false"},
        {"work_dir"}},
       {}},
      {"fileset", {{"name"}}, {{"copy"}, {"link"}, {"prepare"}}},
      {"copy", {}, {}},  // As link.
      {"link",
       {{"name"},
        {"source_dir"},
        {"directory"},
        {"target_dir"},
        {"file_path_ref"},
        {"rel_path_ref"},
        {"separator"},
        {"active"}},
       {}},
      {"prepare", {{"stdout"}, {"stderr"}, {"active"}, {"work_dir"}}, {}},
      {"substituteset", {{"name"}}, {{"iofile"}, {"sub"}}},
      {"iofile", {{"in"}, {"out"}, {"out_mode", "a file is written once", "", "w"}}, {}},
      {"sub", {{"source"}, {"dest"}, {"mode", "texts are replaced as they are", "", "text"}}, {}},
      {"patternset", {{"name"}}, {{"pattern"}}},
      {"pattern",
       {{"name"},
        {"type"},
        {"unit"},
        {"dotall"},
        {"mode", "values are not made of other values", "Let the command print it.", "pattern"},
        {"default", "a value that is not there stays empty"}},
       {}},
      {"analyser", {{"name"}, {"reduce"}}, {{"use"}, {"analyse"}}},
      {"analyzer", {{"name"}, {"reduce"}}, {{"use"}, {"analyse"}}},
      {"analyse", {{"step"}}, {{"file"}}},
      {"file", {{"use"}}, {}},
      {"result",
       {{"result_dir"}},
       {{"use"},
        {"table"},
        {"database", kNoOther, kOtherAdvice},
        {"syslog", kNoOther, kOtherAdvice}}},
      {"table",
       {{"name"},
        {"style"},
        {"separator"},
        {"sort"},
        {"transpose", "a table has a row for each run", "", "false"},
        {"filter", "a table has a row for each run", "Leave parameters out by tags."}},
       {{"column"}}},
      {"column", {{"title"}, {"colw"}, {"format"}}, {}}};
  return kAll;
}

const Element* element_of(std::string_view name) {
  if (name == "copy") name = "link";
  const auto found = std::find_if(elements().begin(), elements().end(),
                                  [&](const Element& element) { return element.name == name; });
  return found == elements().end() ? nullptr : &*found;
}

const Known* known(const std::vector<Known>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Known& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string meant(const std::vector<Known>& all, std::string_view name) {
  std::vector<std::string> names;
  for (const Known& one : all) names.emplace_back(one.name);
  const std::string_view nearest = base::nearest(name, names);
  if (!nearest.empty()) return fmt::format("Did you mean '{}'?", nearest);
  return names.empty() ? "" : fmt::format("There are {}.", fmt::join(names, ", "));
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

}  // namespace

base::Status jube_supported(const JubeNode& node) {
  const Element* element = element_of(node.name);
  if (element == nullptr) return wrong(node, fmt::format("there is no <{}> here", node.name));
  for (const auto& [name, value] : node.attributes) {
    if (name == "tag") continue;
    const Known* attribute = known(element->attributes, name);
    if (attribute == nullptr) {
      return wrong(node, fmt::format("there is no attribute '{}' in <{}>", name, node.name),
                   meant(element->attributes, name));
    }
    if (attribute->refused == nullptr) continue;
    if (attribute->harmless != nullptr &&
        lower(std::string(stripped(value))) == attribute->harmless) {
      continue;
    }
    return unsupported(node, fmt::format("attribute '{}' of <{}>", name, node.name),
                       attribute->refused, attribute->advice);
  }
  for (const JubeNode& child : node.children) {
    const Known* inner = known(element->children, child.name);
    if (inner == nullptr) {
      return wrong(child, fmt::format("there is no <{}> in <{}>", child.name, node.name),
                   meant(element->children, child.name));
    }
    if (inner->refused != nullptr) {
      return unsupported(child, fmt::format("<{}>", child.name), inner->refused, inner->advice);
    }
    if (auto status = jube_supported(child); !status) return status;
  }
  return {};
}

}  // namespace pathline::campaign
