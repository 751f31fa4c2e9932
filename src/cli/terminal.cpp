// SPDX-License-Identifier: BSD-3-Clause
#include "cli/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.hpp"

namespace pathline::cli {
namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kYellow = "\033[1;33m";
constexpr std::string_view kPlain = "\033[0m";

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool has_colours() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && !is_set("NO_COLOR") &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

/// The cell before each " *" that ends one in yellow.
std::string with_marks(std::string_view line) {
  std::string text;
  size_t written = 0;
  for (size_t star = line.find(" *"); star != std::string_view::npos;
       star = line.find(" *", star + 2)) {
    const std::string_view behind = line.substr(star + 2, 2);
    if (!behind.empty() && behind != "  ") continue;
    const size_t before = line.rfind("  ", star);
    const size_t begin = before == std::string_view::npos ? 0 : before + 2;
    text.append(line.substr(written, begin - written)).append(kYellow);
    text.append(line.substr(begin, star + 2 - begin)).append(kPlain);
    written = star + 2;
  }
  return text.append(line.substr(written));
}

}  // namespace

std::string in_colour(std::string_view table) {
  if (!has_colours()) return std::string(table);
  const size_t end = std::min(table.find('\n'), table.size());
  std::string text;
  text.append(kBold).append(table.substr(0, end)).append(kPlain);
  for (size_t begin = end; begin < table.size();) {
    const size_t next = std::min(table.find('\n', begin + 1), table.size());
    text += with_marks(table.substr(begin, next - begin));
    begin = next;
  }
  return text;
}

base::Status page(const std::string& text) {
  winsize size{};
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  if (!is_set("PAGER") || ::isatty(STDOUT_FILENO) != 1 ||
      ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || lines < size.ws_row) {
    return write_result("-", text);
  }
  ::setenv("LESS", "FRX", 0);  // Colours, as git asks for them.
  std::FILE* pager = ::popen(std::getenv("PAGER"), "w");
  if (pager == nullptr) return write_result("-", text);
  std::fwrite(text.data(), 1, text.size(), pager);
  const int status = ::pclose(pager);
  constexpr int kNoSuchCommand = 127;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchCommand) return write_result("-", text);
  return {};
}

}  // namespace pathline::cli
