// SPDX-License-Identifier: BSD-3-Clause
//
// An adaptor for ParaView Catalyst, as a simulation may have one already: the temperature of each
// point, and beside it, if the program is recorded with --insitu geometry, what the step has cost
// this rank.
#include <vtkCPDataDescription.h>
#include <vtkCPInputDataDescription.h>
#include <vtkCPProcessor.h>
#include <vtkCPPythonPipeline.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkImageData.h>
#include <vtkMPI.h>
#include <vtkSmartPointer.h>

#include "examples/heat3d/viewer.hpp"
#include "pathline/pathline.h"

namespace heat3d {
namespace {

constexpr const char* kChannel = "heat";  // What scripts call the field.

class CatalystAdapter : public Viewer {
 public:
  CatalystAdapter(const std::string& script, const Parameters& parameters, const Grid& grid,
                  MPI_Comm cartesian);
  ~CatalystAdapter() override;
  CatalystAdapter(const CatalystAdapter&) = delete;
  CatalystAdapter& operator=(const CatalystAdapter&) = delete;

  void show(int64_t step, double time_s, int field) override;

 private:
  void add_costs();

  const Grid& grid_;
  MPI_Comm own_ = MPI_COMM_NULL;
  vtkSmartPointer<vtkCPProcessor> processor_;
  vtkSmartPointer<vtkImageData> image_;
  vtkSmartPointer<vtkDoubleArray> temperature_;
};

CatalystAdapter::CatalystAdapter(const std::string& script, const Parameters& parameters,
                                 const Grid& grid, MPI_Comm cartesian)
    : grid_(grid) {
  // ParaView's messages must not meet ours.
  MPI_Comm_dup(cartesian, &own_);
  vtkMPICommunicatorOpaqueComm opaque(&own_);
  processor_ = vtkSmartPointer<vtkCPProcessor>::New();
  processor_->Initialize(opaque);
  const auto pipeline = vtkCPPythonPipeline::CreateAndInitializePipeline(script.c_str());
  if (pipeline != nullptr) processor_->AddPipeline(pipeline);

  // A cell around each point; VTK's extent is that of their corners.
  const auto& [x, y, z] = grid.first();
  const auto& [nx, ny, nz] = grid.size();
  const auto& h = parameters.spacing_m;
  image_ = vtkSmartPointer<vtkImageData>::New();
  image_->SetExtent(x, x + nx, y, y + ny, z, z + nz);
  image_->SetSpacing(h[0], h[1], h[2]);
  image_->SetOrigin(h[0] / 2, h[1] / 2, h[2] / 2);
  temperature_ = vtkSmartPointer<vtkDoubleArray>::New();
  temperature_->SetName("temperature");
  temperature_->SetNumberOfValues(image_->GetNumberOfCells());
  image_->GetCellData()->AddArray(temperature_);
}

CatalystAdapter::~CatalystAdapter() {
  processor_->Finalize();
  processor_ = nullptr;  // It frees communicators.
  MPI_Comm_free(&own_);
}

void CatalystAdapter::show(int64_t step, double time_s, int field) {
  const auto description = vtkSmartPointer<vtkCPDataDescription>::New();
  description->AddInput(kChannel);
  description->SetTimeData(time_s, step);
  if (processor_->RequestDataDescription(description) == 0) return;  // Not this step.

  const auto& [nx, ny, nz] = grid_.size();
  vtkIdType cell = 0;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        temperature_->SetValue(cell++, grid_.field(field)[grid_.index(x, y, z)]);
      }
    }
  }
  temperature_->Modified();
  add_costs();
  const auto& [wx, wy, wz] = grid_.whole();
  vtkCPInputDataDescription* input = description->GetInputDescriptionByName(kChannel);
  input->SetGrid(image_);
  input->SetWholeExtent(0, wx, 0, wy, 0, wz);
  processor_->CoProcess(description);
}

void CatalystAdapter::add_costs() {
  // The same names on all ranks and in all steps, as ParaView wants it; none without the recorder.
  const int count = pathline_insitu_count();
  for (int i = 0; i < count; ++i) {
    const auto cost = vtkSmartPointer<vtkDoubleArray>::New();
    cost->SetName(pathline_insitu_name(i));
    cost->SetNumberOfValues(image_->GetNumberOfCells());
    cost->FillValue(pathline_insitu_value(i));
    image_->GetCellData()->AddArray(cost);  // In place of that of the step before.
  }
}

}  // namespace

std::unique_ptr<Viewer> make_viewer(const std::string& script, const Parameters& parameters,
                                    const Grid& grid, MPI_Comm cartesian) {
  return std::make_unique<CatalystAdapter>(script, parameters, grid, cartesian);
}

}  // namespace heat3d
