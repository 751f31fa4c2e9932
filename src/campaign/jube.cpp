// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube.hpp"

#include <fmt/format.h>

#include "campaign/jube_files.hpp"
#include "campaign/jube_results.hpp"
#include "campaign/jube_steps.hpp"
#include "campaign/jube_support.hpp"

namespace pathline::campaign {

bool is_jube(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".xml" || extension == ".yaml" || extension == ".yml";
}

base::Result<Study> read_jube(const std::filesystem::path& file,
                              const std::vector<std::string>& tags,
                              const std::vector<StudyText>& kept) {
  auto benchmark = read_jube_benchmark(file, tags, kept);
  if (!benchmark) return benchmark.error();
  const JubeNode& node = benchmark.value().node;
  if (auto status = jube_supported(node); !status) return status.error();
  std::error_code ignored;
  const auto steps = jube_steps(benchmark.value(),
                                std::filesystem::absolute(file, ignored).parent_path().string());
  if (!steps) return steps.error();
  Study study{.name = node.attribute("name", file.stem().string()),
              .sets = steps.value().parameters.sets,
              .file = file};
  for (const JubeStep& from : steps.value().steps) {
    auto step = jube_step(steps.value(), from);
    if (!step) return step.error();
    study.steps.push_back(std::move(step).value());
    if (from.iterations == 1) continue;
    if (study.repetitions > 1 && study.repetitions != from.iterations) {
      return unsupported(*from.node, fmt::format("attribute 'iterations' of {}", from.iterations),
                         fmt::format("other steps are repeated {} times", study.repetitions),
                         "Repeat all of them as often.");
    }
    study.repetitions = from.iterations;
  }
  if (study.steps.empty()) return wrong(node, "there is no step to run");
  if (auto status = jube_results(benchmark.value(), steps.value(), study); !status) {
    return status.error();
  }
  study.texts = std::move(benchmark.value().texts);
  return study;
}

}  // namespace pathline::campaign
