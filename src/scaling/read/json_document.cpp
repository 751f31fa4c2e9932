// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/json_document.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "base/id_map.hpp"
#include "scaling/read/json_events.hpp"
#include "scaling/read/json_shape.hpp"

namespace pathline::scaling {
namespace {

struct Named {
  uint64_t id;
  std::string name;
};

struct Coordinate {
  uint64_t id;
  size_t pair_end;  ///< Its pairs begin where those of the coordinate before end.
};

struct Pair {
  uint64_t parameter_id;
  double value;
};

/// What measurements refer to.
struct Tables {
  std::vector<Named> parameters, call_paths, metrics;
  std::vector<Coordinate> coordinates;
  std::vector<Pair> pairs;
  bool has_parameters = false, has_call_paths = false, has_metrics = false, has_coordinates = false;
};

/// The index of each id in the order of the ids, and what is wrong with them ("" if nothing).
std::string sort_by_id(std::vector<Named>& table, base::IdMap& ids) {
  std::ranges::stable_sort(table, {}, &Named::id);
  for (const Named& named : table) {
    if (!ids.insert(named.id)) return fmt::format("id {} is there twice", named.id);
  }
  return "";
}

class Document final : public JsonEvents {
 public:
  /// Returns false if parsing ended with a fault.
  bool read(std::string_view text) {
    if (!parse(text)) return false;
    if (!is_postponed_) return builder_ ? true : missing();
    if (!prepare()) return false;
    return parse(text);
  }
  ExperimentBuilder& builder() { return *builder_; }
  /// Where in the document the fault is: "measurements[3]/value".
  [[nodiscard]] std::string path() const {
    if (!table_at_fault_.empty()) return table_at_fault_;
    std::string path;
    for (size_t i = 0; i < depth_; ++i) {
      const Frame& frame = frames_[i];
      if (frame.is_array) {
        if (frame.count > 0) path += fmt::format("[{}]", frame.count - 1);
      } else if (!frame.key.empty()) {
        if (i > 0) path += '/';
        path += shown(frame.key);
      }
    }
    return path.empty() ? "the document" : path;
  }

  bool number(double value) override { return scalar(value, nullptr, "a number"); }
  bool other(std::string_view what) override { return scalar(std::nullopt, nullptr, what); }
  bool text(std::string& value) override { return scalar(std::nullopt, &value, "a string"); }

  bool key(std::string& name) override {
    Frame& frame = frames_[depth_ - 1];
    frame.key.assign(name);
    return true;
  }

  bool start(bool is_array) override {
    constexpr size_t kMaxDepth = 64;
    if (depth_ == kMaxDepth) {
      return fail(fmt::format("it is nested deeper than {} levels", kMaxDepth));
    }
    const Role role = depth_ == 0 ? Role::kTop : enter(is_array);
    if (role != Role::kIgnored && is_array_role(role) != is_array) {
      return wrong(is_array ? "an array" : "an object", role);
    }
    if (depth_ == frames_.size()) frames_.emplace_back();
    Frame& frame = frames_[depth_++];
    frame.role = role;
    frame.is_array = is_array;
    frame.count = 0;
    frame.key.clear();
    return begin(role);
  }

  bool end() override {
    const Role role = frames_[depth_ - 1].role;
    // A fault lies in the object as a whole.
    frames_[depth_ - 1].key.clear();
    if (!finish(role)) return false;
    --depth_;
    return true;
  }

 private:
  struct Frame {
    Role role = Role::kIgnored;
    bool is_array = false;
    uint64_t count = 0;  ///< Of elements that have begun.
    std::string key;     ///< The last one of an object.
  };

  bool parse(std::string_view text) {
    depth_ = 0;
    return parse_json(text);
  }

  /// Before an element of the innermost container; which role it has if it is a container.
  Role enter(bool is_array) {
    Frame& frame = frames_[depth_ - 1];
    ++frame.count;
    const Role role = role_within(frame.role, frame.key, is_array);
    if (frame.role != Role::kTop || role == Role::kIgnored) return role;
    if (role != Role::kRows && role != Role::kByPath) {
      return builder_ ? Role::kIgnored : role;  // Tables are complete when measurements are read.
    }
    if (is_postponed_ && !builder_) return Role::kIgnored;
    is_relational_ = role == Role::kRows;
    if (builder_ || tables_are_complete()) return role;
    is_postponed_ = true;
    return Role::kIgnored;
  }

  [[nodiscard]] bool tables_are_complete() const {
    if (!is_relational_) return tables_.has_parameters;
    return tables_.has_parameters && tables_.has_call_paths && tables_.has_metrics &&
           tables_.has_coordinates;
  }

  bool missing() {
    table_at_fault_ = "the document";
    if (!tables_.has_parameters) return fail("there is no member 'parameters'");
    if (is_postponed_ && is_relational_) {
      if (!tables_.has_call_paths) return fail("there is no member 'callpaths'");
      if (!tables_.has_metrics) return fail("there is no member 'metrics'");
      if (!tables_.has_coordinates) return fail("there is no member 'coordinates'");
    }
    return fail("there is no member 'measurements'");
  }

