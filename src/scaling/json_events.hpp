// SPDX-License-Identifier: BSD-3-Clause
//
// What both readers of JSON share; no interface of the layer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "scaling/read_parts.hpp"

namespace pathline::scaling {

/// The events of nlohmann's SAX parser, brought down to those that measurements consist of. A
/// handler that returns false ends the parsing; fault() then says why.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;

  virtual bool number(double value) = 0;
  virtual bool text(std::string& value) = 0;
  virtual bool other(std::string_view what) = 0;  ///< null, true, false.
  virtual bool start(bool is_array) = 0;
  virtual bool end() = 0;
  virtual bool key(std::string& name) = 0;

  bool null() { return other("null"); }
  bool boolean(bool value) { return other(value ? "true" : "false"); }
  bool number_integer(int64_t value) { return number(double(value)); }
  bool number_unsigned(uint64_t value) { return number(double(value)); }
  bool number_float(double value, const std::string& /*word*/) { return number(value); }
  bool string(std::string& value) { return text(value); }
  bool binary(nlohmann::json::binary_t& /*value*/) { return other("binary data"); }
  bool start_object(size_t /*size*/) { return start(false); }
  bool start_array(size_t /*size*/) { return start(true); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error);

  /// "" if all is well.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  /// Of the first letter that is no JSON, from 1; 0 if that is not what is wrong.
  [[nodiscard]] size_t position() const { return position_; }

 protected:
  bool fail(std::string fact) {
    fault_ = std::move(fact);
    return false;
  }
  void forgive() {
    fault_.clear();
    position_ = 0;
  }

 private:
  std::string fault_;
  size_t position_ = 0;
};

inline bool JsonEvents::parse_error(size_t position, const std::string& /*token*/,
                                    const nlohmann::json::exception& error) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
  std::string_view fact = error.what();
  fact.remove_prefix(std::min(fact.find("] "), fact.size() - 2) + 2);
  if (fact.starts_with("parse error at")) {
    fact.remove_prefix(std::min(fact.find(": "), fact.size() - 2) + 2);
  }
  position_ = position;
  // The word that was read last may be long; what was expected stands behind it.
  constexpr size_t kLongest = 240;
  if (fact.size() <= kLongest) return fail(base::printable(fact));
  return fail(base::printable(fact.substr(0, kLongest / 2)) + "..." +
              base::printable(fact.substr(fact.size() - kLongest / 4)));
}

}  // namespace pathline::scaling
