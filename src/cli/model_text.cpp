// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/model_output.hpp"
#include "cli/table.hpp"
#include "scaling/call_path.hpp"
#include "scaling/formula.hpp"

namespace pathline::cli {
namespace {

using app::ModelReport;
using scaling::Notation;
using scaling::Ranked;

/// A line of a paper has little room.
std::string short_path(const std::string& path) {
  constexpr size_t kMost = 48;
  std::string name = path;
  for (std::string& shorter : scaling::shorter_call_paths(path)) {
    name = std::move(shorter);
    if (letter_count(name) <= kMost) break;
  }
  return name;
}

std::string latex_path(const std::string& path) {
  std::string text;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find("->", begin), path.size());
    const std::string region = path.substr(begin, end - begin);
    text += (begin > 0 ? "$\\,\\to\\,$" : "") +
            (region == "…" ? "\\dots{}" : scaling::latex_escaped(region));
    begin = end + 2;
  }
  return text;
}

/// "unknown" for what cannot be told.
std::string latex_number(double value) {
  if (std::isnan(value)) return "unknown";
  if (std::isinf(value)) return value < 0 ? "$-\\infty$" : "$\\infty$";
  return fmt::format("${}$", scaling::formula({value, {}}, {}, Notation::kLatex, 3));
}

/// `text` inside a string of Python, whatever it holds: the escapes of JSON mean the same there.
std::string python_escaped(const std::string& text) {
  const std::string quoted = nlohmann::json(base::printable(text)).dump();
  return quoted.substr(1, quoted.size() - 2);
}

/// "p from 4 to 64, n from 1 to 9".
std::string range_text(const ModelReport& report) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < report.largest.size(); ++i) {
    parts.push_back(fmt::format("{} from {} to {}",
                                base::printable(report.experiment.parameters[i]), report.least[i],
                                report.largest[i]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string to_latex(const ModelReport& report) {
  const std::vector<std::string>& names = report.experiment.parameters;
  const bool several = report.experiment.metrics.size() > 1;
  std::string text = fmt::format(
      "% Scaling models of {}, measured at {}.\n% Predicted at {}; the range holds 90 %.\n",
      base::printable(report.data), range_text(report), report.point_text(report.targets[0]));
  text += fmt::format(
      "\\begin{{tabular}}{{rl{}lrr@{{ to }}lr}}\n\\hline\n"
      " & Call path & {}Model & Predicted & \\multicolumn{{2}}{{c}}{{Range}} & Share \\\\\n"
      "\\hline\n",
      several ? "l" : "", several ? "Metric & " : "");
  for (const Ranked& row : report.rows) {
    const scaling::Fit& fit = report.fits[row.fit];
    const scaling::Prediction& predicted = fit.predictions[0];
    const size_t metric = report.experiment.kernels[fit.kernel].metric;
    text += fmt::format(
        "{} & {} & {}${}$ & {} & {} & {} & {} \\\\\n", row.rank,
        latex_path(short_path(report.call_path(row))),
        several ? scaling::latex_escaped(report.metric(row)) + " & " : "",
        scaling::formula(fit.model, names, Notation::kLatex, 3), latex_number(predicted.value),
        latex_number(predicted.low), latex_number(predicted.high),
        report.adds_up[metric] && row.share >= 0 ? fmt::format("{:.1f}\\,\\%", 100 * row.share)
                                                 : "");
  }
  return text + "\\hline\n\\end{tabular}\n";
}

std::string to_python(const ModelReport& report) {
  const std::vector<std::string> parameters = scaling::python_names(report.experiment.parameters);
  std::vector<std::string> kernels;
  for (const Ranked& row : report.rows) {
    kernels.push_back(report.metric(row).empty()
                          ? report.call_path(row)
                          : report.call_path(row) + "->" + report.metric(row));
  }
  const std::vector<std::string> functions = scaling::python_names(kernels);
  const std::string& value_is = report.experiment.value_is;
  std::string text = fmt::format(
      "\"\"\"Scaling models of {}, measured at {}.\n\n"
      "A function per kernel: MODELS[call path, metric]({}).{}\n\"\"\"\nimport math\n",
      python_escaped(report.data), python_escaped(range_text(report)), fmt::join(parameters, ", "),
      value_is.empty() ? "" : fmt::format("\nA value is the {}.", python_escaped(value_is)));
  std::string index;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const Ranked& row = report.rows[i];
    const std::string path = python_escaped(report.call_path(row));
    const std::string metric = python_escaped(report.metric(row));
    text += fmt::format("\n\ndef {}({}):\n    \"\"\"{}{}{}\"\"\"\n    return {}\n", functions[i],
                        fmt::join(parameters, ", "), path, metric.empty() ? "" : ": ", metric,
                        scaling::formula(report.fits[row.fit].model, report.experiment.parameters,
                                         Notation::kPython, 17));
    index += fmt::format("    (\"{}\", \"{}\"): {},\n", path, metric, functions[i]);
  }
  return text + fmt::format("\n\nMODELS = {{\n{}}}\n", index);
}

}  // namespace pathline::cli
