// Tables of other packages, which they give as Arrow C streams, as files of rows.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "portatune/error.h"
#include "portatune/python/arrow/json_column.h"
#include "portatune/python/bindings.h"
#include "portatune/python/calling_thread.h"
#include "portatune/run/records/append_file.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

constexpr size_t kBytesOfWrite = size_t{1} << 20;

// A struct of the interface, which is released at the end.
template <class Struct>
class Owned {
 public:
  Owned() = default;
  // Takes over the content of another struct.
  explicit Owned(Struct& other) : content_(other) { other.release = nullptr; }
  ~Owned() {
    if (content_.release != nullptr) content_.release(&content_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Struct* get() { return &content_; }
  Struct* operator->() { return &content_; }
  Struct& operator*() { return content_; }
  bool is_released() const { return content_.release == nullptr; }

 private:
  Struct content_ = {};
};

void require_success(int code, ArrowArrayStream& stream) {
  if (code == 0) return;
  const char* const reason = stream.get_last_error(&stream);
  throw DataError({.where = "Arrow stream",
                   .given = reason != nullptr ? std::string(reason) : "error " + std::to_string(code),
                   .expected = "a stream that can be read"});
}

Owned<ArrowArrayStream> taken(nb::handle capsule) {
  auto* const stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  if (stream->release == nullptr) {
    throw UsageError({.where = "Arrow stream", .given = "one that was read before", .expected = "a new one"});
  }
  return Owned<ArrowArrayStream>(*stream);
}

// Appends the rows of a batch to a file.
// row  number of rows before the batch, for errors
void append_batch(const JsonColumn& column, const ArrowArray& batch, int64_t row, run::AppendFile& file) {
  std::string lines;
  for (int64_t i = 0; i < batch.length; ++i) {
    try {
      column.append(batch, i, lines);
    } catch (Error& error) {
      error.set_context("row " + std::to_string(row + i));
      throw;
    }
    lines += '\n';
    if (lines.size() < kBytesOfWrite) continue;
    file.append(lines);
    lines.clear();
    stop_if_requested();
  }
  file.append(lines);
}

void write_rows(ArrowArrayStream& stream, const JsonColumn& column, const std::filesystem::path& path) {
  run::AppendFile file(path);
  for (int64_t row = 0;;) {
    Owned<ArrowArray> batch;
    require_success(stream.get_next(&stream, batch.get()), stream);
    if (batch.is_released()) return;
    append_batch(column, *batch, row, file);
    row += batch->length;
  }
}

// returns  false if a column has a type without a form in JSON; nothing is read or written then
bool append_arrow_rows(nb::handle capsule, const std::string& path) {
  Owned<ArrowArrayStream> stream = taken(capsule);
  bool has_form = false;
  CallingThread caller;
  caller.run([&] {
    Owned<ArrowSchema> schema;
    require_success(stream->get_schema(stream.get(), schema.get()), *stream);
    const bool has_columns = schema->format == std::string_view("+s");
    const std::unique_ptr<const JsonColumn> column = has_columns ? json_column(*schema) : nullptr;
    has_form = column != nullptr;
    if (has_form) write_rows(*stream, *column, path);
  });
  return has_form;
}

}  // namespace

void bind_arrow_rows(nb::module_& module) {
  module.def(
      "append_arrow_rows", append_arrow_rows, nb::arg("stream"), nb::arg("path"),
      nb::sig("def append_arrow_rows(stream: object, path: str) -> bool"),
      "Appends the rows of an Arrow C stream, a capsule, to a file of JSON Lines. False, and nothing is written, "
      "if a column has a type without a form there.");
}

}  // namespace portatune::python
