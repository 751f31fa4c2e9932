// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/write.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "insitu/topology_script.hpp"

namespace pathline::insitu {

namespace fs = std::filesystem;

base::Status TopologyWriter::begin() {
  std::error_code failure;
  fs::create_directories(folder_ / "topology", failure);
  if (failure) {
    return base::Error{
        base::ErrorCode::kIo,
        fmt::format("cannot make {}: {}", (folder_ / "topology").string(), failure.message())};
  }
  if (auto status = vtk::write_grid(scene_.hardware(), folder_ / "topology/hardware.vtu");
      !status) {
    return status;
  }
  if (auto status = vtk::write_grid(scene_.network(), folder_ / "topology/network.vtu"); !status) {
    return status;
  }
  return base::write_file(folder_ / "topology.py", topology_script());
}

base::Status TopologyWriter::add(const Figures& figures, const Step& step) {
  const std::string number = fmt::format("{:06}", step.number);
  const std::string ranks = fmt::format("ranks_{}.vtu", number);
  const std::string messages = fmt::format("messages_{}.vtu", number);
  const std::string blocks = fmt::format("topology/step_{}.vtm", number);
  if (auto status = vtk::write_grid(scene_.ranks(figures, step), folder_ / "topology" / ranks);
      !status) {
    return status;
  }
  if (auto status =
          vtk::write_grid(scene_.messages(figures, step), folder_ / "topology" / messages);
      !status) {
    return status;
  }
  const vtk::Block parts[] = {{"hardware", "hardware.vtu"},
                              {"network", "network.vtu"},
                              {"ranks", ranks},
                              {"messages", messages}};
  if (auto status = vtk::write_blocks(parts, folder_ / blocks); !status) return status;
  steps_.push_back({vtk::time_behind(steps_, step.time_s), blocks});
  return vtk::write_collection(steps_, folder_ / "topology.pvd");
}

}  // namespace pathline::insitu
