// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/exchange.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/packing.hpp"
#include "base/scratch_folder.hpp"

namespace pathline::exchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Packing, GivesBackWhatWasPutIn) {
  base::Packer out;
  out.put(7U);
  out.put_list(std::vector<uint64_t>{1, UINT64_MAX});
  out.put_text("");
  out.put_text("text");
  out.put(-2.5);
  const auto bytes = out.take();
  base::Unpacker in(bytes);
  EXPECT_EQ(in.get<unsigned>(), 7U);
  EXPECT_THAT(in.list<uint64_t>(), ElementsAre(1, UINT64_MAX));
  EXPECT_EQ(in.text(), "");
  EXPECT_EQ(in.text(), "text");
  EXPECT_EQ(in.get<double>(), -2.5);
  EXPECT_TRUE(in.ended());
}

// Several processes: test/exchange.
TEST(Exchange, OfOneProcessGivesBackWhatItGets) {
  auto joined = Exchange::join({}, {"/nowhere"});
  ASSERT_TRUE(joined.ok());
  Exchange& alone = joined.value();
  EXPECT_EQ(alone.rank(), 0U);
  EXPECT_EQ(alone.size(), 1U);
  EXPECT_THAT(alone.all_gather(42), ElementsAre(42));
  EXPECT_THAT(alone.all_to_all({Bytes{1, 2}}), ElementsAre(Bytes{1, 2}));
  EXPECT_THAT(alone.gather({3}), ElementsAre(Bytes{3}));
  EXPECT_TRUE(alone.agree({}).ok());
  const auto failed = alone.agree(base::Error{base::ErrorCode::kIo, "disk", "advice"});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().advice, "advice");
  alone.leave();
}

TEST(Exchange, SaysThatALibraryIsMissing) {
  const base::ScratchFolder folder;
  const auto joined = Exchange::join({.size = 4, .mpis = {"openmpi"}}, {folder.path(), "/nowhere"});
  ASSERT_FALSE(joined.ok());
  EXPECT_EQ(joined.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(joined.error().message,
              HasSubstr("4 processes were started, which cannot work together: there is no " +
                        (folder.path() / "libpathline-exchange-openmpi.so").string()));
  EXPECT_THAT(joined.error().advice, HasSubstr("openmpi-bin"));
}

TEST(Exchange, SaysThatALibraryCannotBeLoaded) {
  const base::ScratchFolder folder;
  folder.write("libpathline-exchange-mpich.so", "no library");
  const auto joined =
      Exchange::join({.size = 2, .mpis = {"openmpi", "mpich"}}, {"/nowhere", folder.path()});
  ASSERT_FALSE(joined.ok());
  EXPECT_THAT(joined.error().message,
              HasSubstr("there is no /nowhere/libpathline-exchange-openmpi.so; "));
  EXPECT_THAT(joined.error().message,
              HasSubstr((folder.path() / "libpathline-exchange-mpich.so").string() + ": "));
}

}  // namespace
}  // namespace pathline::exchange
