// SPDX-License-Identifier: BSD-3-Clause
//
// The only file of this layer that knows yaml-cpp.
#include <algorithm>
#include <array>
#include <regex>
#include <span>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "base/parse.hpp"
#include "campaign/jube_python.hpp"
#include "campaign/jube_tree.hpp"

namespace pathline::campaign {
namespace {

constexpr size_t kMostLetters = size_t{64} << 20;
constexpr size_t kMostOfInclude = 1000;

using Names = std::span<const std::string_view>;

/// Elements inside each element; keys that are none of them are attributes. An element that is not
/// here has a text.
Names elements_in(std::string_view element) {
  static constexpr std::array<std::string_view, 8> kBenchmark = {
      "parameterset",  "comment",  "step",   "fileset",
      "substituteset", "analyser", "result", "patternset"};
  static constexpr std::array<std::string_view, 1> kAnalyse = {"file"};
  static constexpr std::array<std::string_view, 2> kAnalyser = {"use", "analyse"};
  static constexpr std::array<std::string_view, 3> kFileset = {"link", "copy", "prepare"};
  static constexpr std::array<std::string_view, 1> kPath = {"path"};
  static constexpr std::array<std::string_view, 1> kParameters = {"parameter"};
  static constexpr std::array<std::string_view, 1> kPatterns = {"pattern"};
  static constexpr std::array<std::string_view, 4> kResult = {"use", "table", "syslog", "database"};
  static constexpr std::array<std::string_view, 3> kSelection = {"not", "only", "tag"};
  static constexpr std::array<std::string_view, 2> kStep = {"use", "do"};
  static constexpr std::array<std::string_view, 2> kSubstitutes = {"iofile", "sub"};
  static constexpr std::array<std::string_view, 1> kKeys = {"key"};
  static constexpr std::array<std::string_view, 1> kTable = {"column"};
  static const std::pair<std::string_view, Names> kAll[] = {
      {"benchmark", kBenchmark}, {"analyse", kAnalyse},
      {"analyser", kAnalyser},   {"fileset", kFileset},
      {"include-path", kPath},   {"parameterset", kParameters},
      {"patternset", kPatterns}, {"result", kResult},
      {"selection", kSelection}, {"step", kStep},
      {"syslog", kKeys},         {"database", kKeys},
      {"table", kTable},         {"substituteset", kSubstitutes}};
  for (const auto& [name, inside] : kAll) {
    if (name == element) return inside;
  }
  return {};
}

bool is_one_of(std::string_view name, Names names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What Python makes of a plain scalar and writes again: 0x10 is 16, yes is True.
std::string plain_text(const std::string& text) {
  static constexpr std::string_view kTrue[] = {"true", "True", "TRUE", "yes", "Yes",
                                               "YES",  "on",   "On",   "ON"};
  static constexpr std::string_view kFalse[] = {"false", "False", "FALSE", "no", "No",
                                                "NO",    "off",   "Off",   "OFF"};
  static constexpr std::string_view kNull[] = {"", "~", "null", "Null", "NULL"};
  if (is_one_of(text, kTrue)) return "True";
  if (is_one_of(text, kFalse)) return "False";
  if (is_one_of(text, kNull)) return "";
  if (text.size() > 40 || text.find_first_not_of("+-0123456789_.:xabcdefABCDEF") != text.npos) {
    return text;
  }
  static const std::regex kDecimal("[-+]?(0|[1-9][0-9_]*)");
  static const std::regex kOther("[-+]?0([0-7_]+|x[0-9a-fA-F_]+|b[01_]+)");
  static const std::regex kMinutes("[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+");
  static const std::regex kReal("[-+]?([0-9][0-9_]*\\.[0-9_]*|\\.[0-9][0-9_]*)([eE][-+][0-9]+)?");
  std::string digits = text;
  std::erase(digits, '_');
  const std::string sign = digits.starts_with('-') ? "-" : "";
  if (digits.starts_with('-') || digits.starts_with('+')) digits.erase(0, 1);
  if (std::regex_match(text, kDecimal)) return digits == "0" ? digits : sign + digits;
  if (std::regex_match(text, kOther)) {
    const int radix = digits[1] == 'x' ? 16 : digits[1] == 'b' ? 2 : 8;
    const std::string plain = digits.substr(radix == 8 ? 1 : 2);
    if (plain.empty() || plain.size() > 15) return text;
    const auto value = std::stoull(plain, nullptr, radix);
    return value == 0 ? "0" : fmt::format("{}{}", sign, value);
  }
  if (std::regex_match(text, kMinutes)) {
    uint64_t value = 0;
    for (const std::string& part : split(digits, ":")) {
      if (part.size() > 8 || value > 1'000'000'000'000) return text;
      value = value * 60 + std::stoull(part);
    }
    return fmt::format("{}{}", sign, value);
  }
  if (std::regex_match(text, kReal)) {
    const auto value = base::number_in<double>(digits.starts_with('.') ? "0" + digits : digits);
    if (value) return python_text(sign.empty() ? *value : -*value);
  }
  return text;
}

class Converter {
 public:
  explicit Converter(const JubeYamlSource& source) : source_(source) {}

  base::Result<JubeNode> run(const std::string& text, const std::string& file) {
    try {
      JubeNode root{.name = "jube", .place = {file, 1}};
      top(load(text, file), file, root);
      return root;
    } catch (const Failed& failed) {
      return failed.error;
    }
  }

 private:
  /// Ends the walk; it leaves this file as a Result.
  struct Failed {
    base::Error error;
  };
  using Pairs = std::vector<std::pair<std::string, YAML::Node>>;

  [[noreturn]] static void fail(const std::string& file, const YAML::Mark& mark,
                                std::string_view what,
                                base::ErrorCode code = base::ErrorCode::kCorrupt) {
    throw Failed{{code, fmt::format("{}, line {}: {}", file, std::max(mark.line, 0) + 1, what)}};
  }

  static YAML::Node load(const std::string& text, const std::string& file) {
    try {
      return YAML::Load(text);
    } catch (const YAML::Exception& error) {
      fail(file, error.mark, fmt::format("no YAML: {}", error.msg));
    } catch (const std::exception& error) {
      fail(file, {}, fmt::format("no YAML: {}", error.what()));
    }
  }

  /// The same nodes can be meant again and again, by names: what they come to is counted.
  void count(const std::string& file, const YAML::Node& node, int depth) {
    if (depth > kMostJubeDepth) {
      fail(file, node.Mark(), fmt::format("more than {} values inside each other", kMostJubeDepth));
    }
    if (++count_ > kMostJubeNodes) {
      fail(file, node.Mark(), fmt::format("more than {} values", kMostJubeNodes));
    }
    if (node.IsScalar()) letters_ += node.Scalar().size();
    if (letters_ > kMostLetters) {
      fail(file, node.Mark(), fmt::format("texts of more than {} letters", kMostLetters));
    }
  }

  /// Entries of a mapping; those of "<<" behind them, if there is none of that name.
  Pairs pairs(const YAML::Node& map, const std::string& file, int depth) {
    count(file, map, depth);
    Pairs all;
    std::vector<YAML::Node> merged;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) fail(file, entry.first.Mark(), "a key is to be a word");
      const std::string key = entry.first.Scalar();
      count(file, entry.first, depth);
      if (key != "<<") {
        all.emplace_back(key, entry.second);
      } else if (entry.second.IsSequence()) {
        for (const auto& item : entry.second) merged.push_back(item);
      } else {
        merged.push_back(entry.second);
      }
    }
    for (const YAML::Node& other : merged) {
      if (!other.IsMap()) fail(file, other.Mark(), "'<<' is to name entries");
      for (auto& one : pairs(other, file, depth + 1)) {
        const bool is_there = std::any_of(
            all.begin(), all.end(), [&](const auto& entry) { return entry.first == one.first; });
        if (!is_there) all.push_back(std::move(one));
      }
    }
    return all;
  }

