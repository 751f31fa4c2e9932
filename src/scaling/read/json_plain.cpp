// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/json_plain.hpp"

#include <charconv>

namespace pathline::scaling {
namespace {

constexpr int kMaxDepth = 8;

}  // namespace

bool PlainScanner::scan(std::string_view line, JsonEvents& events) {
  at_ = line.data();
  end_ = at_ + line.size();
  return value(events, 0) && next() == 0 && at_ == end_;
}

/// The first letter behind blanks, 0 at the end.
char PlainScanner::next() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  return at_ < end_ ? *at_ : char{0};
}

bool PlainScanner::value(JsonEvents& events, int depth) {
  if (depth == kMaxDepth) return false;
  switch (next()) {
    case '{': return object(events, depth);
    case '[': return array(events, depth);
    case '"': return string() && events.text(string_);
    default: return number(events);
  }
}

bool PlainScanner::object(JsonEvents& events, int depth) {
  ++at_;
  if (!events.start(false)) return false;
  if (next() != '}') {
    do {
      if (next() != '"' || !string() || !events.key(string_) || next() != ':') return false;
      ++at_;
      if (!value(events, depth + 1)) return false;
    } while (separator());
  }
  if (next() != '}') return false;
  ++at_;
  return events.end();
}

bool PlainScanner::array(JsonEvents& events, int depth) {
  ++at_;
  if (!events.start(true)) return false;
  if (next() != ']') {
    do {
      if (!value(events, depth + 1)) return false;
    } while (separator());
  }
  if (next() != ']') return false;
  ++at_;
  return events.end();
}

bool PlainScanner::separator() {
  const char c = next();
  if (c != ',' && !(c == ';' && takes_semicolons_)) return false;
  ++at_;
  return true;
}

bool PlainScanner::string() {
  const char* const begin = ++at_;
  while (at_ < end_ && *at_ != '"') {
    const auto byte = static_cast<unsigned char>(*at_++);
    if (byte < 0x20 || byte >= 0x7f || byte == '\\') return false;
  }
  if (at_ == end_) return false;
  string_.assign(begin, at_++);
  return true;
}

size_t PlainScanner::digits() {
  const char* const begin = at_;
  while (at_ < end_ && *at_ >= '0' && *at_ <= '9') ++at_;
  return size_t(at_ - begin);
}

/// JSON allows fewer forms than from_chars does.
bool PlainScanner::number(JsonEvents& events) {
  const char* const begin = at_;
  if (at_ < end_ && *at_ == '-') ++at_;
  const bool zero = at_ < end_ && *at_ == '0';
  const size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (at_ < end_ && *at_ == '.') {
    ++at_;
    if (digits() == 0) return false;
  }
  if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (digits() == 0) return false;
  }
  double value = 0;
  if (std::from_chars(begin, at_, value).ec != std::errc()) return false;
  return events.number(value);
}

}  // namespace pathline::scaling