  bool wrong(std::string_view what, Role expected) {
    return fail(fmt::format("found {}, expected {}", what,
                            is_array_role(expected) ? "an array" : "an object"));
  }

  bool begin(Role role) {
    // The pairs within a coordinate have no field of its.
    for (const Field field : fields_of(role)) has_[field] = false;
    switch (role) {
      case Role::kParameters: tables_.has_parameters = true; break;
      case Role::kCallPaths: tables_.has_call_paths = true; break;
      case Role::kMetrics: tables_.has_metrics = true; break;
      case Role::kCoordinates: tables_.has_coordinates = true; break;
      case Role::kRows:
      case Role::kByPath: return builder_ ? true : prepare();
      case Role::kByMetric: call_path_ = builder_->call_path(frames_[depth_ - 2].key); break;
      case Role::kEntries:
        metric_ = builder_->metric(frames_[depth_ - 2].key);
        builder_->declare(call_path_, metric_);
        break;
      case Role::kEntry:
        x_.clear();
        values_.clear();
        has_values_ = false;
        break;
      case Role::kValues: has_values_ = true; break;
      default: break;
    }
    return true;
  }

  /// A value that is no container: a number, a string, or neither.
  bool scalar(std::optional<double> number, std::string* text, std::string_view what) {
    if (depth_ == 0) return wrong(what, Role::kTop);
    const Role container = enter(false);
    const Frame& frame = frames_[depth_ - 1];
    switch (frame.role) {
      case Role::kIgnored: return true;
      case Role::kParameters:
        if (text == nullptr) return fail(fmt::format("found {}, expected a name", what));
        tables_.parameters.push_back({frame.count, *text});
        return true;
      case Role::kPoint: return append(x_, number, text, what);
      case Role::kValues: return append(values_, number, text, what);
      case Role::kEntry:
        if (frame.key == "point") return append(x_, number, text, what);
        if (frame.key != "values") return true;
        has_values_ = true;
        return append(values_, number, text, what);
      default: break;
    }
    for (const Field field : fields_of(frame.role)) {
      if (frame.key == field_name(frame.role, field)) return keep(field, number, text, what);
    }
    return container == Role::kIgnored || wrong(what, container);
  }

  std::optional<double> to_number(std::optional<double> number, const std::string* text,
                                  std::string_view what) {
    if (number) return number;
    if (text != nullptr) number = number_in(*text);
    if (!number) {
      fail(text != nullptr ? no_number(*text) : fmt::format("found {}, expected a number", what));
    }
    return number;
  }

  bool append(std::vector<double>& to, std::optional<double> number, const std::string* text,
              std::string_view what) {
    number = to_number(number, text, what);
    if (number) to.push_back(*number);
    return number.has_value();
  }

  bool keep(Field field, std::optional<double> number, std::string* text, std::string_view what) {
    if (has_[field]) return fail("it is there twice");
    has_[field] = true;
    if (field == kName) {
      if (text == nullptr) return fail(fmt::format("found {}, expected a name", what));
      named_.assign(*text);
      return true;
    }
    number = to_number(number, text, what);
    if (!number) return false;
    if (field == kValue) {
      value_ = *number;
      return true;
    }
    constexpr double kMaxId = 9007199254740992.0;  // Beyond, a double skips some.
    if (!(*number >= 0 && *number < kMaxId) || *number != std::floor(*number)) {
      return fail(fmt::format("found {}, expected an id", *number));
    }
    ids_[field] = uint64_t(*number);
    return true;
  }

  /// At the end of a container.
  bool finish(Role role) {
    for (const Field field : fields_of(role)) {
      if (!has_[field]) {
        return fail(fmt::format("there is no member '{}'", field_name(role, field)));
      }
    }
    switch (role) {
      case Role::kNamed: table_of(frames_[depth_ - 2].role).push_back({ids_[kId], named_}); break;
      case Role::kPair: tables_.pairs.push_back({ids_[kFirstId], value_}); break;
      case Role::kCoordinate:
        tables_.coordinates.push_back({ids_[kId], tables_.pairs.size()});
        break;
      case Role::kRow: return add_row();
      case Role::kEntry: return add_entry();
      default: break;
    }
    return true;
  }

  std::vector<Named>& table_of(Role role) {
    if (role == Role::kParameters) return tables_.parameters;
    return role == Role::kCallPaths ? tables_.call_paths : tables_.metrics;
  }

  bool add_row() {
    const uint32_t call_path = call_path_ids_.find(ids_[kFirstId]);
    const uint32_t metric = metric_ids_.find(ids_[kSecondId]);
    const uint32_t point = coordinate_ids_.find(ids_[kThirdId]);
    if (call_path == base::IdMap::kNone) return no_such("callpath", ids_[kFirstId]);
    if (metric == base::IdMap::kNone) return no_such("metric", ids_[kSecondId]);
    if (point == base::IdMap::kNone) return no_such("coordinate", ids_[kThirdId]);
    builder_->add(call_path_of_[call_path], metric_of_[metric], point_of_[point], value_);
    return true;
  }
  bool no_such(std::string_view what, uint64_t id) {
    return fail(fmt::format("{0}_id is {1}, but no {0} has that id", what, id));
  }

