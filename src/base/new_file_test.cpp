// SPDX-License-Identifier: BSD-3-Clause
#include "base/new_file.hpp"

#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::base {
namespace {

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

size_t files_in(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(NewFile, IsThereWhenItIsComplete) {
  const ScratchFolder folder;
  for (const std::string_view before : {"", "old", "older still"}) {
    if (!before.empty()) folder.write("file", before);
    const std::string was = folder.read("file");
    NewFile file(folder.path() / "file");
    file.append(bytes_of("12"));
    file.append(bytes_of(std::string(1 << 20, 'x')));
    file.overwrite(1, bytes_of("3"));
    file.append(bytes_of("end"));
    EXPECT_EQ(file.size(), (1U << 20U) + 5);
    EXPECT_EQ(folder.read("file"), was);
    ASSERT_TRUE(file.finish().ok());
    EXPECT_EQ(folder.read("file"), "13" + std::string(1 << 20, 'x') + "end");
    EXPECT_EQ(files_in(folder.path()), 1U);
  }
}

TEST(NewFile, IsGoneWhenItIsNotFinished) {
  const ScratchFolder folder;
  folder.write("file", "old");
  NewFile(folder.path() / "file").append(bytes_of("new"));
  EXPECT_EQ(folder.read("file"), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

void be_killed(const std::filesystem::path& path) {
  NewFile file(path);
  file.append(bytes_of(std::string(1 << 20, 'x')));
  ::raise(SIGKILL);
}

TEST(NewFile, LeavesNothingOfAProcessThatIsKilled) {
  const ScratchFolder folder;
  EXPECT_EXIT(be_killed(folder.path() / "file"), testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST(NewFile, IsWrittenToAPipeAsItIs) {
  const ScratchFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  NewFile file(pipe);
  file.append(bytes_of("one "));
  EXPECT_TRUE(file.flush().ok());
  file.append(bytes_of("two"));
  EXPECT_TRUE(file.finish().ok());
  std::string read(16, ' ');
  const ssize_t count = ::read(reader, read.data(), read.size());
  ::close(reader);
  EXPECT_EQ(read.substr(0, static_cast<size_t>(count)), "one two");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(NewFile, SaysWhyItCannotBeWritten) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "folder");
  for (const std::string where : {"none/file", "folder"}) {
    NewFile file(folder.path() / where);
    file.append(bytes_of("new"));
    const auto status = file.finish();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kIo);
    EXPECT_TRUE(status.error().message.starts_with("cannot write " +
                                                   (folder.path() / where).string() + ": "));
  }
  NewFile full("/dev/full");
  full.append(bytes_of("new"));
  EXPECT_EQ(full.finish().error().message, "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

}  // namespace
}  // namespace pathline::base
