// SPDX-License-Identifier: BSD-3-Clause
#include "bench/deploy/output.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <mpi.h>

#include "bench/deploy/machine.hpp"
#include "bench/deploy/program.hpp"

namespace deploy {
namespace {

/// Returns 0 or what went wrong.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view whole(text.data());
  return std::string(whole.substr(0, whole.find('\n')));
}

/// Of all ranks, on rank 0.
std::vector<std::string> host_names() {
  using Name = std::array<char, MPI_MAX_PROCESSOR_NAME + 1>;
  Name own{};
  int length = 0;
  MPI_Get_processor_name(own.data(), &length);
  std::vector<Name> all(world_rank() == 0 ? static_cast<size_t>(world_size()) : 0);
  constexpr auto kSize = static_cast<int>(sizeof(Name));
  MPI_Gather(own.data(), kSize, MPI_CHAR, all.data(), kSize, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Name& name : all) names.emplace_back(name.data());
  return names;
}

}  // namespace

void Line::member(std::string_view name) {
  if (text_.size() > 1) text_ += ',';
  quoted(name);
  text_ += ':';
}

void Line::quoted(std::string_view value) {
  text_ += '"';
  for (const char c : value) {
    if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      text_ += escape.data();
    } else {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
  }
  text_ += '"';
}

void Line::value(double value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.9g", value);
  text_ += digits.data();
}

void Line::values(std::span<const double> values) {
  text_ += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_ += ',';
    value(values[i]);
  }
  text_ += ']';
}

Line& Line::text(std::string_view name, std::string_view value) {
  member(name);
  quoted(value);
  return *this;
}

Line& Line::number(std::string_view name, double value) {
  member(name);
  this->value(value);
  return *this;
}

Line& Line::count(std::string_view name, int64_t value) {
  member(name);
  text_ += std::to_string(value);
  return *this;
}

Line& Line::flag(std::string_view name, bool value) {
  member(name);
  text_ += value ? "true" : "false";
  return *this;
}

Line& Line::texts(std::string_view name, std::span<const std::string> values) {
  member(name);
  text_ += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_ += ',';
    quoted(values[i]);
  }
  text_ += ']';
  return *this;
}

Line& Line::numbers(std::string_view name, std::span<const double> values) {
  member(name);
  this->values(values);
  return *this;
}

Line& Line::rows(std::string_view name, std::span<const double> values, size_t length) {
  member(name);
  text_ += '[';
  for (size_t begin = 0; begin < values.size(); begin += length) {
    if (begin > 0) text_ += ',';
    this->values(values.subspan(begin, length));
  }
  text_ += ']';
  return *this;
}

Output::Output(std::string file) : name_(std::move(file)) {
  int error = 0;
  if (world_rank() == 0) {
    descriptor_ = name_.empty()
                      ? STDOUT_FILENO
                      : open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) error = errno;
  }
  refuse_if_any(error == 0 ? "" : "cannot write " + name_ + ": " + std::strerror(error));
}

Output::~Output() {
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
}

void Output::begin(std::string_view program, double timer_s) {
  const std::vector<std::string> hosts = host_names();
  write(Line()
            .text("program", program)
            .count("version", 1)
            .count("ranks", world_size())
            .text("mpi", mpi_version())
            .texts("hosts", hosts)
            .number("wtick_s", tick_s())
            .number("timer_s", timer_s));
}

void Output::write(const Line& line) {
  const int error = world_rank() == 0 ? write_all(descriptor_, line.object() + "\n") : 0;
  refuse_if_any(error == 0 ? ""
                           : "cannot write " + (name_.empty() ? "standard output" : name_) + ": " +
                                 std::strerror(error));
}

void Output::end() { write(Line().flag("done", true)); }

}  // namespace deploy