  bool add_entry() {
    if (x_.size() != tables_.parameters.size()) {
      return fail(fmt::format("its point has {}, expected one for each of {}",
                              base::counted(x_.size(), "value", "values"),
                              base::counted(tables_.parameters.size(), "parameter", "parameters")));
    }
    if (!has_values_) return fail("there is no member 'values'");
    const uint32_t point = builder_->point(x_);
    for (const double value : values_) builder_->add(call_path_, metric_, point, value);
    return true;
  }

  /// When all that measurements refer to was read.
  bool prepare() {
    if (!tables_are_complete()) return missing();
    base::IdMap parameter_ids;
    if (!sort(tables_.parameters, "parameters", parameter_ids)) return false;
    std::vector<std::string> names;
    std::unordered_set<std::string_view> known;
    table_at_fault_ = "parameters";
    if (tables_.parameters.empty()) return fail("there are none");
    for (const Named& parameter : tables_.parameters) {
      names.push_back(parameter.name);
      if (!known.insert(parameter.name).second) {
        return fail(fmt::format("'{}' is there twice", shown(parameter.name)));
      }
    }
    builder_.emplace(std::move(names));
    table_at_fault_.clear();
    if (!is_relational_) return true;
    if (!sort(tables_.call_paths, "callpaths", call_path_ids_)) return false;
    if (!sort(tables_.metrics, "metrics", metric_ids_)) return false;
    for (const Named& named : tables_.call_paths) {
      call_path_of_.push_back(builder_->call_path(named.name));
    }
    for (const Named& named : tables_.metrics) metric_of_.push_back(builder_->metric(named.name));
    return prepare_points(parameter_ids);
  }

  bool sort(std::vector<Named>& table, std::string_view name, base::IdMap& ids) {
    table_at_fault_ = name;
    std::string fact = sort_by_id(table, ids);
    if (!fact.empty()) return fail(std::move(fact));
    table_at_fault_.clear();
    return true;
  }

  bool prepare_points(const base::IdMap& parameter_ids) {
    const size_t arity = tables_.parameters.size();
    std::vector<bool> has(arity);
    x_.resize(arity);
    size_t begin = 0;
    for (size_t c = 0; c < tables_.coordinates.size(); ++c) {
      table_at_fault_ = fmt::format("coordinates[{}]", c);
      const Coordinate& coordinate = tables_.coordinates[c];
      if (coordinate.pair_end - begin != arity) {
        return fail(fmt::format("it has {}, expected one for each of {}",
                                base::counted(coordinate.pair_end - begin, "value", "values"),
                                base::counted(arity, "parameter", "parameters")));
      }
      std::fill(has.begin(), has.end(), false);
      for (; begin < coordinate.pair_end; ++begin) {
        const Pair& pair = tables_.pairs[begin];
        const uint32_t parameter = parameter_ids.find(pair.parameter_id);
        if (parameter == base::IdMap::kNone) return no_such("parameter", pair.parameter_id);
        if (has[parameter]) {
          return fail(fmt::format("parameter_id {} is there twice", pair.parameter_id));
        }
        has[parameter] = true;
        x_[parameter] = pair.value;
      }
      if (!coordinate_ids_.insert(coordinate.id)) {
        return fail(fmt::format("id {} is there twice", coordinate.id));
      }
      point_of_.push_back(builder_->point(x_));
    }
    table_at_fault_.clear();
    return true;
  }

  std::vector<Frame> frames_;
  size_t depth_ = 0;
  Tables tables_;
  bool is_relational_ = false;
  bool is_postponed_ = false;  // Measurements came before their tables.
  std::string table_at_fault_;
  std::optional<ExperimentBuilder> builder_;
  base::IdMap call_path_ids_, metric_ids_, coordinate_ids_;
  std::vector<uint32_t> call_path_of_, metric_of_, point_of_;
  // Of the innermost object:
  std::array<bool, kFieldCount> has_{};
  std::array<uint64_t, kFieldCount> ids_{};
  std::string named_;
  double value_ = 0;
  uint32_t call_path_ = 0;
  uint32_t metric_ = 0;
  std::vector<double> x_, values_;
  bool has_values_ = false;
};

}  // namespace

base::Result<Experiment> read_json(std::string_view text, const std::string& name) {
  Document document;
  if (document.read(text)) return std::move(document.builder()).finish();
  if (document.position() == 0) return cannot_read(name, document.path(), document.fault());
  const std::string_view read = text.substr(0, document.position());
  const auto line =
      std::ranges::count(read.substr(0, read.empty() ? 0 : read.size() - 1), '\n') + 1;
  const size_t line_begin = read.substr(0, read.empty() ? 0 : read.size() - 1).rfind('\n') + 1;
  return cannot_read(name, fmt::format("line {}, column {}", line, read.size() - line_begin),
                     document.fault());
}

}  // namespace pathline::scaling
