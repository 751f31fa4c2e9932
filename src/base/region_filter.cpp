// SPDX-License-Identifier: BSD-3-Clause
#include "base/region_filter.hpp"

#include <cstdlib>
#include <cstring>

namespace pathline::base {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

/// Words of a filter file: between blanks, a comment from # to the end of its line. A backslash
/// keeps what follows and stays in the word, for the pattern.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// "" at the end.
  std::string_view next() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '#')) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        line_ += text_[at_++] == '\n' ? 1 : 0;
      }
    }
    const size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '#') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      ++at_;
    }
    return {text_.data() + begin, at_ - begin};
  }
  [[nodiscard]] uint32_t line() const { return line_; }

 private:
  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
};

/// Matches one item of `pattern` at `at` (a letter, ?, a set) with `c`; sets `end` behind the item.
bool item_matches(std::string_view pattern, size_t at, char c, size_t& end) {
  const char first = pattern[at];
  end = at + 1;
  if (first == '?') return true;
  if (first == '\\' && end < pattern.size()) {
    ++end;
    return pattern[at + 1] == c;
  }
  if (first != '[') return first == c;
  size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool is_first = true; i < pattern.size() && (is_first || pattern[i] != ']');
       is_first = false) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    const auto low = static_cast<unsigned char>(pattern[i++]);
    auto high = low;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      high = static_cast<unsigned char>(pattern[i + 1]);
      i += 2;
    }
    const auto letter = static_cast<unsigned char>(c);
    found = found || (low <= letter && letter <= high);
  }
  if (i >= pattern.size()) return first == c;  // No end: a bracket like any letter.
  end = i + 1;
  return found != negated;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) noexcept {
  // After a * that matched too little, the last one takes a letter more; those before need not.
  size_t p = 0;
  size_t t = 0;
  size_t star = SIZE_MAX;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    size_t end = 0;
    if (p < pattern.size() && item_matches(pattern, p, text[t], end)) {
      p = end;
      ++t;
      continue;
    }
    if (star == SIZE_MAX) return false;
    p = star + 1;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

RegionFilter::RegionFilter(RegionFilter&& other) noexcept {
  *this = static_cast<RegionFilter&&>(other);
}

RegionFilter& RegionFilter::operator=(RegionFilter&& other) noexcept {
  if (this == &other) return *this;
  clear();
  text_ = other.text_;
  text_size_ = other.text_size_;
  rules_ = other.rules_;
  rule_count_ = other.rule_count_;
  rule_capacity_ = other.rule_capacity_;
  other.text_ = nullptr;
  other.rules_ = nullptr;
  other.clear();
  return *this;
}

RegionFilter::~RegionFilter() { clear(); }

void RegionFilter::clear() noexcept {
  std::free(text_);
  std::free(rules_);
  text_ = nullptr;
  rules_ = nullptr;
  text_size_ = rule_count_ = rule_capacity_ = 0;
}

bool RegionFilter::parse(std::string_view text, FilterError& error) noexcept {
  clear();
  error = {};
  text_ = static_cast<char*>(std::malloc(text.size() + 1));
  if (text_ == nullptr) {
    error.text = "there is no memory for it";
    return false;
  }
  if (!text.empty()) std::memcpy(text_, text.data(), text.size());
  text_size_ = text.size();
  if (read_rules(error)) return true;
  clear();
  return false;
}

bool RegionFilter::add(std::string_view pattern, Subject subject, bool exclude) noexcept {
  if (rule_count_ == rule_capacity_) {
    const size_t capacity = 2 * rule_capacity_ + 16;
    void* grown = std::realloc(static_cast<void*>(rules_), capacity * sizeof(Rule));
    if (grown == nullptr) return false;
    rules_ = static_cast<Rule*>(grown);
    rule_capacity_ = capacity;
  }
  rules_[rule_count_++] = {pattern.data(), static_cast<uint32_t>(pattern.size()), subject, exclude};
  return true;
}

bool RegionFilter::read_rules(FilterError& error) noexcept {
  enum class Block : uint8_t { kNone, kNames, kFiles } block = Block::kNone;
  enum class Verdict : uint8_t { kNone, kInclude, kExclude } verdict = Verdict::kNone;
  bool mangled = false;
  bool fresh = false;  // Nothing stands behind INCLUDE or EXCLUDE yet.
  uint32_t block_line = 0;
  Words words({text_, text_size_});
  const auto fail = [&](uint32_t line, const char* text) {
    error = {line, text};
    return false;
  };
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const uint32_t line = words.line();
    const bool names_begin = word == "SCOREP_REGION_NAMES_BEGIN";
    const bool files_begin = word == "SCOREP_FILE_NAMES_BEGIN";
    const bool names_end = word == "SCOREP_REGION_NAMES_END";
    const bool files_end = word == "SCOREP_FILE_NAMES_END";
    if (names_begin || files_begin) {
      if (block != Block::kNone) return fail(line, "a block begins before the last one has ended");
      block = names_begin ? Block::kNames : Block::kFiles;
      block_line = line;
      verdict = Verdict::kNone;
      continue;
    }
    if (names_end || files_end) {
      if (block != (names_end ? Block::kNames : Block::kFiles)) {
        return fail(line, "a block ends that did not begin");
      }
      if (fresh) return fail(line, "INCLUDE or EXCLUDE without a pattern");
      block = Block::kNone;
      continue;
    }
    if (block == Block::kNone) {
      return fail(line, "expected SCOREP_REGION_NAMES_BEGIN or SCOREP_FILE_NAMES_BEGIN");
    }
    if (word == "INCLUDE" || word == "EXCLUDE") {
      if (fresh) return fail(line, "INCLUDE or EXCLUDE without a pattern");
      verdict = word == "INCLUDE" ? Verdict::kInclude : Verdict::kExclude;
      mangled = false;
      fresh = true;
      continue;
    }
    if (verdict == Verdict::kNone)
      return fail(line, "expected INCLUDE or EXCLUDE before a pattern");
    if (word == "MANGLED" && fresh && !mangled) {
      if (block == Block::kFiles) return fail(line, "names of files are not mangled");
      mangled = true;
      continue;
    }
    fresh = false;
    const Subject subject = block == Block::kFiles ? Subject::kFile
                            : mangled              ? Subject::kMangled
                                                   : Subject::kName;
    if (!add(word, subject, verdict == Verdict::kExclude))
      return fail(0, "there is no memory for it");
  }
  if (block != Block::kNone) return fail(block_line, "the block that begins here has no end");
  return true;
}

bool RegionFilter::excludes(std::string_view name, std::string_view mangled,
                            std::string_view file) const noexcept {
  bool by_name = false;
  bool by_file = false;
  for (size_t i = 0; i < rule_count_; ++i) {
    const Rule& rule = rules_[i];
    bool& verdict = rule.subject == Subject::kFile ? by_file : by_name;
    if (verdict == rule.exclude) continue;  // It could change nothing.
    const std::string_view text = rule.subject == Subject::kName      ? name
                                  : rule.subject == Subject::kMangled ? mangled
                                                                      : file;
    if (text.empty()) continue;
    if (glob_matches({rule.pattern, rule.length}, text)) verdict = rule.exclude;
  }
  return by_name || by_file;
}

}  // namespace pathline::base
