// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace pathline::base {

/// Why something that came from outside (file, flag, environment) could not be used.
enum class ErrorCode {
  kInvalidArgument,  ///< The caller asked for something that makes no sense.
  kNotFound,         ///< A file, rank or name that was asked for does not exist.
  kCorrupt,          ///< Data contradicts its own format.
  kUnsupported,      ///< Valid, but not something Pathline can read or do.
  kIo,               ///< The operating system refused a read or a write.
  kCancelled,        ///< The user stopped it.
};

/// One line that says what, where, what was found and expected, and at most one line of advice.
struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;
  std::string advice = {};  ///< What the user can do; empty when there is nothing to say.
};

/// A value or an Error. Asking for the one that is not there is a defect of the caller.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error)  // NOLINT(google-explicit-constructor)
      : failed_(true), error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const {
    assert(failed_);
    return error_;
  }

 private:
  bool failed_ = false;
  Error error_;
};

using Status = Result<void>;

}  // namespace pathline::base
