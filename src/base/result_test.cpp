// SPDX-License-Identifier: BSD-3-Clause
#include "base/result.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "base/id.hpp"

namespace pathline::base {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{ErrorCode::kInvalidArgument, "odd", "Give an even number."};
  return number / 2;
}

Status check(int number) {
  const auto result = half(number);
  if (!result) return result.error();
  return {};
}

TEST(Result, HoldsAValueOrAnError) {
  ASSERT_TRUE(half(6).ok());
  EXPECT_EQ(half(6).value(), 3);
  const auto failed = half(7);
  ASSERT_FALSE(failed.ok());
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(failed.error().message, "odd");
  EXPECT_EQ(failed.error().advice, "Give an even number.");
}

TEST(Result, PassesAnErrorOnUnchanged) {
  EXPECT_TRUE(check(2).ok());
  const Status status = check(3);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "odd");
  EXPECT_EQ(status.error().advice, "Give an even number.");
}

TEST(Result, GivesAwayAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  *result.value() = 6;
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 6);
}

TEST(Result, IsDecidedByItsKindAndNotByItsContent) {
  EXPECT_TRUE(Result<bool>(false).ok());
  EXPECT_TRUE(Result<std::string>(std::string()).ok());
  EXPECT_FALSE(Result<std::string>(Error{}).ok());
  EXPECT_FALSE(Status(Error{}).ok()) << "an error without a message is an error";
}

using Apple = Id<struct AppleTag>;
using Pear = Id<struct PearTag>;
static_assert(!std::is_convertible_v<Apple, Pear>);
static_assert(!std::is_convertible_v<size_t, Apple>, "a plain number must be named");

TEST(Id, IsNoneUntilItIsGivenANumber) {
  EXPECT_FALSE(Apple().valid());
  EXPECT_EQ(Apple(), Apple::none());
  EXPECT_TRUE(Apple(0).valid());
  EXPECT_EQ(uint32_t{Apple(7)}, 7U);
  EXPECT_LT(Apple(7), Apple(8));
  EXPECT_LT(Apple(7), Apple::none());
}

}  // namespace
}  // namespace pathline::base
