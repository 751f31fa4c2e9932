// SPDX-License-Identifier: BSD-3-Clause
//
// doc/architecture.md leads newcomers through files and functions: they have to be there.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::layers {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What stands in backticks, in the order of the text.
std::vector<std::string> in_backticks(std::string_view text) {
  std::vector<std::string> found;
  for (size_t begin = 0; (begin = text.find('`', begin)) != std::string_view::npos;) {
    const size_t end = text.find('`', begin + 1);
    if (end == std::string_view::npos) break;
    found.emplace_back(text.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
  return found;
}

/// "src/otf2/reader.cpp: read", "test/golden", "CHANGELOG.md": what is a path by its folder or its
/// suffix, and perhaps a name that occurs in that file.
struct Mention {
  std::string path;  ///< Empty if it is none.
  std::string name;
};

Mention parse(const std::string& quote) {
  const size_t colon = quote.find(": ");
  const std::string path = quote.substr(0, colon);
  const std::string name = colon == std::string::npos ? "" : quote.substr(colon + 2);
  const bool is_word = (path + name).find_first_of(" <>*$") == std::string::npos;
  const bool is_path = path.find('/') != std::string::npos || path.ends_with(".cpp") ||
                       path.ends_with(".hpp") || path.ends_with(".md");
  return is_word && is_path ? Mention{path, name} : Mention{};
}

/// Whether `name` stands in `text` as a word of its own.
bool occurs(std::string_view text, std::string_view name) {
  const auto continues = [&](size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; ++at) {
    if (!continues(at - 1) && !continues(at + name.size())) return true;
  }
  return false;
}

/// What a document promises below `root` and what is not there.
std::vector<std::string> missing(std::string_view document, const fs::path& root) {
  std::vector<std::string> messages;
  for (const std::string& quote : in_backticks(document)) {
    const Mention mention = parse(quote);
    if (mention.path.empty()) continue;
    if (!fs::exists(root / mention.path)) {
      messages.push_back(fmt::format("`{}`: there is no {}", quote, mention.path));
    } else if (!mention.name.empty() && !occurs(content(root / mention.path), mention.name)) {
      messages.push_back(fmt::format("`{}`: {} is not in that file", quote, mention.name));
    }
  }
  return messages;
}

TEST(Architecture, FindsFilesAndNamesThatAreNotThere) {
  EXPECT_THAT(missing("`test/layers.cpp`, `test/layers.cpp: check_file`, `make test`, `test`", "."),
              IsEmpty());
  EXPECT_THAT(missing("see `test/rooms.cpp: check`.\n`test/layers.cpp: check_fil`", "."),
              ElementsAre("`test/rooms.cpp: check`: there is no test/rooms.cpp",
                          HasSubstr("check_fil is not in that file")));
}

/// Other documents name files of runs and archives as well, so only what lies in these folders.
TEST(Architecture, IsWhatOtherDocumentsPointTo) {
  std::vector<fs::path> documents = {"README.md", "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator("doc")) {
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  }
  for (const fs::path& document : documents) {
    for (const std::string& quote : in_backticks(content(document))) {
      const std::string path = parse(quote).path;
      const bool is_ours = path.starts_with("src/") || path.starts_with("test/") ||
                           path.starts_with("tools/") || path.starts_with("bench/");
      EXPECT_TRUE(!is_ours || fs::exists(path)) << document << " names " << quote;
    }
  }
}

TEST(Architecture, NamesOnlyFilesAndFunctionsThatExist) {
  const std::string document = content("doc/architecture.md");
  ASSERT_FALSE(document.empty()) << "run this test in the source folder, as ctest does";
  size_t names = 0;
  for (const std::string& quote : in_backticks(document))
    names += parse(quote).name.empty() ? 0 : 1;
  EXPECT_GT(names, 50U) << "the notation is `src/otf2/reader.cpp: read`";
  EXPECT_THAT(missing(document, "."), IsEmpty());
}

}  // namespace
}  // namespace pathline::layers
