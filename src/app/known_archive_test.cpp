// SPDX-License-Identifier: BSD-3-Clause
#include "app/known_archive.hpp"

#include <array>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using Index = std::shared_ptr<const summary::ArchiveIndex>;

class KeptIndexTest : public testing::Test {
 protected:
  KeptIndexTest() {
    run_.locations.resize(1);
    run_.definitions.regions.resize(1);
  }
  /// A file of one location with `events` of them, which has a place in front of each thousandth.
  std::filesystem::path write(const std::string& name, uint64_t events) {
    summary::ArchiveIndex index;
    index.file_bytes = {events * 8};
    index.events = {events};
    otf2::SeekPoints& places = index.places.emplace_back();
    for (uint64_t event = 0; event < events; event += 1000) {
      places.offset.push_back(18 + event * 8);
      places.event.push_back(event);
      places.ticks.push_back(event * 50);
      places.open.emplace_back(0);
      places.open_end.push_back(places.open.size());
    }
    const auto path = folder_.path() / name;
    summary::ColumnWriter out(path);
    summary::write_archive_index(index, out);
    EXPECT_TRUE(out.finish());
    return path;
  }
  base::Result<Index> ask(const std::filesystem::path& path) {
    const auto file = summary::ColumnReader::open(path);
    EXPECT_TRUE(file.ok());
    return kept_.of(file.value(), run_);
  }

  base::ScratchFolder folder_;
  trace::Trace run_;
  KeptIndex kept_;
};

TEST_F(KeptIndexTest, ReadsWhatItsFileHasOnce) {
  const auto path = write("a", 5000);
  std::array<Index, 4> indices;
  std::vector<std::thread> threads;
  for (Index& index : indices) threads.emplace_back([&] { index = ask(path).value(); });
  for (std::thread& thread : threads) thread.join();
  for (const Index& index : indices) EXPECT_EQ(index, indices[0]);
  EXPECT_EQ(indices[0]->places[0].size(), 5);
}

TEST_F(KeptIndexTest, IsThatOfTheFileThatIsThere) {
  const Index first = ask(write("a", 5000)).value();
  const Index other = ask(write("b", 7000)).value();
  EXPECT_EQ(first->events[0], 5000);
  EXPECT_EQ(other->events[0], 7000);
  // The same file at another place.
  EXPECT_EQ(ask(write("c", 7000)).value(), other);
  // A replaced one.
  EXPECT_EQ(ask(write("b", 9000)).value()->events[0], 9000);
}

TEST_F(KeptIndexTest, KeepsNothingOfADamagedFile) {
  const auto path = write("a", 5000);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  constexpr int kInTheFirstBlock = 64 + 12 + 2;
  file.seekg(kInTheFirstBlock);
  const auto byte = static_cast<char>(file.get() ^ 1);
  file.seekp(kInTheFirstBlock);
  file.put(byte);
  file.close();
  const auto damaged = ask(path);
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().code, base::ErrorCode::kCorrupt);
  EXPECT_EQ(ask(write("a", 5000)).value()->events[0], 5000);
}

}  // namespace
}  // namespace pathline::app
