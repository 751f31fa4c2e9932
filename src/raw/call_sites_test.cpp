// SPDX-License-Identifier: BSD-3-Clause
#include "raw/call_sites.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

/// What addresses are looked up of.
extern "C" [[gnu::noinline]] int pathline_test_place(int value) { return value + 1; }

namespace pathline::raw {
namespace {

using testing::EndsWith;
using testing::StartsWith;

template <class Value>
class Boxed {
 public:
  [[gnu::noinline]] static Value open(Value value) { return value + 1; }
};

constexpr uint64_t kLater = UINT64_MAX;  // Recorded after this program was made.

/// Of a function of this program, as its symbol table counts.
template <class Function>
uint64_t address_of(Function* function) {
  Dl_info module{};
  void* map = nullptr;
  auto* address = reinterpret_cast<char*>(function);
  EXPECT_NE(::dladdr1(address, &module, &map, RTLD_DL_LINKMAP), 0);
  return reinterpret_cast<uint64_t>(address) - static_cast<link_map*>(map)->l_addr;
}

std::string own_file() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

TEST(CallSites, HaveTheFunctionAndTheLine) {
  EXPECT_EQ(pathline_test_place(1), 2);
  CallSites sites;
  const std::string name = sites.name(own_file(), address_of(&pathline_test_place), kLater);
  EXPECT_THAT(name, StartsWith("pathline_test_place (call_sites_test.cpp:"));
}

TEST(CallSites, OfCppHaveNoArguments) {
  EXPECT_EQ(Boxed<int>::open(1), 2);
  CallSites sites;
  EXPECT_THAT(sites.name(own_file(), address_of(&Boxed<int>::open), kLater),
              StartsWith("pathline::raw::(anonymous namespace)::Boxed<int>::open (call_sites"));
}

TEST(CallSites, AreAddressesWhereNothingIsKnown) {
  const base::ScratchFolder folder;
  CallSites sites;
  EXPECT_EQ(sites.name("/nowhere/app", 0x1c40, kLater), "app+0x1c40");
  EXPECT_EQ(sites.name("/dev/zero", 16, kLater), "zero+0x10");
  EXPECT_EQ(sites.name("", 16, kLater), "+0x10");
  const auto text = folder.write("notes.txt", "no program");
  EXPECT_EQ(sites.name(text.string(), 16, kLater), "notes.txt+0x10");
  EXPECT_THAT(sites.name(own_file(), UINT64_MAX / 2, kLater), EndsWith("+0x7fffffffffffffff"));
}

TEST(CallSites, OfAProgramThatWasBuiltSinceAreAddresses) {
  CallSites sites;
  EXPECT_EQ(sites.name(own_file(), 0x10, 1'000'000'000),
            std::filesystem::path(own_file()).filename().string() + "+0x10");
}

}  // namespace
}  // namespace pathline::raw