  /// A value, or what it includes, which is of another file.
  struct Value {
    YAML::Node node;
    std::string file;
  };
  Value resolved(const YAML::Node& node, const std::string& file, int depth) {
    count(file, node, depth);
    if (!node.IsScalar() || node.Tag() != "!include") return {node, file};
    // file:["key"][0]
    const std::string wanted = node.Scalar();
    if (wanted.size() > kMostOfInclude)
      fail(file, node.Mark(), "!include of a name of this length");
    const size_t colon = wanted.find(':');
    auto included = source_.include(wanted.substr(0, colon));
    if (!included) {
      fail(file, node.Mark(), "!include: " + included.error().message, included.error().code);
    }
    Value value{load(included.value().text, included.value().path), included.value().path};
    if (colon == std::string::npos) return resolved(value.node, value.file, depth + 1);
    static const std::regex kEntry(R"(\[(?:"([^"]*)\"|'([^']*)'|([0-9]{1,6}))\])");
    std::string rest = wanted.substr(colon + 1);
    std::smatch found;
    YAML::Node at = value.node;
    while (std::regex_search(rest, found, kEntry, std::regex_constants::match_continuous)) {
      const std::string key = found[1].matched ? found[1].str() : found[2].str();
      const YAML::Node from = at;  // Not const, [] would make what is not there.
      YAML::Node next;
      if (found[3].matched && from.IsSequence()) {
        next.reset(from[std::stoul(found[3].str())]);
      } else if (!found[3].matched && from.IsMap()) {
        next.reset(from[key]);
      }
      if (!next.IsDefined() || next.IsNull()) {
        fail(file, node.Mark(), fmt::format("!include: {} has no {}", value.file, found.str()),
             base::ErrorCode::kInvalidArgument);
      }
      at.reset(next);
      rest = found.suffix().str();
    }
    if (!rest.empty()) {
      fail(file, node.Mark(),
           fmt::format("!include with '{}' is not supported: only names and numbers of entries "
                       "are, as in file.yaml:[\"key\"][0]",
                       rest),
           base::ErrorCode::kUnsupported);
    }
    value.node.reset(at);
    return resolved(value.node, value.file, depth + 1);
  }

  std::string text_of(const Value& value) {
    const YAML::Node& node = value.node;
    if (!node.IsDefined() || node.IsNull()) return "";
    if (!node.IsScalar()) {
      fail(value.file, node.Mark(), "a text is expected here", base::ErrorCode::kInvalidArgument);
    }
    return node.Tag() == "?" ? plain_text(node.Scalar()) : node.Scalar();
  }

  static Place place(const Value& value) {
    return {value.file, static_cast<uint32_t>(std::max(value.node.Mark().line, 0) + 1)};
  }

  /// Calls take(value) for each item of a list, or for the only one.
  template <class Take>
  void each(const YAML::Node& node, const std::string& file, int depth, const Take& take) {
    const Value value = resolved(node, file, depth);
    if (!value.node.IsSequence()) return take(value);
    for (const auto& item : value.node) take(resolved(item, value.file, depth + 1));
  }

  void top(const YAML::Node& node, const std::string& file, JubeNode& root) {
    const Value data = resolved(node, file, 0);
    if (data.node.IsSequence()) {
      return each(data.node, data.file, 1,
                  [&](const Value& value) { element("benchmark", value, root, 1); });
    }
    if (!data.node.IsMap()) {
      fail(data.file, data.node.Mark(), "no YAML of JUBE: names and values are expected");
    }
    const Pairs entries = pairs(data.node, data.file, 0);
    // What a file includes may be beside what it says.
    for (const auto& [key, value] : entries) {
      if (key == "include-path") search_in(value, data.file, 1);
    }
    const bool has_benchmark = std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
      return entry.first == "benchmark";
    });
    static constexpr std::array<std::string_view, 2> kBeside = {"selection", "include-path"};
    JubeNode benchmark{.name = "benchmark", .place = place(data)};
    for (const auto& [key, value] : entries) {
      const bool is_top = has_benchmark || is_one_of(key, kBeside);
      entry(key, value, data.file, is_top ? root : benchmark,
            !has_benchmark || key == "benchmark" || is_one_of(key, kBeside)
                ? elements_in("benchmark")
                : Names{},
            is_top, 1);
    }
    if (!has_benchmark) root.children.push_back(std::move(benchmark));
  }

