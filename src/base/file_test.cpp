// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::base {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class File : public ::testing::Test {
 protected:
  File() {
    std::string name = (fs::temp_directory_path() / "pathline-file-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~File() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void SetUp() override { ASSERT_FALSE(folder_.empty()); }

  fs::path put(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }
  static std::string content(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      result.push_back(entry.path().filename().string());
    }
    return result;
  }

  fs::path folder_;
};

TEST_F(File, MapsTheBytesOfAFile) {
  const std::string bytes("a\0b\n", 4);
  const auto file = MappedFile::open(put("f", bytes));
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file.value().text(), bytes);
  EXPECT_EQ(file.value().bytes().size(), 4U);
}

TEST_F(File, MapsAnEmptyFileAsAnEmptySpan) {
  const auto file = MappedFile::open(put("empty", ""));
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file.value().bytes().empty());
  EXPECT_EQ(file.value().text(), "");
}

TEST_F(File, StaysMappedWhenItIsMoved) {
  auto first = MappedFile::open(put("1", "one"));
  auto second = MappedFile::open(put("2", "two"));
  ASSERT_TRUE(first.ok() && second.ok());
  MappedFile moved(std::move(first).value());
  EXPECT_EQ(moved.text(), "one");
  moved = std::move(second).value();
  EXPECT_EQ(moved.text(), "two");
}

/// A small one is copied, a larger one mapped: both are as long as they are and can be moved.
TEST_F(File, HasTheSameBytesWhetherItIsCopiedOrMapped) {
  constexpr size_t kMostToCopy = size_t{1} << 20U;
  for (const size_t size : {size_t{1}, kMostToCopy - 1, kMostToCopy, kMostToCopy + 1}) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 2654435761U >> 24U);
    auto file = MappedFile::open_briefly(put("f", bytes));
    ASSERT_TRUE(file.ok()) << file.error().message;
    auto other = MappedFile::open(put("other", "other"));
    ASSERT_TRUE(other.ok());
    MappedFile moved(std::move(other).value());
    moved = std::move(file).value();
    EXPECT_TRUE(moved.text() == bytes) << size;
  }
}

TEST_F(File, KeepsTheBytesOfASmallFileThatShrinks) {
  const fs::path path = put("f", "all of it");
  const auto file = MappedFile::open_briefly(path);
  ASSERT_TRUE(file.ok());
  fs::resize_file(path, 0);
  EXPECT_EQ(file.value().text(), "all of it");
}

TEST_F(File, CopiesAnEmptyFileAsAnEmptySpan) {
  const auto file = MappedFile::open_briefly(put("empty", ""));
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(file.value().bytes().empty());
}

TEST_F(File, SaysWhichFileIsMissing) {
  const fs::path path = folder_ / "nowhere";
  const auto file = MappedFile::open(path);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(file.error().message, "cannot open " + path.string() + ": No such file or directory");
}

TEST_F(File, SaysThatADirectoryIsNoRegularFile) {
  const auto file = MappedFile::open(folder_);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kIo);
  EXPECT_EQ(file.error().message, "cannot read " + folder_.string() + ": not a regular file");
}

TEST_F(File, DoesNotWaitForTheWriterOfAPipe) {
  const fs::path path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto file = MappedFile::open(path);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kIo);
  EXPECT_THAT(file.error().message, HasSubstr("not a regular file"));
}

TEST_F(File, WritesANewFileAndReplacesAnOldOne) {
  const fs::path path = folder_ / "out";
  ASSERT_TRUE(write_file(path, "first, and longer").ok());
  EXPECT_EQ(content(path), "first, and longer");
  ASSERT_TRUE(write_file(path, "second").ok());
  EXPECT_EQ(content(path), "second");
  ASSERT_TRUE(write_file(path, "").ok());
  EXPECT_EQ(content(path), "");
  EXPECT_THAT(names(), testing::ElementsAre("out"));
}

TEST_F(File, NamesTheFileWhenTheFolderIsMissing) {
  const fs::path path = folder_ / "no" / "out";
  const Status status = write_file(path, "text");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_EQ(status.error().message,
            "cannot write " + path.string() + ": No such file or directory");
}

TEST_F(File, DoesNotReplaceAFolder) {
  const fs::path path = folder_ / "folder";
  ASSERT_TRUE(fs::create_directory(path));
  const Status status = write_file(path, "text");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "cannot write " + path.string() + ": Is a directory");
  EXPECT_TRUE(fs::is_directory(path));
}

TEST_F(File, WritesToADeviceItselfAndReportsThatItIsFull) {
  const Status status = write_file("/dev/full", "text");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_EQ(status.error().message, "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_TRUE(write_file("/dev/null", "text").ok());
}

/// Lets files grow to `bytes` only, as a full disk does after some of the bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

TEST_F(File, KeepsTheOldFileAndLeavesNoHalfOneWhenWritingFails) {
  const fs::path path = put("out", "old");
  const Status status = [&] {
    const FileSizeLimit limit(100);
    return write_file(path, std::string(1000, 'x'));
  }();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "cannot write " + path.string() + ": File too large");
  EXPECT_EQ(content(path), "old");
  EXPECT_THAT(names(), testing::ElementsAre("out"));
}

}  // namespace
}  // namespace pathline::base
