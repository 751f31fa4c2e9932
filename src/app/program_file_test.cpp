// SPDX-License-Identifier: BSD-3-Clause
#include "app/program_file.hpp"

#include <cstring>
#include <elf.h>
#include <random>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/why_nothing.hpp"
#include "base/scratch_folder.hpp"

namespace pathline::app {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A file of one segment that holds everything, and a dynamic section that names `library`, "" for
/// a static program.
std::string elf_file(const std::string& library) {
  constexpr uint64_t kBase = 0x1000;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof(header);
  header.e_phnum = library.empty() ? 1 : 3;
  Elf64_Phdr segments[3] = {};
  Elf64_Dyn entries[3] = {};
  const uint64_t dynamic = sizeof(header) + sizeof(segments);
  const uint64_t strings = dynamic + sizeof(entries);
  const std::string table = '\0' + library + '\0';
  segments[0].p_type = PT_LOAD;
  segments[0].p_vaddr = kBase;
  segments[0].p_filesz = strings + table.size();
  segments[1].p_type = PT_INTERP;
  segments[2].p_type = PT_DYNAMIC;
  segments[2].p_offset = dynamic;
  segments[2].p_filesz = sizeof(entries);
  entries[0] = {.d_tag = DT_NEEDED, .d_un = {.d_val = 1}};
  entries[1] = {.d_tag = DT_STRTAB, .d_un = {.d_ptr = kBase + strings}};
  std::string file(reinterpret_cast<const char*>(&header), sizeof(header));
  file.append(reinterpret_cast<const char*>(segments), sizeof(segments));
  file.append(reinterpret_cast<const char*>(entries), sizeof(entries));
  return file + table;
}

class Program : public ::testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "the files of this test are those of x86-64";
#endif
  }
  std::string write(const std::string& content) const {
    const auto path = folder_.write("app", content);
    ::chmod(path.c_str(), 0755);
    return path.string();
  }
  [[nodiscard]] std::string why(const std::string& content,
                                base::Launcher launcher = base::Launcher::kNone,
                                base::Ending ending = {}) const {
    const std::string path = write(content);
    std::string message = why_nothing_was_recorded(launcher, {path}, ending).message;
    if (const size_t at = message.find(path); at != std::string::npos) {
      message.replace(at, path.size(), "APP");
    }
    return message;
  }

 private:
  base::ScratchFolder folder_;
};

TEST_F(Program, NamesTheLibrariesItNeeds) {
  const auto program = look_at_program(write(elf_file("libmpi.so.40")));
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(program.value().kind, ProgramFile::Kind::kElf);
  EXPECT_TRUE(program.value().dynamic);
  EXPECT_THAT(program.value().needed, ::testing::ElementsAre("libmpi.so.40"));
}

TEST_F(Program, OfThisTestIsDynamic) {
  const auto program = look_at_program("/proc/self/exe");
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_TRUE(program.value().dynamic);
  EXPECT_THAT(program.value().needed, Contains(StartsWith("libc.so")));
}

TEST_F(Program, DamagedGivesAnErrorOrAnAnswer) {
  const std::string whole = elf_file("libmpi.so.40");
  for (size_t size = 0; size < whole.size(); ++size) {
    (void)look_at_program(write(whole.substr(0, size)));
  }
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string file = whole;
    for (int k = 0; k < 3; ++k) file[random() % file.size()] = static_cast<char>(random());
    (void)look_at_program(write(file));
  }
  const auto cut = look_at_program(write(whole.substr(0, whole.size() - 1)));
  ASSERT_FALSE(cut.ok());
  EXPECT_THAT(cut.error().message, HasSubstr("the name of a library lies behind its end"));
}

TEST_F(Program, ThatIsStaticIsToldSo) {
  EXPECT_EQ(why(elf_file("")),
            "nothing was recorded: APP is statically linked, so no library can be loaded into it");
}

TEST_F(Program, OfAnMpiThatIsNotKnownIsToldSo) {
  EXPECT_EQ(
      why(elf_file("libmpi_abi.so.0")),
      "nothing was recorded: APP uses libmpi_abi.so.0, an MPI that the recorder does not know");
}

TEST_F(Program, UnderTheLauncherOfAnotherMpiIsToldSo) {
  EXPECT_EQ(why(elf_file("libmpich.so.12"), base::Launcher::kOpenMpi),
            "nothing was recorded: APP uses MPICH (libmpich.so.12), but the launcher is that of "
            "Open MPI");
  EXPECT_EQ(why(elf_file("libmpich.so.12"), base::Launcher::kHydra),
            "nothing was recorded: APP uses MPICH (libmpich.so.12), but no rank came as far as "
            "MPI_Init");
}

TEST_F(Program, ThatIsAScriptIsToldSo) {
  EXPECT_THAT(why("#! /bin/sh -e\nexit 0\n"),
              StartsWith("nothing was recorded: APP is a script (/bin/sh -e), and nothing"));
}

TEST_F(Program, WithoutMpiIsToldHowItEnded) {
  EXPECT_EQ(why(elf_file("libc.so.6"), base::Launcher::kNone, {.status = 3}),
            "nothing was recorded: the command ended with status 3");
  EXPECT_EQ(
      why(elf_file("libc.so.6")),
      "nothing was recorded: APP names no MPI library, and no call of MPI reached the recorder");
  EXPECT_EQ(why("MZ", base::Launcher::kNone, {.signal = 9}),
            "nothing was recorded: the command was ended by signal 9 (Killed)");
}

TEST_F(Program, WithRightsOfItsOwnIsToldSo) {
  const std::string path = write(elf_file("libmpi.so.40"));
  ::chmod(path.c_str(), 04755);
  EXPECT_THAT(why_nothing_was_recorded(base::Launcher::kNone, {path}, {}).message,
              HasSubstr("rights of its own"));
}

TEST(MpiFamily, IsKnownByTheNameOfTheLibrary) {
  EXPECT_EQ(mpi_family("libmpi.so.40"), MpiFamily::kOpenMpi);
  EXPECT_EQ(mpi_family("libmpi_usempif08.so.40"), MpiFamily::kOpenMpi);
  EXPECT_EQ(mpi_family("libmpich.so.12"), MpiFamily::kMpich);
  EXPECT_EQ(mpi_family("libmpichfort.so.12"), MpiFamily::kMpich);
  EXPECT_EQ(mpi_family("libmpi.so.12"), MpiFamily::kMpich);
  EXPECT_EQ(mpi_family("libmpi_abi.so.0"), MpiFamily::kUnknown);
  EXPECT_EQ(mpi_family("libm.so.6"), std::nullopt);
}

}  // namespace
}  // namespace pathline::app
