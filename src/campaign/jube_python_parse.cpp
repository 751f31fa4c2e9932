// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_python_parse.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/parse.hpp"

namespace pathline::campaign::python {
namespace {

constexpr int kMostNested = 100;
constexpr int kMostOperators = 400;
constexpr size_t kMostLetters = 20'000;

[[noreturn]] void fail(std::string what) { throw Failed{std::move(what)}; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { next(); }

  Expression run() {
    Expression all = expression();
    if (token_.empty()) return all;
    fail(fmt::format("'{}'", token_));
  }

 private:
  /// Names, numbers and operators as they are; texts begin with their quote.
  void next() {
    const size_t blanks = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(std::min(blanks, text_.size()));
    content_.clear();
    if (text_.empty()) return take(0);
    const auto first = static_cast<unsigned char>(text_[0]);
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    if (std::isdigit(first) != 0 || (first == '.' && text_.size() > 1 &&
                                     std::isdigit(static_cast<unsigned char>(text_[1])) != 0)) {
      size_t end = 1;
      while (end < text_.size() &&
             (is_word(text_[end]) || text_[end] == '.' ||
              ((text_[end] == '-' || text_[end] == '+') && std::tolower(text_[end - 1]) == 'e'))) {
        ++end;
      }
      return take(end);
    }
    if (is_word(text_[0])) {
      size_t end = 1;
      while (end < text_.size() && is_word(text_[end])) ++end;
      return take(end);
    }
    if (first == '"' || first == '\'') return take_text();
    for (const std::string_view two : {"**", "//", "==", "!=", "<=", ">="}) {
      if (text_.starts_with(two)) return take(2);
    }
    take(1);
  }

  void take(size_t length) {
    token_ = text_.substr(0, length);
    text_.remove_prefix(length);
  }

  void take_text() {
    const char quote = text_[0];
    size_t i = 1;
    for (; i < text_.size() && text_[i] != quote; ++i) {
      char c = text_[i];
      if (c == '\\' && i + 1 < text_.size()) {
        c = text_[++i];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      content_ += c;
    }
    if (i >= text_.size()) fail("a text without its end");
    take(i + 1);
  }

  bool take_if(std::string_view word) {
    if (token_ != word) return false;
    next();
    return true;
  }
  void expect(std::string_view word) {
    if (!take_if(word)) {
      fail(token_.empty() ? fmt::format("the end, where '{}' is expected", word)
                          : fmt::format("'{}', where '{}' is expected", token_, word));
    }
  }

  /// Brackets inside each other; the depth of recursion.
  struct Depth {
    explicit Depth(int& depth) : depth_(depth) {
      if (++depth_ > kMostNested) fail("so many brackets inside each other");
    }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    int& depth_;
  };

  /// What is done one after the other is as deep as it is long.
  void count() {
    if (++count_ > kMostOperators) fail("so many operators");
  }

  Expression made(Kind kind, std::string word, Expression a, Expression b) {
    count();
    Expression all{.kind = kind, .word = std::move(word)};
    all.parts.push_back(std::move(a));
    all.parts.push_back(std::move(b));
    return all;
  }

  Expression expression() {
    const Depth depth(depth_);
    Expression value = any();
    if (!take_if("if")) return value;
    Expression all = made(Kind::kIf, "", std::move(value), any());
    expect("else");
    all.parts.push_back(expression());
    return all;
  }
  Expression any() {
    Expression all = both();
    while (take_if("or")) all = made(Kind::kOr, "", std::move(all), both());
    return all;
  }
  Expression both() {
    Expression all = negated();
    while (take_if("and")) all = made(Kind::kAnd, "", std::move(all), negated());
    return all;
  }
  Expression negated() {
    const Depth depth(depth_);
    if (!take_if("not")) return comparison();
    Expression all{.kind = Kind::kNot};
    all.parts.push_back(negated());
    return all;
  }
  Expression comparison() {
    Expression all = sum();
    static constexpr std::string_view kAll[] = {"==", "!=", "<", "<=", ">", ">=", "in", "not"};
    int count = 0;
    while (std::find(std::begin(kAll), std::end(kAll), token_) != std::end(kAll)) {
      if (++count > 1) fail("comparisons in a row");
      std::string op(token_);
      next();
      if (op == "not") {
        expect("in");
        op = "not in";
      }
      all = made(Kind::kCompare, op, std::move(all), sum());
    }
    return all;
  }
  Expression sum() {
    Expression all = product();
    while (token_ == "+" || token_ == "-") {
      std::string op(token_);
      next();
      all = made(Kind::kBinary, std::move(op), std::move(all), product());
    }
    return all;
  }
  Expression product() {
    Expression all = signed_one();
    while (token_ == "*" || token_ == "/" || token_ == "//" || token_ == "%") {
      std::string op(token_);
      next();
      all = made(Kind::kBinary, std::move(op), std::move(all), signed_one());
    }
    return all;
  }
  Expression signed_one() {
    const Depth depth(depth_);
    if (take_if("+")) return signed_one();
    if (!take_if("-")) return power();
    Expression all{.kind = Kind::kNegative};
    all.parts.push_back(signed_one());
    return all;
  }
  Expression power() {
    Expression all = postfix();
    if (take_if("**")) all = made(Kind::kBinary, "**", std::move(all), signed_one());
    return all;
  }
  Expression postfix() {
    Expression all = atom();
    for (;;) {
      if (take_if("[")) {
        all = made(Kind::kIndex, "", std::move(all), expression());
        expect("]");
      } else if (take_if(".")) {
        count();
        Expression method{.kind = Kind::kMethod, .word = std::string(token_)};
        next();
        expect("(");
        method.parts.push_back(std::move(all));
        listed(")", method.parts);
        all = std::move(method);
      } else if (token_ == "(" && all.kind == Kind::kName) {
        next();
        all.kind = Kind::kCall;
        listed(")", all.parts);
      } else {
        return all;
      }
    }
  }

  /// "a, b, c)" or "a for b in c)".
  void listed(std::string_view end, std::vector<Expression>& parts) {
    while (!take_if(end)) {
      Expression one = expression();
      if (token_ == "for") one = comprehension(std::move(one));
      parts.push_back(std::move(one));
      if (!take_if(",") && token_ != end) expect(end);
    }
  }
  Expression comprehension(Expression each) {
    expect("for");
    Expression all{.kind = Kind::kFor, .word = std::string(token_)};
    next();
    expect("in");
    all.parts.push_back(std::move(each));
    all.parts.push_back(any());
    while (take_if("if")) all.parts.push_back(any());
    if (token_ == "for") fail("'for' within 'for'");
    return all;
  }

  Expression atom() {
    const std::string token(token_);
    if (token.empty()) fail("the end, where a value is expected");
    if (token == "(") {
      next();
      Expression all = expression();
      if (token_ == "for") all = comprehension(std::move(all));
      if (token_ == ",") fail("a tuple");
      expect(")");
      return all;
    }
    if (token == "[") {
      next();
      Expression all{.kind = Kind::kList};
      listed("]", all.parts);
      if (all.parts.size() == 1 && all.parts[0].kind == Kind::kFor) {
        Expression only = std::move(all.parts[0]);
        return only;
      }
      return all;
    }
    Expression all;
    if (token[0] == '"' || token[0] == '\'') {
      all.value = {content_};
      next();
      while (!token_.empty() && (token_[0] == '"' || token_[0] == '\'')) {
        all.value = {std::get<std::string>(all.value.is) + content_};
        next();
      }
      return all;
    }
    next();
    if (std::isdigit(static_cast<unsigned char>(token[0])) != 0 || token[0] == '.') {
      const auto whole = base::number_in<int64_t>(token);
      if (whole) {
        if (token.size() > 1 && token[0] == '0' && *whole != 0) fail(fmt::format("'{}'", token));
        all.value = {*whole};
        return all;
      }
      const auto value = base::number_in<double>(token[0] == '.' ? "0" + token : token);
      if (!value || token.find_first_of(".eE") == std::string::npos) {
        fail(fmt::format("'{}'", token));
      }
      all.value = {*value};
      return all;
    }
    if (std::isalpha(static_cast<unsigned char>(token[0])) == 0 && token[0] != '_') {
      fail(fmt::format("'{}'", token));
    }
    if (token == "True" || token == "False") {
      all.value = {token == "True"};
    } else if (token != "None") {
      all.kind = Kind::kName;
      all.word = token;
    }
    return all;
  }

  std::string_view text_;
  std::string_view token_;  // "" at the end.
  std::string content_;     // Of a text.
  int depth_ = 0;
  int count_ = 0;
};

}  // namespace

Expression parsed(std::string_view text) {
  if (text.size() > kMostLetters) fail("an expression of so many letters");
  return Reader(text).run();
}

}  // namespace pathline::campaign::python
