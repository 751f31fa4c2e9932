// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "insitu/scene.hpp"
#include "vtk/write.hpp"

namespace pathline::insitu {

/// The files of topology mode in one folder, made step by step: topology.pvd, which ParaView opens
/// and which is rewritten with each step; topology.py, a state for ParaView that makes pictures
/// when pvpython runs it; topology/step_N.vtm with the blocks hardware, network, ranks and
/// messages; and these as topology/*.vtu. What was written stays readable when a later step fails.
class TopologyWriter {
 public:
  /// scene  must outlive this
  TopologyWriter(std::filesystem::path folder, const Scene& scene)
      : folder_(std::move(folder)), scene_(scene) {}

  /// The folder, and what is the same in all steps. errors  kIo.
  base::Status begin();
  /// figures  without its steps. errors  kIo, which leaves the steps before as they are.
  base::Status add(const Figures& figures, const Step& step);

 private:
  std::filesystem::path folder_;
  const Scene& scene_;
  std::vector<vtk::TimeStep> steps_;
};

}  // namespace pathline::insitu
