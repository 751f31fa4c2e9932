// SPDX-License-Identifier: BSD-3-Clause
#include "app/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "base/test_data.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

trace::Trace trace_of(uint32_t ranks) {
  trace::TestTrace test(ranks);
  const trace::Region main = test.region("main");
  for (uint32_t rank = 0; rank < ranks; ++rank) test.on(rank).enter(1, main).leave(9, main);
  return test.finish();
}

TEST(MachineOf, AnArchiveAloneHasHostsOnly) {
  const base::ScratchFolder folder;
  const auto machine = machine_of(folder.path(), trace_of(3), "");
  ASSERT_TRUE(machine.ok());
  ASSERT_THAT(machine.value().nodes, SizeIs(1));
  EXPECT_EQ(machine.value().nodes[0].host, "n0");
  EXPECT_THAT(machine.value().nodes[0].ranks, SizeIs(3));
  EXPECT_THAT(machine.value().remarks, ElementsAre(HasSubstr("no placement.csv")));
}

TEST(MachineOf, ARunHasPlacesAndSwitches) {
  const base::ScratchFolder folder;
  folder.write("placement.csv",
               "rank,host,package,numa,core,pu,switches\n1,b,0,0,0,0,top.leaf2.b\n"
               "0,a,0,0,0,0,top.leaf1.a\n9,z,0,0,0,0,\n0,twice,0,0,0,0,\n");
  const auto machine = machine_of(folder.path() / "traces.otf2", trace_of(2), "");
  ASSERT_TRUE(machine.ok());
  ASSERT_THAT(machine.value().nodes, SizeIs(2));
  EXPECT_EQ(machine.value().nodes[0].host, "a");
  EXPECT_THAT(machine.value().switches, SizeIs(3));
  // The hardware is missing, and nothing else for it.
  EXPECT_THAT(machine.value().remarks, SizeIs(2));
  EXPECT_THAT(machine.value().remarks, Contains(HasSubstr("hardware of b is not known")));
}

TEST(MachineOf, WhatIsDamagedIsARemark) {
  const base::ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "topology");
  folder.write("topology/a.xml", "<topology");
  folder.write("placement.csv",
               "rank,host,package,numa,core,pu,switches\n0,a,0,0,0,0-99999999999,x.y.x\n"
               "1,../a,0,0,0,0,y.x.y\n\"\n");
  const auto machine = machine_of(folder.path(), trace_of(2), "");
  ASSERT_TRUE(machine.ok());
  EXPECT_EQ(machine.value().rank_count(), 2U);
  EXPECT_THAT(machine.value().remarks,
              Contains(HasSubstr("is not a topology that hwloc can read")));
  EXPECT_THAT(machine.value().remarks, Contains(HasSubstr("is above itself")));
}

TEST(MachineOf, SlurmsFileIsReadOrRefused) {
  const base::ScratchFolder folder;
  const auto good = folder.write("good.conf", "SwitchName=s Nodes=n[0-3]\n");
  const auto machine = machine_of(folder.path(), trace_of(2), good.string());
  ASSERT_TRUE(machine.ok());
  EXPECT_THAT(machine.value().switches, SizeIs(1));
  const auto other = folder.write("other.conf", "SwitchName=s Nodes=m[0-3]\n");
  const auto without = machine_of(folder.path(), trace_of(2), other.string());
  ASSERT_TRUE(without.ok());
  EXPECT_THAT(without.value().remarks, Contains("1 node is on no switch: n0"));
  const auto bad = folder.write("bad.conf", "SwitchName=s\n");
  EXPECT_THAT(machine_of(folder.path(), trace_of(2), bad.string()).error().message,
              HasSubstr("bad.conf: line 1"));
}

TEST(WriteTopology, SaysWhyItCannotWrite) {
  const base::ScratchFolder folder;
  base::ThreadPool pool(1);
  base::Progress progress;
  folder.write("file", "");
  const auto report =
      write_topology(folder.path(), trace_of(2), {}, folder.path() / "file/vtk", pool, progress);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("file/vtk"));
  const auto written =
      write_topology(folder.path(), trace_of(2), {}, folder.path() / "vtk", pool, progress);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written.value().steps, 1U);
  EXPECT_FALSE(written.value().has_steps);
}

}  // namespace
}  // namespace pathline::app
