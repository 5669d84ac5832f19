// Columns of any type as texts.
#pragma once

#include <arrow/api.h>

#include <memory>
#include <vector>

namespace portatune::arrow_plugin {

/// The batches of `input`, each validated, with some of its columns, which become texts (large_utf8) as read_jsonl has
/// them: numbers, true and false as JSON spells them, lists and structs as JSON, dates and times as ISO 8601; null is
/// an empty text. Bytes, and structs {bytes, path} as `datasets` has for images, become large_binary.
/// columns  their places in the input's schema, in the order wanted
/// errors   Status for a type that has no text; in ReadNext also for what is wrong with a batch. A text alone that is
///          not UTF-8 becomes null; std::bad_alloc where `pool` has no more memory
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> text_batches(std::shared_ptr<arrow::RecordBatchReader> input,
                                                                      const std::vector<int>& columns,
                                                                      arrow::MemoryPool* pool);

}  // namespace portatune::arrow_plugin
