// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace deploy {

/// One JSON object without a line break, made member by member. Numbers have 9 significant digits.
class Line {
 public:
  Line& text(std::string_view name, std::string_view value);
  Line& number(std::string_view name, double value);
  Line& count(std::string_view name, int64_t value);
  Line& flag(std::string_view name, bool value);
  Line& texts(std::string_view name, std::span<const std::string> values);
  Line& numbers(std::string_view name, std::span<const double> values);
  /// An array of arrays, each of `length` values.
  Line& rows(std::string_view name, std::span<const double> values, size_t length);

  [[nodiscard]] std::string object() const { return text_ + "}"; }

 private:
  void member(std::string_view name);
  void quoted(std::string_view value);
  void value(double value);
  void values(std::span<const double> values);

  std::string text_ = "{";
};

/// The lines of a run, written by rank 0, each as soon as it is known. Throws Refused on all ranks
/// where the file cannot be written.
class Output {
 public:
  /// Collective, as all of this.
  ///
  /// file  empty: standard output.
  explicit Output(std::string file);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// The first line: who measures, where, with what clock.
  void begin(std::string_view program, double timer_s);
  /// What is said by other ranks than rank 0 is of no interest.
  void write(const Line& line);
  /// The last line.
  void end();

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace deploy
