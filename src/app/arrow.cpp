// SPDX-License-Identifier: BSD-3-Clause
#include "app/arrow.hpp"

#include <cerrno>
#include <new>

namespace pathline::app {
namespace {

const char* format_of(DataType type) {
  switch (type) {
    case DataType::kInt8: return "c";
    case DataType::kUint8: return "C";
    case DataType::kInt32: return "i";
    case DataType::kUint32: return "I";
    case DataType::kInt64: return "l";
    case DataType::kUint64: return "L";
    case DataType::kDouble: break;
  }
  return "g";
}

// A parent owns its children; one that was moved out of it has no release function any more.

struct SchemaMemory {
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  ArrowSchema dictionary{};
};

void release_schema(ArrowSchema* schema) {
  auto* memory = static_cast<SchemaMemory*>(schema->private_data);
  for (ArrowSchema& child : memory->children) {
    if (child.release != nullptr) child.release(&child);
  }
  if (memory->dictionary.release != nullptr) memory->dictionary.release(&memory->dictionary);
  delete memory;
  schema->release = nullptr;
}

void fill(ArrowSchema& schema, const char* format, std::unique_ptr<SchemaMemory> memory) {
  schema = {.format = format, .name = memory->name.c_str(), .release = release_schema};
  for (ArrowSchema& child : memory->children) memory->pointers.push_back(&child);
  schema.n_children = static_cast<int64_t>(memory->children.size());
  if (!memory->children.empty()) schema.children = memory->pointers.data();
  if (memory->dictionary.release != nullptr) schema.dictionary = &memory->dictionary;
  schema.private_data = memory.release();
}

void fill(ArrowSchema& schema, const DataColumn& column) {
  auto memory = std::make_unique<SchemaMemory>();
  memory->name = column.name;
  if (column.names) fill(memory->dictionary, "U", std::make_unique<SchemaMemory>());
  fill(schema, format_of(column.type), std::move(memory));
}

void fill(ArrowSchema& schema, const DataTable& table) {
  auto memory = std::make_unique<SchemaMemory>();
  memory->children.resize(table.columns.size());
  for (size_t i = 0; i < table.columns.size(); ++i) fill(memory->children[i], table.columns[i]);
  fill(schema, "+s", std::move(memory));
}

struct ArrayMemory {
  std::shared_ptr<const void> owner;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  ArrowArray dictionary{};
  // Of a dictionary: its texts, one after the other.
  std::vector<int64_t> offsets;
  std::string text;
};

void release_array(ArrowArray* array) {
  auto* memory = static_cast<ArrayMemory*>(array->private_data);
  for (ArrowArray& child : memory->children) {
    if (child.release != nullptr) child.release(&child);
  }
  if (memory->dictionary.release != nullptr) memory->dictionary.release(&memory->dictionary);
  delete memory;
  array->release = nullptr;
}

void fill(ArrowArray& array, size_t length, std::unique_ptr<ArrayMemory> memory) {
  array = {.length = static_cast<int64_t>(length), .release = release_array};
  for (ArrowArray& child : memory->children) memory->pointers.push_back(&child);
  array.n_buffers = static_cast<int64_t>(memory->buffers.size());
  array.buffers = memory->buffers.data();
  array.n_children = static_cast<int64_t>(memory->children.size());
  if (!memory->children.empty()) array.children = memory->pointers.data();
  if (memory->dictionary.release != nullptr) array.dictionary = &memory->dictionary;
  array.private_data = memory.release();
}

void fill(ArrowArray& array, const std::vector<std::string>& names) {
  auto memory = std::make_unique<ArrayMemory>();
  memory->offsets.push_back(0);
  for (const std::string& name : names) {
    memory->text += name;
    memory->offsets.push_back(static_cast<int64_t>(memory->text.size()));
  }
  memory->buffers = {nullptr, memory->offsets.data(), memory->text.data()};
  fill(array, names.size(), std::move(memory));
}

void fill(ArrowArray& array, const DataColumn& column, size_t rows) {
  auto memory = std::make_unique<ArrayMemory>();
  memory->owner = column.owner;
  memory->buffers = {nullptr, column.values};
  if (column.names) fill(memory->dictionary, *column.names);
  fill(array, rows, std::move(memory));
}

void fill(ArrowArray& array, const DataTable& table) {
  auto memory = std::make_unique<ArrayMemory>();
  memory->buffers = {nullptr};
  memory->children.resize(table.columns.size());
  for (size_t i = 0; i < table.columns.size(); ++i) {
    fill(memory->children[i], table.columns[i], table.rows);
  }
  fill(array, table.rows, std::move(memory));
}

struct StreamMemory {
  DataTable table;
  bool done = false;
};

int get_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
  try {
    fill(*schema, static_cast<StreamMemory*>(stream->private_data)->table);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

int get_next(ArrowArrayStream* stream, ArrowArray* array) {
  auto& memory = *static_cast<StreamMemory*>(stream->private_data);
  if (memory.done) {  // An array that is released says that there is no more.
    *array = {};
    return 0;
  }
  try {
    fill(*array, memory.table);
    memory.done = true;
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

const char* last_error(ArrowArrayStream* /*stream*/) { return nullptr; }

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<StreamMemory*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void export_arrow(const DataTable& table, ArrowArrayStream& stream) {
  stream = {.get_schema = get_schema,
            .get_next = get_next,
            .get_last_error = last_error,
            .release = release_stream,
            .private_data = new StreamMemory{.table = table}};
}

}  // namespace pathline::app
