#include "portatune/io/arrow/text_batches.h"

#include <arrow/builder.h>
#include <arrow/util/utf8.h>

#include "portatune/io/arrow/json_text.h"

namespace portatune::arrow_plugin {
namespace {

using arrow::Result;
using arrow::Status;

// The form in which a column is passed on.
enum class Form { kText, kBytes, kImage };

// Returns whether a type is the image struct of `datasets`: bytes, or else a path.
bool is_image(const arrow::DataType& type) {
  if (type.id() != arrow::Type::STRUCT || type.num_fields() != 2) return false;
  const auto& fields = static_cast<const arrow::StructType&>(type);
  const auto bytes = fields.GetFieldByName("bytes"), path = fields.GetFieldByName("path");
  return bytes && path && arrow::is_binary(bytes->type()->id()) && arrow::is_string(path->type()->id());
}

Result<Form> form_of(const arrow::Field& field) {
  const arrow::DataType& type = *field.type();
  if (is_image(type)) return Form::kImage;
  if (arrow::is_binary(type.id()) || type.id() == arrow::Type::FIXED_SIZE_BINARY) return Form::kBytes;
  if (has_json(type)) return Form::kText;
  return Status::NotImplemented("a column '", field.name(), "' of type ", type.ToString());
}

std::string_view bytes_at(const arrow::Array& array, int64_t row) {
  if (array.type_id() == arrow::Type::FIXED_SIZE_BINARY) {
    return static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row);
  }
  if (array.type_id() == arrow::Type::LARGE_BINARY || array.type_id() == arrow::Type::LARGE_STRING) {
    return static_cast<const arrow::LargeBinaryArray&>(array).GetView(row);
  }
  return static_cast<const arrow::BinaryArray&>(array).GetView(row);
}

std::string_view image_at(const arrow::StructArray& images, int64_t row) {
  for (const char* name : {"bytes", "path"}) {
    const std::shared_ptr<arrow::Array> field = images.GetFieldByName(name);
    if (!field->IsNull(row)) return bytes_at(*field, row);
  }
  return {};
}

// The same array, with text typed as bytes, which need not be UTF-8.
Result<std::shared_ptr<arrow::Array>> as_bytes(const arrow::Array& array) {
  if (array.type_id() == arrow::Type::STRING) return array.View(arrow::binary());
  if (array.type_id() == arrow::Type::LARGE_STRING) return array.View(arrow::large_binary());
  return arrow::MakeArray(array.data());
}

// Requires that all values lie within the array. Returns whether all text is UTF-8: outside lists and structs a bad
// text affects only its own row.
Result<bool> validate(const arrow::Array& array) {
  if (array.ValidateFull().ok()) return true;
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> bytes, as_bytes(array));
  ARROW_RETURN_NOT_OK(bytes->ValidateFull());
  return false;
}

// Converts values to text; text that is not UTF-8 becomes null.
Result<std::shared_ptr<arrow::Array>> texts_of(const arrow::Array& array, bool all_are_utf8, arrow::MemoryPool* pool) {
  arrow::LargeStringBuilder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(array.length()));
  Text text(pool);
  for (int64_t row = 0; row < array.length(); ++row) {
    text.clear();
    ARROW_RETURN_NOT_OK(append_text(array, row, text));
    const bool is_utf8 = all_are_utf8 || arrow::util::ValidateUTF8(text);
    ARROW_RETURN_NOT_OK(is_utf8 ? builder.Append(text) : builder.AppendNull());
  }
  return builder.Finish();
}

Result<std::shared_ptr<arrow::Array>> bytes_of(const arrow::Array& array, Form form, arrow::MemoryPool* pool) {
  arrow::LargeBinaryBuilder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(array.length()));
  for (int64_t row = 0; row < array.length(); ++row) {
    const bool is_null = array.IsNull(row);
    const std::string_view bytes = is_null                ? std::string_view()
                                   : form == Form::kImage ? image_at(static_cast<const arrow::StructArray&>(array), row)
                                                          : bytes_at(array, row);
    ARROW_RETURN_NOT_OK(builder.Append(bytes));
  }
  return builder.Finish();
}

class TextBatches final : public arrow::RecordBatchReader {
 public:
  TextBatches(std::shared_ptr<arrow::RecordBatchReader> input, std::vector<int> columns, std::vector<Form> forms,
              arrow::MemoryPool* pool)
      : input_(std::move(input)), columns_(std::move(columns)), forms_(std::move(forms)), pool_(pool) {
    arrow::FieldVector fields;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto type = forms_[i] == Form::kText ? arrow::large_utf8() : arrow::large_binary();
      fields.push_back(arrow::field(input_->schema()->field(columns_[i])->name(), type));
    }
    schema_ = arrow::schema(std::move(fields));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    std::shared_ptr<arrow::RecordBatch> given;
    ARROW_RETURN_NOT_OK(input_->ReadNext(&given));
    if (!given) return Status::OK();
    ARROW_RETURN_NOT_OK(given->Validate());
    arrow::ArrayVector arrays;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const arrow::Array& array = *given->column(columns_[i]);
      ARROW_ASSIGN_OR_RAISE(const bool all_are_utf8, validate(array));
      ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(), forms_[i] == Form::kText ? texts_of(array, all_are_utf8, pool_)
                                                                            : bytes_of(array, forms_[i], pool_));
    }
    *batch = arrow::RecordBatch::Make(schema_, given->num_rows(), std::move(arrays));
    return Status::OK();
  }

 private:
  std::shared_ptr<arrow::RecordBatchReader> input_;
  std::vector<int> columns_;
  std::vector<Form> forms_;
  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

Result<std::shared_ptr<arrow::RecordBatchReader>> text_batches(std::shared_ptr<arrow::RecordBatchReader> input,
                                                               const std::vector<int>& columns,
                                                               arrow::MemoryPool* pool) {
  std::vector<Form> forms;
  for (const int column : columns) {
    ARROW_ASSIGN_OR_RAISE(forms.emplace_back(), form_of(*input->schema()->field(column)));
  }
  return std::make_shared<TextBatches>(std::move(input), columns, std::move(forms), pool);
}

}  // namespace portatune::arrow_plugin
