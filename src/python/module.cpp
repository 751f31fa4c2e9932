// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "app/arrow.hpp"
#include "app/finish.hpp"
#include "app/picture.hpp"
#include "app/run_tables.hpp"
#include "render/draw.hpp"
#include "trace/warnings.hpp"

namespace py = pybind11;

namespace pathline::python {
namespace {

/// Becomes pathline.Error.
struct Failure : std::runtime_error {
  explicit Failure(const base::Error& error)
      : std::runtime_error(error.advice.empty()
                               ? error.message
                               : fmt::format("{}\n  {}", error.message, error.advice)) {}
};

template <class T>
T need(base::Result<T> result) {
  if (!result) throw Failure(result.error());
  return std::move(result).value();
}

/// What Python calls a part of a run; see trace::SelectionText.
struct Part {
  std::optional<double> begin_s;
  std::optional<double> end_s;
  std::string ranks;
};

/// A run that was read. Everything is computed without Python's lock.
class Run {
 public:
  Run(const std::filesystem::path& path, bool partial, unsigned threads)
      : path_(path.string()), pool_(std::make_unique<base::ThreadPool>(threads)) {
    base::Progress progress;
    trace_ = std::make_shared<const trace::Trace>(
        need(app::open_run(path, {.partial = partial}, *pool_, progress, warnings_)));
    for (std::string& warning : trace::missing(*trace_)) warnings_.push_back(std::move(warning));
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const trace::Trace& trace() const { return *trace_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  [[nodiscard]] app::DataTable profile(const std::string& by, const Part& part) const {
    return need(app::profile_table(trace_, selection(part), by, *pool_));
  }
  [[nodiscard]] app::DataTable matrix(const std::string& by, std::optional<uint32_t> step,
                                      const Part& part) const {
    return need_here(app::matrix_table(trace_, selection(part), by, step, *pool_));
  }
  [[nodiscard]] app::DataTable waits(const std::string& by, const Part& part) const {
    return need(app::waits_table(trace_, selection(part), by, *pool_));
  }
  [[nodiscard]] app::DataTable steps(bool detect, const Part& part) const {
    return need(app::steps_table(trace_, selection(part), detect, *pool_));
  }
  [[nodiscard]] app::DataTable findings(double min_percent) const {
    return need(app::findings_table(trace_, path_, min_percent, *pool_));
  }
  [[nodiscard]] app::DataTable messages(const Part& part) const {
    return app::messages_table(trace_, selection(part));
  }
  [[nodiscard]] app::DataTable locations() const { return app::locations_table(trace_); }
  [[nodiscard]] app::DataTable regions() const { return app::regions_table(trace_); }
  [[nodiscard]] app::DataTable events(std::optional<uint64_t> id) const {
    if (!id) return app::events_table(trace_, *pool_);
    for (uint32_t i = 0; i < trace_->locations.size(); ++i) {
      if (trace_->locations[i].id == *id) return app::events_table(trace_, i);
    }
    throw Failure({base::ErrorCode::kNotFound,
                   fmt::format("{}: there is no location {}", path_, *id),
                   "run.locations() lists those there are."});
  }

  /// The picture of `kind` as SVG or PNG.
  [[nodiscard]] std::string figure(const std::string& kind, const Part& part, double width,
                                   double height, double scale, bool svg) const {
    const auto parsed = need(app::parse_figure_kind(kind));
    if (parsed > app::FigureKind::kSteps) {
      throw Failure({base::ErrorCode::kInvalidArgument,
                     fmt::format("figure {}: here there are only timeline, matrix, chord, flow, "
                                 "profile, steps",
                                 kind),
                     "'pathline figure' draws the others."});
    }
    figure::Options look;
    look.width_px = width;
    look.height_px = height;
    look.scale = scale;
    look.title = fmt::format("{}: {}", run_name(), kind);
    const auto scene =
        need(app::make_scene(parsed, *trace_, selection(part), look, std::nullopt, *pool_));
    if (svg) return need(render::draw_svg(scene, *pool_));
    const auto image = need(render::draw(scene, *pool_));
    const auto bytes = need(render::encode_png(
        image,
        {{"Title", scene.title}, {"Description", scene.description}, {"Software", "Pathline"}}));
    return {bytes.begin(), bytes.end()};
  }

 private:
  [[nodiscard]] std::string run_name() const {
    std::filesystem::path path(path_);
    if (path.extension() == ".otf2") path = path.parent_path();
    if (!path.has_filename()) path = path.parent_path();
    return path.filename().string();
  }
  /// Says in which run something was not found, as the command line does.
  template <class T>
  T need_here(base::Result<T> result) const {
    if (!result && result.error().code == base::ErrorCode::kNotFound) {
      throw Failure({result.error().code, fmt::format("{}: {}", path_, result.error().message),
                     result.error().advice});
    }
    return need(std::move(result));
  }
  [[nodiscard]] trace::Selection selection(const Part& part) const {
    return need_here(trace::select(
        *trace_, {.from_s = part.begin_s, .until_s = part.end_s, .ranks = part.ranks}));
  }

  std::string path_;
  std::unique_ptr<base::ThreadPool> pool_;
  std::vector<std::string> warnings_;
  app::SharedTrace trace_;
};

const char* dtype_of(app::DataType type) {
  switch (type) {
    case app::DataType::kInt8: return "i1";
    case app::DataType::kUint8: return "u1";
    case app::DataType::kInt32: return "i4";
    case app::DataType::kUint32: return "u4";
    case app::DataType::kInt64: return "i8";
    case app::DataType::kUint64: return "u8";
    case app::DataType::kDouble: break;
  }
  return "f8";
}

/// A view of the values, which its base object keeps alive.
py::array array_of(const app::DataTable& table, const app::DataColumn& column) {
  auto owner = std::make_unique<std::shared_ptr<const void>>(column.owner);
  py::capsule keeper(owner.get(),
                     [](void* held) { delete static_cast<std::shared_ptr<const void>*>(held); });
  owner.release();
  py::array array(py::dtype(dtype_of(column.type)), {table.rows}, {app::width_of(column.type)},
                  column.values, keeper);
  array.attr("flags").attr("writeable") = false;
  return array;
}

const app::DataColumn& column_of(const app::DataTable& table, const std::string& name) {
  const app::DataColumn* column = table.find(name);
  if (column == nullptr) throw py::key_error(name);
  return *column;
}

constexpr const char* kStreamName = "arrow_array_stream";

py::object arrow_stream(const app::DataTable& table) {
  auto stream = std::make_unique<app::ArrowArrayStream>();
  app::export_arrow(table, *stream);
  PyObject* capsule = PyCapsule_New(stream.get(), kStreamName, [](PyObject* object) {
    auto* held = static_cast<app::ArrowArrayStream*>(PyCapsule_GetPointer(object, kStreamName));
    if (held->release != nullptr) held->release(held);  // Nobody has taken it.
    delete held;
  });
  if (capsule == nullptr) {
    stream->release(stream.get());
    throw py::error_already_set();
  }
  stream.release();
  return py::reinterpret_steal<py::object>(capsule);
}

py::list names_of(const std::vector<std::string>& names) {
  py::list list;
  for (const std::string& name : names) {
    list.append(py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace")));
  }
  return list;
}

using NoLock = py::call_guard<py::gil_scoped_release>;
using MaybeSeconds = std::optional<double>;

void add_table(py::module_& module) {
  py::class_<app::DataTable>(module, "DataTable")
      .def("__len__", [](const app::DataTable& table) { return table.rows; })
      .def("columns",
           [](const app::DataTable& table) {
             std::vector<std::string> names;
             for (const auto& column : table.columns) names.push_back(column.name);
             return names;
           })
      .def("values",
           [](const app::DataTable& table, const std::string& name) {
             return array_of(table, column_of(table, name));
           })
      .def("names",
           [](const app::DataTable& table, const std::string& name) -> py::object {
             const auto& column = column_of(table, name);
             if (!column.names) return py::none();
             return names_of(*column.names);
           })
      .def("arrow_stream", arrow_stream);
}

void add_run(py::module_& module) {
  py::class_<Part>(module, "Part").def(py::init<MaybeSeconds, MaybeSeconds, std::string>());
  py::class_<Run>(module, "Run")
      .def(py::init<std::filesystem::path, bool, unsigned>(), NoLock())
      .def("profile", &Run::profile, NoLock())
      .def("matrix", &Run::matrix, NoLock())
      .def("waits", &Run::waits, NoLock())
      .def("steps", &Run::steps, NoLock())
      .def("findings", &Run::findings, NoLock())
      .def("messages", &Run::messages, NoLock())
      .def("locations", &Run::locations, NoLock())
      .def("regions", &Run::regions, NoLock())
      .def("events", &Run::events, NoLock())
      .def("figure",
           [](const Run& run, const std::string& kind, const Part& part, double width,
              double height, double scale, bool svg) {
             std::string bytes;
             {
               const py::gil_scoped_release no_lock;
               bytes = run.figure(kind, part, width, height, scale, svg);
             }
             return py::bytes(bytes);
           })
      .def_property_readonly("path", &Run::path)
      .def_property_readonly("warnings", &Run::warnings)
      .def_property_readonly("format", [](const Run& run) { return run.trace().format; })
      .def_property_readonly("ranks", [](const Run& run) { return run.trace().rank_count; })
      .def_property_readonly("event_count",
                             [](const Run& run) { return run.trace().event_count(); })
      .def_property_readonly("complete", [](const Run& run) { return run.trace().complete; })
      .def_property_readonly("duration_s",
                             [](const Run& run) { return run.trace().duration_seconds(); })
      .def_property_readonly("start_ticks", [](const Run& run) { return run.trace().start_ticks; })
      .def_property_readonly("ticks_per_second", [](const Run& run) {
        return run.trace().definitions.clock.ticks_per_second;
      });
}

}  // namespace
}  // namespace pathline::python

PYBIND11_MODULE(_pathline, module) {
  module.doc() = "What pathline/__init__.py is made of; use that.";
  module.attr("__version__") = PATHLINE_VERSION;
  py::register_exception<pathline::python::Failure>(module, "Error");
  pathline::python::add_table(module);
  pathline::python::add_run(module);
}
