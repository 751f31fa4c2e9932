// SPDX-License-Identifier: BSD-3-Clause
//
// test/simgrid asks SimGrid whether hosts and routes are those of the same file.
#include "app/platform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_data.hpp"

namespace pathline::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

base::Result<Platform> of_data(const std::string& name) {
  return read_platform(base::own_data("platforms/" + name));
}

/// A platform of one cluster with these attributes, which begins in line 3.
std::string platform(const std::string& attributes) {
  return "<platform version=\"4.1\">\n<zone id=\"world\" routing=\"Full\">\n<cluster id=\"c\" " +
         attributes + "/>\n</zone>\n</platform>\n";
}

Platform read(const std::string& attributes) {
  auto read = parse_platform(platform(attributes), "p.xml");
  EXPECT_TRUE(read.ok()) << read.error().message;
  return read ? std::move(read).value() : Platform{};
}

base::Error error_of(const std::string& xml) {
  const auto read = parse_platform(xml, "p.xml");
  return read ? base::Error{base::ErrorCode::kIo, "no error"} : read.error();
}

std::string fault(const std::string& attributes) { return error_of(platform(attributes)).message; }

TEST(Platform, OfATorusHasItsRoutes) {
  const auto small = of_data("torus_4x4x4_c16.xml");
  ASSERT_TRUE(small.ok()) << small.error().message;
  EXPECT_EQ(small.value().network, "torus:4x4x4,order=CBA,ties=simgrid");
  EXPECT_EQ(small.value().node, "core:16 pu:1");
  EXPECT_EQ(small.value().cores, 16U);
  ASSERT_THAT(small.value().hosts, SizeIs(64));
  EXPECT_EQ(small.value().hosts.front(), "n0");
  EXPECT_EQ(small.value().hosts.back(), "n63");
  const auto large = of_data("torus_8x8x8_c8.xml");
  ASSERT_TRUE(large.ok()) << large.error().message;
  EXPECT_EQ(large.value().network, "torus:8x8x8,order=CBA,ties=simgrid");
  EXPECT_EQ(large.value().node, "core:8 pu:1");
  // SimGrid counts x first.
  EXPECT_EQ(read("radical='0-23' topology='TORUS' topo_parameters='4,3,2'").network,
            "torus:2x3x4,order=CBA,ties=simgrid");
}

TEST(Platform, OfAFatTreeHasItsTiers) {
  const auto tapered = of_data("fattree_256_c16.xml");
  ASSERT_TRUE(tapered.ok()) << tapered.error().message;
  EXPECT_EQ(tapered.value().network, "xgft:16,16;1,8");
  EXPECT_THAT(tapered.value().hosts, SizeIs(256));
  EXPECT_EQ(read("radical='0-7' topology='FAT_TREE' topo_parameters='2;4,2;1,2;2,1'").network,
            "xgft:4,2;1,2;2,1");
}

TEST(Platform, OfAFlatClusterHasNoNetwork) {
  const Platform flat =
      read("prefix='node-' suffix='.hpc' radical='8,2-3,0' core='4' bb_bw='1GBps'");
  EXPECT_THAT(flat.hosts, ElementsAre("node-8.hpc", "node-2.hpc", "node-3.hpc", "node-0.hpc"));
  EXPECT_EQ(flat.network, "");
  EXPECT_EQ(flat.node, "core:4 pu:1");
  EXPECT_EQ(read("radical='0' topology='FLAT'").node, "core:1 pu:1");
  EXPECT_THAT(read("radical='18446744073709551615'").hosts, ElementsAre("18446744073709551615"));
}