  void search_in(const YAML::Node& node, const std::string& file, int depth) {
    each(node, file, depth, [&](const Value& value) {
      if (!value.node.IsMap()) return source_.search_in(text_of(value));
      for (const auto& [key, inner] : pairs(value.node, value.file, depth + 1)) {
        if (key == "path" || key == "_") search_in(inner, value.file, depth + 1);
      }
    });
  }

  /// One key: an element or an attribute.
  void entry(const std::string& key, const YAML::Node& node, const std::string& file,
             JubeNode& parent, Names elements, bool always_element, int depth) {
    const bool is_element = always_element || is_one_of(key, elements);
    each(node, file, depth, [&](const Value& value) {
      if (is_element) return element(key, value, parent, depth + 1);
      if (!value.node.IsNull() && !value.node.IsScalar()) {
        fail(value.file, value.node.Mark(),
             fmt::format("there is no <{}> in <{}>", key, parent.name),
             base::ErrorCode::kInvalidArgument);
      }
      parent.set(key, text_of(value));
    });
  }

  void element(const std::string& name, const Value& data, JubeNode& parent, int depth) {
    count(data.file, data.node, depth);
    JubeNode node{.name = name, .place = place(data)};
    std::vector<Value> texts;
    const Names elements = elements_in(name);
    const auto take_texts = [&](const YAML::Node& of, const std::string& file) {
      each(of, file, depth + 1, [&](const Value& value) { texts.push_back(value); });
    };
    if (!data.node.IsMap()) {
      take_texts(data.node, data.file);
    } else {
      for (const auto& [key, value] : pairs(data.node, data.file, depth)) {
        if (key == "_") {
          take_texts(value, data.file);
        } else {
          entry(key, value, data.file, node, elements, false, depth + 1);
        }
      }
    }
    // A list of texts is as many elements.
    if (texts.size() > 1) {
      size_t each = 0;
      for (const auto& [key, value] : node.attributes) each += key.size() + value.size();
      letters_ += each * texts.size();
      if (!node.children.empty() || letters_ > kMostLetters) {
        fail(data.file, data.node.Mark(), fmt::format("<{}> with several texts", name));
      }
    }
    for (const Value& text : texts) {
      JubeNode& one = parent.children.emplace_back(node);
      one.text = std::string(stripped(text_of(text)));
      if (text.node.IsDefined() && !text.node.IsNull()) one.place = place(text);
    }
    if (texts.empty()) parent.children.push_back(std::move(node));
  }

  const JubeYamlSource& source_;
  size_t count_ = 0;
  size_t letters_ = 0;
};

}  // namespace

base::Result<JubeNode> jube_tree_of_yaml(const std::string& text, const std::string& file,
                                         const JubeYamlSource& source) {
  return Converter(source).run(text, file);
}

}  // namespace pathline::campaign
