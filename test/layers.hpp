// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Checks `#include` lines against cmake/layers.txt, whose head explains the format, and a few
/// rules that only a look at whole files can keep.
namespace pathline::layers {

/// The table, as read. `reach` holds for each layer all layers it may use, directly or through
/// others; `problems` what is wrong with the table itself (then nothing else should be trusted).
struct Rules {
  struct Library {
    std::string prefix;            ///< as in the include line: "fmt/", "png.h"
    std::set<std::string> layers;  ///< who may include it, or who may not if `all_but`
    bool all_but = false;
  };

  std::map<std::string, std::set<std::string>> reach;
  std::vector<Library> libraries;
  std::vector<std::string> problems;
};

Rules parse_rules(std::string_view text);

/// One message `path:line: ...` for each include of the file `path` that breaks a rule, for a
/// header of src/ or include/ that may not be included twice, and for a file of src/ with more than
/// 450 lines none of whose first twelve begins with `// Long because`.
///
/// path  relative to the source folder with '/' between folders: "src/comm/matrix.hpp". Files
///       below src/ belong to the layer of their folder, others to the layer named as their top
///       folder ("bench", "test"); below include/ only the standard library and include/ itself.
/// text  the file's content. Comments are understood, conditional compilation is not: an include
///       that is switched off counts too.
std::vector<std::string> check_file(const Rules& rules, std::string_view path,
                                    std::string_view text);

}  // namespace pathline::layers
