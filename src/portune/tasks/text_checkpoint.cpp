#include "portune/tasks/text_checkpoint.h"

#include "portune/error.h"
#include "portune/io/file.h"
#include "portune/io/safetensors.h"
#include "portune/tasks/initial_weights.h"

namespace portune::tasks {

TextCheckpoint::TextCheckpoint(const std::filesystem::path& folder, int64_t max_length)
    : folder_(hub::ModelFolder::open(folder)),
      tokenizer_(text::Tokenizer::load(folder)),
      model_(models::text_model(folder_.config())),
      max_length_(max_length),
      pad_id_(tokenizer_.pad_id().value_or(static_cast<int32_t>(config().get_int_or("pad_token_id", 0)))) {
  check();
}

void TextCheckpoint::check() const {
  const models::TextModelFacts& facts = model_->facts();
  if (max_length_ < 3 || max_length_ > facts.max_length) {
    throw UsageError({.where = "max_length",
                      .given = std::to_string(max_length_),
                      .expected = "3 to " + std::to_string(facts.max_length) + ", the positions of the model"});
  }
  if (tokenizer_.vocab_size() > facts.vocab_size) {
    throw CheckpointError({.where = folder_.path().string(),
                           .given = "a tokenizer of " + std::to_string(tokenizer_.vocab_size()) +
                                    " tokens and an embedding of " + std::to_string(facts.vocab_size),
                           .expected = "an embedding for every token"});
  }
}

std::vector<std::string> TextCheckpoint::columns() const {
  std::vector<std::string> names = {"input_ids", "attention_mask"};
  if (has_types()) names.emplace_back("token_type_ids");
  return names;
}

data::Example TextCheckpoint::encode(const data::Example& row, const text::TextPair& texts) const {
  std::vector<int32_t> ids, type_ids;
  try {
    const std::lock_guard lock(encoder_mutex_);
    encoder_.append(texts, {.max_length = max_length_}, ids, has_types() ? &type_ids : nullptr);
  } catch (Error& error) {
    error.set_context(to_string(row.origin()));
    throw;
  }
  return from_ids(row.origin(), ids, type_ids);
}

data::Example TextCheckpoint::from_ids(const data::Origin& origin, std::span<const int32_t> ids,
                                       std::span<const int32_t> type_ids) const {
  const Shape length{static_cast<int64_t>(ids.size())};
  data::Example example(origin);
  example.set("input_ids", Tensor(length, ids));
  example.set("attention_mask", Tensor(length, std::span<const int32_t>(std::vector<int32_t>(ids.size(), 1))));
  if (has_types()) {
    example.set("token_type_ids",
                type_ids.empty() ? Tensor(TensorType{DType::kInt32, length}) : Tensor(length, type_ids));
  }
  return example;
}

data::Dataset TextCheckpoint::batches(const data::Dataset& examples, int64_t size,
                                      std::map<std::string, double> pad_values) const {
  if (size < 1) throw UsageError({.where = "batch_size", .given = std::to_string(size), .expected = "at least 1"});
  pad_values.emplace("input_ids", pad_id_);
  std::vector<std::string> padded = columns();
  for (const auto& [column, value] : pad_values) {
    if (column != "input_ids") padded.push_back(column);
  }
  return examples.padded_batch(
      size, {.lengths = {max_length_}, .columns = std::move(padded), .pad_values = std::move(pad_values)});
}

models::TextInputs TextCheckpoint::inputs_of(const Columns& batch) const {
  return {batch.at("input_ids"), batch.at("attention_mask"), has_types() ? batch.at("token_type_ids") : Value{}};
}

TokenCount TextCheckpoint::tokens(const data::Example& batch) {
  TokenCount count;
  for (const int32_t real : batch.tensor("attention_mask").as<int32_t>()) {
    count.real += real;
    ++count.positions;
  }
  return count;
}

InitialWeights TextCheckpoint::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  return load_weights(folder_, parameters, model_->facts().base_prefix, seed);
}

void TextCheckpoint::save(const std::filesystem::path& folder, models::HeadKind head, hub::ConfigChanges changes,
                          std::span<const NamedTensorView> weights) const {
  changes.architecture = model_->class_name(head);
  changes.dtype = DType::kFloat32;
  const std::string config =
      hub::edit_config(folder_.config_text(), (folder_.path() / "config.json").string(), changes);
  io::write_file(folder / "config.json", config);
  for (const std::string& name : folder_.companion_files()) io::copy_file(folder_.path() / name, folder / name);
  io::write_safetensors(folder / "model.safetensors", weights);
}

}  // namespace portune::tasks
