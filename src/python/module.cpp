// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "app/arrow.hpp"
#include "python/interrupt.hpp"
#include "python/run.hpp"

namespace py = pybind11;

namespace pathline::python {
namespace {

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

/// A method of Run as a function for Python.
template <class Result, class... Arguments>
auto calls(Result (Run::*method)(Arguments...) const) {
  return [method](const Run& run, const std::decay_t<Arguments>&... arguments) {
    return interruptible([&] { return (run.*method)(arguments...); });
  };
}

void add_run(py::module_& module) {
  py::class_<Part>(module, "Part").def(py::init<MaybeSeconds, MaybeSeconds, std::string>());
  py::class_<Look>(module, "Look")
      .def(py::init([](double width, double height, double scale, bool svg) {
        return Look{width, height, scale, svg};
      }));
  py::class_<Run>(module, "Run")
      .def(py::init([](const std::filesystem::path& path, bool partial, unsigned threads) {
        return interruptible([&] { return std::make_unique<Run>(path, partial, threads); });
      }))
      .def("profile", calls(&Run::profile))
      .def("matrix", calls(&Run::matrix))
      .def("waits", calls(&Run::waits))
      .def("steps", calls(&Run::steps))
      .def("findings", calls(&Run::findings))
      .def("efficiency", calls<Run::Judged, const std::string&, const Part&>(&Run::efficiency))
      .def("critical", calls(&Run::critical))
      .def("messages", calls(&Run::messages))
      .def("locations", calls(&Run::locations))
      .def("regions", calls(&Run::regions))
      .def("events", calls(&Run::events))
      .def("timeline",
           [](const Run& run, uint32_t width, const Part& part) {
             auto [table, bin_s] = interruptible([&] { return run.timeline(width, part); });
             return std::pair(std::move(table), bin_s);
           })
      .def("figure",
           [](const Run& run, const std::string& kind, const Part& part, const Look& look) {
             auto [bytes, notes] = interruptible([&] { return run.figure(kind, part, look); });
             return std::pair(py::bytes(bytes), std::move(notes));
           })
      .def_property_readonly("path", &Run::path)
      .def_property_readonly("source", &Run::source)
      .def_property_readonly("warnings", &Run::warnings)
      .def_property_readonly("format", &Run::format)
      .def_property_readonly("ranks", [](const Run& run) { return run.trace().rank_count; })
      .def_property_readonly("event_count", &Run::event_count)
      .def_property_readonly("complete", [](const Run& run) { return run.trace().complete; })
      .def_property_readonly("duration_s", &Run::duration_s)
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
  py::register_local_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised) std::rethrow_exception(std::move(raised));
    } catch (const std::bad_alloc&) {
      PyErr_SetString(PyExc_MemoryError,
                      "there is not enough memory for this: a part of the time or fewer locations "
                      "need less");
    }
  });
  pathline::python::add_table(module);
  pathline::python::add_run(module);
}
