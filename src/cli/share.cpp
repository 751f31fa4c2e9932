// SPDX-License-Identifier: BSD-3-Clause
#include "cli/share.hpp"

#include <system_error>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "cli/completion.hpp"
#include "cli/man_page.hpp"

namespace pathline::cli {

base::Status write_share(const std::filesystem::path& folder, const CommandDescription& program,
                         const std::string& version) {
  std::vector<std::pair<std::filesystem::path, std::string>> files = {
      {"bash-completion/completions/pathline", bash_completion(program)},
      {"zsh/site-functions/_pathline", zsh_completion(program)},
      {"fish/vendor_completions.d/pathline.fish", fish_completion(program)}};
  for (ManPage& page : man_pages(program, version)) {
    files.emplace_back("man/man1/" + page.name + ".1", std::move(page.text));
  }
  for (const auto& [name, text] : files) {
    const std::filesystem::path path = folder / name;
    std::error_code ignored;  // Writing the file tells.
    std::filesystem::create_directories(path.parent_path(), ignored);
    if (auto status = base::write_file(path, text); !status) return status;
  }
  return {};
}

}  // namespace pathline::cli
