// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/json_events.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace pathline::scaling {

/// What nlohmann's SAX parser calls.
struct JsonEvents::Parser {
  JsonEvents& events;

  bool null() const { return events.other("null"); }
  bool boolean(bool value) const { return events.other(value ? "true" : "false"); }
  bool number_integer(int64_t value) const { return events.number(double(value)); }
  bool number_unsigned(uint64_t value) const { return events.number(double(value)); }
  bool number_float(double value, const std::string& /*word*/) const {
    return events.number(value);
  }
  bool string(std::string& value) const { return events.text(value); }
  bool binary(nlohmann::json::binary_t& /*value*/) const { return events.other("binary data"); }
  bool start_object(size_t /*size*/) const { return events.start(false); }
  bool start_array(size_t /*size*/) const { return events.start(true); }
  bool end_object() const { return events.end(); }
  bool end_array() const { return events.end(); }
  bool key(std::string& name) const { return events.key(name); }

  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) const {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
    std::string_view fact = error.what();
    fact.remove_prefix(std::min(fact.find("] "), fact.size() - 2) + 2);
    if (fact.starts_with("parse error at")) {
      fact.remove_prefix(std::min(fact.find(": "), fact.size() - 2) + 2);
    }
    events.position_ = position;
    // The word that was read last may be long; what was expected stands behind it.
    constexpr size_t kLongest = 240;
    if (fact.size() <= kLongest) return events.fail(base::printable(fact));
    return events.fail(base::printable(fact.substr(0, kLongest / 2)) + "..." +
                       base::printable(fact.substr(fact.size() - kLongest / 4)));
  }
};

bool JsonEvents::parse_json(std::string_view text) {
  Parser parser{*this};
  return nlohmann::json::sax_parse(text.begin(), text.end(), &parser);
}

}  // namespace pathline::scaling
