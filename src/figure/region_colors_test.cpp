// SPDX-License-Identifier: BSD-3-Clause
#include "figure/region_colors.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trace/test_trace.hpp"

namespace pathline::figure {
namespace {

using layout::RegionShades;

TEST(MpiShade, SaysWhatAFunctionDoes) {
  const std::map<std::string, RegionShades::Mpi> expected = {
      {"MPI_Wait", RegionShades::kWait},
      {"MPI_Waitall", RegionShades::kWait},
      {"MPI_Testsome", RegionShades::kWait},
      {"MPI_Iprobe", RegionShades::kWait},
      {"mpi_waitall_", RegionShades::kWait},
      {"MPI_Barrier", RegionShades::kBarrier},
      {"MPI_Win_fence", RegionShades::kBarrier},
      {"MPI_Recv", RegionShades::kReceive},
      {"MPI_Sendrecv_replace", RegionShades::kReceive},
      {"MPI_Send", RegionShades::kSend},
      {"PMPI_Ssend", RegionShades::kSend},
      {"MPI_Isend", RegionShades::kStart},
      {"MPI_Iallreduce", RegionShades::kStart},
      {"MPI_Startall", RegionShades::kStart},
      {"MPI_Get", RegionShades::kStart},
      {"MPI_Allreduce", RegionShades::kReduction},
      {"MPI_Reduce_scatter_block", RegionShades::kReduction},
      {"MPI_Bcast", RegionShades::kExchange},
      {"MPI_Alltoallv", RegionShades::kExchange},
      {"MPI_Neighbor_alltoall", RegionShades::kExchange},
      {"MPI_Init_thread", RegionShades::kOtherMpi},
      {"MPI_Get_count", RegionShades::kOtherMpi},
      {"MPI_Info_create", RegionShades::kOtherMpi},
      {"MPI_Intercomm_create", RegionShades::kOtherMpi},
      {"MPI_Finalize", RegionShades::kOtherMpi}};
  for (const auto& [name, shade] : expected) EXPECT_EQ(mpi_shade(name), shade) << name;
}

/// Colours by name, for regions with the times given.
std::map<std::string, layout::Color> colors_of(const std::map<std::string, uint64_t>& ticks) {
  trace::TestTrace test(1);
  std::vector<uint64_t> run_ticks;
  for (const auto& [name, time] : ticks) {
    const bool is_io = name.starts_with("MPI_File");
    test.region(name, is_io ? trace::RegionRole::kFileIo : trace::RegionRole::kFunction);
    run_ticks.push_back(time);
  }
  const trace::Trace trace = test.finish();
  const RegionColors colors(trace.definitions, run_ticks, layout::light_theme());
  std::map<std::string, layout::Color> result;
  for (uint32_t i = 0; i < trace.definitions.regions.size(); ++i) {
    result[std::string(trace.definitions.regions[i].name)] = colors.of(i);
  }
  return result;
}

TEST(RegionColors, AreTheSameInARunWhoseTimesDiffer) {
  const auto one = colors_of({{"main", 9}, {"solve", 100}, {"MPI_Wait", 50}, {"MPI_Isend", 3}});
  const auto two = colors_of({{"main", 90}, {"solve", 10}, {"MPI_Wait", 5}, {"MPI_Isend", 30}});
  EXPECT_EQ(one, two);
}

TEST(RegionColors, DifferAsLongAsThereAreShades) {
  std::map<std::string, uint64_t> ticks;
  for (int i = 0; i < 18; ++i) ticks["region " + std::to_string(i)] = static_cast<uint64_t>(i);
  ticks["MPI_Wait"] = 5;
  ticks["MPI_Waitall"] = 50;
  ticks["MPI_Test"] = 50;
  const auto colors = colors_of(ticks);
  for (auto a = colors.begin(); a != colors.end(); ++a) {
    for (auto b = colors.begin(); b != a; ++b) {
      EXPECT_GE(layout::difference(a->second, b->second), 0.03) << a->first << ' ' << b->first;
    }
  }
}

TEST(RegionColors, StayInTheirFamily) {
  const auto& shades = layout::light_theme().regions;
  const auto colors = colors_of({{"solve", 1}, {"MPI_Wait", 1}, {"MPI_File_write", 1}});
  EXPECT_EQ(colors.at("MPI_Wait"), shades.mpi[RegionShades::kWait]);
  EXPECT_NE(std::find(shades.program.begin(), shades.program.end(), colors.at("solve")),
            shades.program.end());
}

}  // namespace
}  // namespace pathline::figure