TEST(Platform, WhatIsNotUnderstoodIsNamedWithItsLine) {
  const auto dragonfly = of_data("dragonfly_256_c16.xml");
  ASSERT_FALSE(dragonfly.ok());
  EXPECT_EQ(dragonfly.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(dragonfly.error().message, HasSubstr("line 8: topology DRAGONFLY is not understood"));
  EXPECT_THAT(dragonfly.error().advice, HasSubstr("--node, --network and --hosts"));

  const auto program = of_data("hier_torus.cpp");
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(program.error().message, HasSubstr("hier_torus.cpp: line 1: no XML"));
  EXPECT_THAT(program.error().advice, HasSubstr("--node, --network and --hosts"));

  const auto unsupported = [](const std::string& content) {
    const base::Error error = error_of("<platform version='4.1'>\n" + content);
    EXPECT_EQ(error.code, base::ErrorCode::kUnsupported);
    return error.message;
  };
  EXPECT_THAT(unsupported("<zone id='w' routing='Full'>\n<host id='a' speed='1Gf'/>"),
              HasSubstr("p.xml: line 3: <host> is not understood"));
  EXPECT_THAT(unsupported("<AS id='w' routing='Full'>"), HasSubstr("line 2: <AS> is not"));
  EXPECT_THAT(
      unsupported("<cluster id='a' radical='0'/>\n<cluster id='b' radical='1'/></platform>"),
      HasSubstr("line 3: a second <cluster>, after that of line 2"));
  EXPECT_THAT(unsupported("<zone/></platform>"), HasSubstr("line 2: the platform ends without"));
  EXPECT_THAT(error_of("<platform version='3'>").message, HasSubstr("version 3, only 4"));
  const std::string torus = "radical='0-3' topology='TORUS' topo_parameters='4' ";
  EXPECT_THAT(fault(torus + "limiter_link='1GBps'"), HasSubstr("line 3: a limiter_link"));
  EXPECT_THAT(fault(torus + "sharing_policy='SHARED'"), HasSubstr("sharing_policy SHARED"));
}

TEST(Platform, SaysWhatIsWrong) {
  EXPECT_THAT(fault(""), HasSubstr("line 3: radical '': '' is neither a number nor a range"));
  EXPECT_THAT(fault("radical='0-3,x'"), HasSubstr("'x' is neither"));
  EXPECT_THAT(fault("radical='3-0'"), HasSubstr("'3-0' is neither"));
  EXPECT_THAT(fault("radical='0-3,2'"), HasSubstr("names host 2 twice"));
  EXPECT_THAT(fault("radical='0-1' core='0'"), HasSubstr("core '0', expected a number from 1"));
  EXPECT_THAT(fault("radical='0-1' core='many'"), HasSubstr("core 'many'"));
  const auto torus = [](const std::string& sizes) {
    return fault("radical='0-62' topology='TORUS' topo_parameters='" + sizes + "'");
  };
  EXPECT_THAT(torus("4,4,4"), HasSubstr("topo_parameters '4,4,4' of a TORUS make 64 hosts, but "
                                        "radical '0-62' 63 hosts"));
  EXPECT_THAT(torus(""), HasSubstr("expected its sizes"));
  EXPECT_THAT(torus("4,0"), HasSubstr("size 0"));
  EXPECT_THAT(torus("65536,65536"), HasSubstr("too large"));
  const auto tree = [](const std::string& tiers) {
    return fault("radical='0-3' topology='FAT_TREE' topo_parameters='" + tiers + "'");
  };
  EXPECT_THAT(tree("1;4;1"), HasSubstr("expected levels; children; parents; cables"));
  EXPECT_THAT(tree("2;4;1;1"), HasSubstr("expected levels"));
  EXPECT_THAT(tree("1;4;1;1;1"), HasSubstr("expected levels"));
  EXPECT_THAT(tree("1;4;1;x"), HasSubstr("expected levels"));
  EXPECT_THAT(tree("1;4;1;0"), HasSubstr("at least one"));
  EXPECT_THAT(tree("1;5;1;1"), HasSubstr("make 5 hosts"));
  EXPECT_THAT(error_of("").message, HasSubstr("line 1: no XML: no element found"));
  EXPECT_THAT(error_of("<zone/>").message, HasSubstr("is a <zone>, expected <platform>"));
  EXPECT_THAT(error_of(platform("radical='0'").substr(0, 70)).message, HasSubstr("line 3: no XML"));
  EXPECT_EQ(read_platform("/no/such.xml").error().code, base::ErrorCode::kNotFound);
}

TEST(Platform, FewBytesDoNotMakeManyHosts) {
  EXPECT_THAT(fault("radical='0-1048576'"), HasSubstr("more than 1048576 hosts"));
  EXPECT_THAT(fault("radical='0-1000000,1000001-2000000'"), HasSubstr("more than 1048576 hosts"));
  EXPECT_THAT(fault("radical='0-18446744073709551615'"), HasSubstr("more than 1048576 hosts"));
  EXPECT_THAT(fault("radical='0-1' prefix='" + std::string(300, 'n') + "'"),
              HasSubstr("names of more than 256 letters"));
  const base::Error laughs = error_of(
      "<?xml version='1.0'?>\n<!DOCTYPE platform [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>\n"
      "<platform version='4.1'><cluster prefix='&b;' radical='0'/></platform>");
  EXPECT_EQ(laughs.code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(laughs.message, HasSubstr("line 2: a document type with definitions of its own"));
}

}  // namespace
}  // namespace pathline::app
