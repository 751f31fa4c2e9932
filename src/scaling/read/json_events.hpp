// SPDX-License-Identifier: BSD-3-Clause
//
// What both readers of JSON share; no interface of the layer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scaling/read/read_parts.hpp"

namespace pathline::scaling {

/// The events of a JSON parser, brought down to those that measurements consist of. A handler that
/// returns false ends the parsing; fault() then says why.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;

  virtual bool number(double value) = 0;
  virtual bool text(std::string& value) = 0;
  virtual bool other(std::string_view what) = 0;  ///< null, true, false.
  virtual bool start(bool is_array) = 0;
  virtual bool end() = 0;
  virtual bool key(std::string& name) = 0;

  /// Hands over what stands in `text`; false if a handler said so or it is no JSON.
  bool parse_json(std::string_view text);

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
  struct Parser;  ///< nlohmann's, which is compiled once.

  std::string fault_;
  size_t position_ = 0;
};

}  // namespace pathline::scaling
