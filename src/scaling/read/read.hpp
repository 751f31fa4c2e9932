// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "scaling/experiment.hpp"

namespace pathline::scaling {

enum class TextFormat : uint8_t { kKeywords, kJson, kJsonLines, kTalpas };

/// What `text` looks like, by its first letters and, where those fit several formats, by what its
/// first line holds; the name of a file says nothing.
TextFormat guess_format(std::string_view text);

/// Reads measurements in the formats of Extra-P (version 4.2): keyword text, JSON with values or
/// with tables of ids, JSON Lines, TaLPas.
///
/// name    what errors call the text.
/// errors  kCorrupt naming `name`, the line (or the path inside the JSON) and the word.
/// cost    O(size of the text).
base::Result<Experiment> read_text(std::string_view text, const std::string& name);

/// The same of a file, unpacked if gzip packed it.
base::Result<Experiment> read_file(const std::filesystem::path& path);

}  // namespace pathline::scaling
