#include "portatune/train/program/batch_shapes.h"

#include <algorithm>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::train {
namespace {

Signature signature_of(const Task& task, const data::BatchType& batch) {
  Signature signature;
  const auto take = [&](const std::string& name) {
    const auto found = std::ranges::find(batch, name, &data::BatchType::value_type::first);
    if (found != batch.end()) signature.push_back(*found);
    return found != batch.end();
  };
  for (const std::string& name : task.inputs()) {
    if (!take(name)) return {};
  }
  for (const std::string& name : task.optional_inputs()) take(name);
  return signature;
}

// The arrays of `batch` that differ from those of `known`.
std::string difference(const Signature& batch, const Signature& known) {
  std::string text;
  for (const auto& array : batch) {
    if (std::ranges::find(known, array) != known.end()) continue;
    text += (text.empty() ? "" : ", ") + array.first + " " + to_string(array.second);
  }
  return text;
}

}  // namespace

Signature signature_of(const Task& task, const data::Example& batch) {
  Signature signature;
  for (const std::string& name : task.inputs()) signature.emplace_back(name, batch.tensor(name).type());
  for (const std::string& name : task.optional_inputs()) {
    if (batch.has(name)) signature.emplace_back(name, batch.tensor(name).type());
  }
  return signature;
}

std::string describe(const Signature& signature) {
  std::string text;
  for (const auto& [name, type] : signature) text += (text.empty() ? "" : ", ") + name + " " + to_string(type);
  return text;
}

BatchShapes::BatchShapes(const Task& task, const data::Example& first) {
  for (const data::BatchType& type : first.batch_types()) all_.push_back(signature_of(task, type));
  // The first batch declares no shapes, or its declaration is outdated because a map has changed the batches.
  const Signature own = signature_of(task, first);
  if (std::ranges::find(all_, own) == all_.end()) all_ = {own};
}

void BatchShapes::require(const Task& task, const data::Example& batch) const {
  const Signature own = signature_of(task, batch);
  if (std::ranges::find(all_, own) != all_.end()) return;
  std::vector<std::string> known;
  for (const Signature& signature : all_) known.push_back(difference(signature, own));
  throw DataError({.where = "the batch that begins at " + to_string(batch.origin()),
                   .given = difference(own, all_.front()),
                   .expected = "a shape with a compiled program: " + list_of(known),
                   .fix = "make batches by padded_batch or bucket_by_length, which declare all of their shapes"});
}

}  // namespace portatune::train
