// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/folder_lock.hpp"

#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::campaign {
namespace {

using testing::HasSubstr;

/// A process that does something, says that it has, and waits to be killed.
class Other {
 public:
  explicit Other(const std::function<void()>& work) {
    int said[2];
    EXPECT_EQ(::pipe(said), 0);
    id_ = ::fork();
    if (id_ == 0) {
      work();
      (void)!::write(said[1], "x", 1);
      for (;;) ::pause();
    }
    char letter = 0;
    EXPECT_EQ(::read(said[0], &letter, 1), 1);
    for (const int end : said) ::close(end);
  }
  ~Other() {
    if (id_ > 0) kill();
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  void kill() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = 0;
  }

 private:
  pid_t id_ = 0;
};

TEST(FolderLock, NamesTheProcessThatHasIt) {
  const base::ScratchFolder folder;
  const Other other([&] {
    // Held until the process ends.
    new FolderLock(std::move(FolderLock::take(folder.path()).value()));
  });
  const auto lock = FolderLock::take(folder.path());
  ASSERT_FALSE(lock.ok());
  EXPECT_THAT(lock.error().message, HasSubstr(fmt::format("process {}", other.id())));
}

TEST(FolderLock, IsFreeOnceItsProcessIsKilledWhateverItsChildrenDo) {
  const base::ScratchFolder folder;
  pid_t child = 0;
  int number[2];
  ASSERT_EQ(::pipe(number), 0);
  Other other([&] {
    new FolderLock(std::move(FolderLock::take(folder.path()).value()));
    const pid_t own = ::fork();
    if (own == 0) {
      for (;;) ::pause();
    }
    (void)!::write(number[1], &own, sizeof own);
  });
  ASSERT_EQ(::read(number[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_FALSE(FolderLock::take(folder.path()).ok());
  other.kill();
  EXPECT_TRUE(FolderLock::take(folder.path()).ok());
  ::kill(child, SIGKILL);
  for (const int end : number) ::close(end);
}

TEST(FolderLock, NeedsAFolderThatMayBeWritten) {
  const base::ScratchFolder folder;
  const auto lock = FolderLock::take(folder.path() / "missing");
  ASSERT_FALSE(lock.ok());
  EXPECT_THAT(lock.error().message, HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace pathline::campaign
