// Conversion of columns of any type to text.
#pragma once

#include <arrow/api.h>

#include <memory>
#include <vector>

namespace portatune::arrow_plugin {

/// The batches of `input`, each validated, with selected columns. Values become text (large_utf8) in the form of
/// read_jsonl: numbers, true and false as in JSON, lists and structs as JSON, dates and times as ISO 8601, null as
/// empty text. Bytes, and the structs {bytes, path} of images in `datasets`, become large_binary.
/// columns  indices in the input's schema, in the requested order
/// errors   Status for a type without a text form; in ReadNext also for a faulty batch. Top-level text that is not
///          UTF-8
///          becomes null. std::bad_alloc if `pool` is exhausted
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> text_batches(std::shared_ptr<arrow::RecordBatchReader> input,
                                                                      const std::vector<int>& columns,
                                                                      arrow::MemoryPool* pool);

}  // namespace portatune::arrow_plugin
