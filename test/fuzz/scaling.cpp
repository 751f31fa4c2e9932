// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/scaling.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "scaling/read/from_profiles.hpp"
#include "scaling/read/read.hpp"

namespace pathline::fuzz {
namespace {

using scaling::Experiment;

constexpr const char* kFile = "map.txt";

std::string broken_by_error(const base::Error& error) {
  const std::string begin = fmt::format("cannot read {}: ", kFile);
  if (!error.message.starts_with(begin)) return "this error names no file: " + error.message;
  constexpr size_t kLongest = 2000;
  if (error.message.size() > kLongest) return "an error is too long";
  // "line 7: fact", "measurements/main[3]: fact"
  if (error.message.find(": ", begin.size()) == std::string::npos) {
    return "this error names no place: " + error.message;
  }
  return "";
}

std::string broken_by(const Experiment& experiment) {
  const size_t points = experiment.point_count();
  if (experiment.parameters.empty() || points == 0) return "an experiment without points";
  for (size_t p = 0; p < points; ++p) {
    const auto x = experiment.point(p);
    if (!std::ranges::all_of(x, [](double value) { return std::isfinite(value); })) {
      return "a coordinate is not finite";
    }
    if (p > 0 && !std::ranges::lexicographical_compare(experiment.point(p - 1), x)) {
      return "points are not in order";
    }
  }
  if (experiment.sample_end.size() != experiment.kernels.size() * points) return "ends are missing";
  for (size_t k = 0; k < experiment.kernels.size(); ++k) {
    if (experiment.kernels[k].call_path >= experiment.call_paths.size() ||
        experiment.kernels[k].metric >= experiment.metrics.size()) {
      return "a kernel has no name";
    }
    for (size_t p = 0; p < points; ++p) {
      const auto samples = experiment.samples_of(k, p);
      if (samples.empty()) return "a kernel lacks a point";
      if (!std::ranges::is_sorted(samples)) return "samples are not in order";
      if (!std::isfinite(samples.front()) || !std::isfinite(samples.back())) {
        return "a sample is not finite";
      }
      for (const auto how : {scaling::Aggregate::kMean, scaling::Aggregate::kMedian}) {
        const double value = scaling::aggregate(samples, how);
        if (!(value >= samples.front() && value <= samples.back())) return "a mean lies outside";
      }
    }
  }
  return "";
}

/// The experiment as JSON Lines.
std::string json_lines_of(const Experiment& experiment) {
  std::string text;
  for (size_t k = 0; k < experiment.kernels.size(); ++k) {
    for (size_t p = 0; p < experiment.point_count(); ++p) {
      nlohmann::ordered_json line;
      for (size_t i = 0; i < experiment.parameters.size(); ++i) {
        line["params"][experiment.parameters[i]] = experiment.point(p)[i];
      }
      line["callpath"] = experiment.call_paths[experiment.kernels[k].call_path];
      line["metric"] = experiment.metrics[experiment.kernels[k].metric];
      line["value"] = experiment.samples_of(k, p);
      text +=
          line.dump(-1, ' ', k % 2 == 0, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    }
  }
  return text;
}

bool is_utf8(const Experiment& experiment) {
  for (const auto* names : {&experiment.parameters, &experiment.call_paths, &experiment.metrics}) {
    for (const std::string& name : *names) {
      // Strict, it throws for what is not UTF-8.
      if (nlohmann::json(name).dump(-1, ' ', true, nlohmann::json::error_handler_t::ignore) !=
          nlohmann::json(name).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
        return false;
      }
    }
  }
  return true;
}

std::string broken_by_another_form(const Experiment& experiment) {
  if (experiment.kernels.empty() || !is_utf8(experiment)) return "";
  const auto again = scaling::read_text(json_lines_of(experiment), kFile);
  if (!again) return "it cannot be read as JSON Lines: " + again.error().message;
  if (again.value().coordinates != experiment.coordinates) return "the points are others";
  if (again.value().samples != experiment.samples) return "the samples are others";
  if (again.value().sample_end != experiment.sample_end) return "the repetitions are others";
  return "";
}

std::string probe_run_name(std::string_view text) {
  const auto run = scaling::parse_run_name(text);
  if (!run) {
    const bool says_why = run.error().message.find("does not name a run: ") != std::string::npos;
    return says_why ? "" : "this error does not say why: " + run.error().message;
  }
  if (run.value().parameters.empty()) return "a run without parameters";
  for (const auto& [name, value] : run.value().parameters) {
    if (name.empty() || name.find_first_of("0123456789.,") != std::string::npos) {
      return "this is no name: " + name;
    }
    if (!std::isfinite(value) || value < 0) return "this is no value of " + name;
  }
  return "";
}

}  // namespace

std::string scaling_example(std::string_view kind) {
  if (kind == "keywords") {
    return "# runs\nPARAMETER p\nPARAMETER n\nPOINTS ( 4 10 ) (8 10)(16 1e1)\nPOINTS (4 20)\n\n"
           "METRIC time\nREGION main->solve it\nDATA 1.5 2 +3e-2\nDATA 4\nDATA 5 5\nDATA 6\n"
           "REGION main\nMETRIC visits\nDATA 1\nDATA 2\nDATA -3\nDATA 4\nREGION late\nDATA 7\n";
  }
  if (kind == "json") {
    return R"({"parameters": ["p", "n"], "by": {"whom": [null, true, {"x": 1}]},
"measurements": {"main->a": {"time": [{"point": [4, 10], "values": [1.5, 2e-3, "3"]},
 {"values": 4, "point": ["8", 10]}]}, "b\u00e9": {"t": [{"point": [8, 10], "values": [-1]}]}}})";
  }
  if (kind == "relational") {
    return R"({"callpaths": [{"id": 1, "name": "main"}, {"id": 2, "name": "main->a"}],
"coordinates": [{"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 4}]},
 {"id": 2, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": "8"}]}],
"measurements": [{"callpath_id": 1, "coordinate_id": 1, "id": 1, "metric_id": 1, "value": 25.5},
 {"callpath_id": 1, "coordinate_id": 2, "id": 2, "metric_id": 1, "value": "1e3"},
 {"callpath_id": 2, "coordinate_id": 2, "id": 3, "metric_id": 1, "value": 7}],
"metrics": [{"id": 1, "name": "time"}], "parameters": [{"id": 1, "name": "p"}]})";
  }
  if (kind == "jsonl") {
    return "{\"params\":{\"p\":4,\"n\":10},\"metric\":\"time\",\"callpath\":\"main\",\"value\":1.5}"
           "\n"
           "{\"params\":{\"n\":10,\"p\":4},\"metric\":\"t\\u0069me\",\"callpath\":\"main\","
           "\"value\":[2,\"3\"]}\n\n{\"value\":-1e-3,\"params\":{\"p\":8,\"n\":1e1},"
           "\"by\":[{\"x\":null}],\"callpath\":\"main\",\"metric\":\"time\"}\n"
           "{\"params\":{\"p\":8,\"n\":10},\"value\":7}\n";
  }
  if (kind == "talpas") {
    return "{\"parameters\":{\"x\":20,\"y\":1};\"metric\":\"a;b\";\"callpath\":\"c\";\"value\":1.5}"
           "\n"
           "{\"parameters\":{\"y\":1;\"x\":30};\"metric\":\"a;b\";\"callpath\":\"c\";\"value\":2}\n"
           "{\"parameters\":{\"x\":20;\"y\":1},\"metric\":\"q\\\";\";\"callpath\":\"c\";\"value\":["
           "3]}\n";
  }
  return "mm.x20,5.y21.5,rank3.r2";
}

std::string probe_scaling(std::string_view kind, std::string_view text) {
  if (kind == "run") return probe_run_name(text);
  const auto experiment = scaling::read_text(text, kFile);
  if (!experiment) return broken_by_error(experiment.error());
  const std::string broken = broken_by(experiment.value());
  return broken.empty() ? broken_by_another_form(experiment.value()) : broken;
}

}  // namespace pathline::fuzz
