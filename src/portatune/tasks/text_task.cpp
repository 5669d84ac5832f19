#include "portatune/tasks/text_task.h"

#include <algorithm>
#include <mutex>

#include "portatune/base/text/message.h"
#include "portatune/data/batch/text_lengths.h"
#include "portatune/data/example_memory.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/hub/model_folder.h"
#include "portatune/models/one_text_per_row.h"
#include "portatune/tasks/results/save_model.h"
#include "portatune/tasks/rows/token_ids.h"
#include "portatune/tasks/text_folder.h"

namespace portatune {
namespace {

using tasks::kInputIds;
constexpr std::string_view kMask = data::kAttentionMask;

// Raises each row's length to that of its longest text in a mask.
void raise_to_lengths(const Tensor& mask, std::vector<int64_t>& lengths) {
  const data::TextLengths texts = data::text_lengths(mask);
  const size_t texts_in_row = texts.size() / lengths.size();
  for (size_t i = 0; i < texts.size(); ++i) lengths[i / texts_in_row] = std::max(lengths[i / texts_in_row], texts[i]);
}

void require_max_length(const models::TextModelFacts& facts, int64_t max_length) {
  if (max_length < 3 || max_length > facts.max_length) {
    throw UsageError({.where = "max_length",
                      .given = std::to_string(max_length),
                      .expected = "3 to " + std::to_string(facts.max_length) + ", the positions of the model"});
  }
}

void require_below(const data::Example& row, std::string_view column, std::span<const int32_t> ids, int64_t end) {
  for (const int32_t id : ids) {
    if (id >= 0 && id < end) continue;
    throw DataError({.where = to_string(row.origin()),
                     .given = std::to_string(id) + " in column \"" + std::string(column) + "\"",
                     .expected = "ids of the model, 0 to " + std::to_string(end - 1),
                     .fix = "check that the ids come from the model's tokenizer"});
  }
}

void require_length(const data::Example& row, size_t length, int64_t max_length) {
  if (length >= 1 && static_cast<int64_t>(length) <= max_length) return;
  throw DataError({.where = to_string(row.origin()),
                   .given = std::to_string(length) + " ids in column \"" + std::string(kInputIds) + "\"",
                   .expected = "1 to " + std::to_string(max_length) + ", the max_length",
                   .fix = length > 0 ? "raise --max-length, or write shorter lists" : ""});
}

data::PaddedBatchOptions padding_to(const std::vector<int64_t>& lengths, std::map<std::string, double> padding) {
  data::PaddedBatchOptions options{.lengths = lengths, .columns = {}, .pad_values = std::move(padding)};
  for (const auto& [column, value] : options.pad_values) options.columns.push_back(column);
  return options;
}

data::Dataset padded_batches(const data::Dataset& examples, int64_t size, data::PaddedBatchOptions options) {
  if (size < 1) throw UsageError({.where = "batch_size", .given = std::to_string(size), .expected = "at least 1"});
  const data::Dataset encoded = examples.named("tokenize");
  const data::Dataset batches = options.lengths.size() == 1
                                    ? encoded.padded_batch(size, std::move(options))
                                    : encoded.bucket_by_length(size, {.padding = std::move(options)});
  return batches.named("batch");
}

}  // namespace

struct TextCheckpoint::Impl {
  Impl(const ModelSource& source, int64_t length, const text::Languages& languages)
      : folder(tasks::open_text_folder(source)),
        model(models::text_model(folder.config())),
        tokenizer(text::load_tokenizer(hub::folder_of_settings(source.folder), languages)),
        max_length(length),
        lengths{length},
        pad_id(tokenizer.pad_id().value_or(static_cast<int32_t>(folder.config().get_int_or("pad_token_id", 0)))) {
    require_max_length(model->facts(), max_length);
    tasks::require_embeddings(folder.path(), "a tokenizer", tokenizer.vocab_size(), model->facts().vocab_size);
    tasks::require_embeddings(folder.path(), "a tokenizer of targets", tokenizer.of_targets().vocab_size(),
                              model->written_vocab_size());
  }

  bool has_types() const { return model->facts().type_vocab_size > 1; }

  hub::ModelFolder folder;
  std::unique_ptr<const models::TextModel> model;  // before the tokenizer, which image models lack
  text::Tokenizer tokenizer;
  int64_t max_length;
  std::vector<int64_t> lengths;
  int32_t pad_id;
  // Caches words between texts, which gives most of its speed. All threads share one, because it is far faster than any
  // consumer of its tokens.
  mutable std::mutex encoder_mutex;
  mutable text::IdEncoder encoder{tokenizer};
};

TextCheckpoint::TextCheckpoint(const ModelSource& model, int64_t max_length, const text::Languages& languages)
    : impl_(std::make_unique<Impl>(model, max_length, languages)) {}
TextCheckpoint::~TextCheckpoint() = default;

const io::JsonObject& TextCheckpoint::config() const { return impl_->folder.config(); }
const models::TextModel& TextCheckpoint::model() const { return *impl_->model; }
const text::Tokenizer& TextCheckpoint::tokenizer() const { return impl_->tokenizer; }
int64_t TextCheckpoint::max_length() const { return impl_->max_length; }
const std::vector<int64_t>& TextCheckpoint::lengths() const { return impl_->lengths; }

void TextCheckpoint::set_lengths(std::vector<int64_t> lengths) {
  std::ranges::sort(lengths);
  lengths.erase(std::ranges::unique(lengths).begin(), lengths.end());
  if (lengths.empty() || lengths.front() < 1 || lengths.back() > max_length()) {
    std::vector<std::string> given;
    for (const int64_t length : lengths) given.push_back(std::to_string(length));
    throw UsageError({.where = "lengths of batches",
                      .given = given.empty() ? "none" : list_of(given),
                      .expected = "lengths of 1 to " + std::to_string(max_length()) + ", the max_length of texts"});
  }
  impl_->lengths = std::move(lengths);
}

std::map<std::string, double> TextCheckpoint::padding(const std::string& prefix) const {
  std::map<std::string, double> padding = {{prefix + "input_ids", impl_->pad_id}, {prefix + std::string(kMask), 0}};
  if (impl_->has_types()) padding.emplace(prefix + "token_type_ids", 0);
  return padding;
}

std::vector<std::string> TextCheckpoint::inputs(std::initializer_list<const char*> more) const {
  std::vector<std::string> names;
  for (const auto& [column, value] : padding()) names.push_back(column);
  names.insert(names.end(), more.begin(), more.end());
  names.emplace_back(data::kExampleWeight);
  return names;
}

data::Example TextCheckpoint::encode(const data::Example& row, const text::TextPair& texts) const {
  return data::call_on(row, [&](const data::Example&) {
    std::vector<int32_t> ids, type_ids;
    {
      const std::lock_guard lock(impl_->encoder_mutex);
      impl_->encoder.append(texts, {.max_length = max_length()}, ids, impl_->has_types() ? &type_ids : nullptr);
    }
    data::Example example(row.origin());
    set_ids(example, ids, type_ids);
    return example;
  });
}

bool TextCheckpoint::is_cut(const text::TextPair& texts) const {
  std::vector<int32_t> ids;
  const std::lock_guard lock(impl_->encoder_mutex);
  impl_->encoder.append(texts, {.max_length = max_length() + 1}, ids);
  return std::ssize(ids) > max_length();
}

data::Example TextCheckpoint::encode_ids(const data::Example& row) const {
  const auto [ids, type_ids] = tasks::token_ids_in(row);
  require_length(row, ids.size(), max_length());
  require_below(row, kInputIds, ids, model().facts().vocab_size);
  if (impl_->has_types()) require_below(row, tasks::kTokenTypeIds, type_ids, model().facts().type_vocab_size);
  data::Example example(row.origin());
  set_ids(example, ids, type_ids);
  return example;
}

data::Example& TextCheckpoint::set_ids(data::Example& example, std::span<const int32_t> ids,
                                       std::span<const int32_t> type_ids, const std::string& prefix) const {
  const Shape length{std::ssize(ids)};
  example.set(prefix + "input_ids", Tensor(length, ids));
  example.set(prefix + std::string(kMask),
              Tensor(length, std::span<const int32_t>(std::vector<int32_t>(ids.size(), 1))));
  if (impl_->has_types()) {
    example.set(prefix + "token_type_ids",
                type_ids.empty() ? Tensor(TensorType{DType::kInt32, length}) : Tensor(length, type_ids));
  }
  return example;
}

data::Dataset TextCheckpoint::batches(const data::Dataset& examples, int64_t size,
                                      const std::map<std::string, double>& more) const {
  std::map<std::string, double> pad_values = padding();
  pad_values.insert(more.begin(), more.end());
  return batches_padded_with(examples, size, std::move(pad_values));
}

data::Dataset TextCheckpoint::batches_of_pairs(const data::Dataset& examples, int64_t size,
                                               std::span<const data::LengthPair> pairs,
                                               const std::pair<std::string, double>& target) const {
  data::PaddedBatchOptions options = padding_to({}, padding());
  for (const data::LengthPair& pair : pairs) {
    options.lengths.push_back(pair.source);
    options.target_lengths.push_back(pair.target);
  }
  options.target_columns = {target.first};
  options.pad_values.insert(target);
  return padded_batches(examples, size, std::move(options));
}

data::Dataset TextCheckpoint::batches_padded_with(const data::Dataset& examples, int64_t size,
                                                  std::map<std::string, double> padding) const {
  return padded_batches(examples, size, padding_to(lengths(), std::move(padding)));
}

bool TextCheckpoint::can_be_packed() const { return models::can_be_packed(model()); }

data::Dataset TextCheckpoint::packed_batches(const data::Dataset& examples, const data::PackedShapes& shapes,
                                             const std::map<std::string, double>& more) const {
  if (!can_be_packed()) throw models::one_text_per_row(model().facts().class_prefix);
  if (shapes.length != max_length()) {
    throw UsageError({.where = "length of packed rows",
                      .given = std::to_string(shapes.length),
                      .expected = std::to_string(max_length()) + ", the max_length of texts"});
  }
  data::PackOptions options{.shapes = shapes, .columns = {}, .pad_values = padding()};
  options.pad_values.erase(std::string(kMask));
  for (const auto& [column, value] : options.pad_values) options.columns.push_back(column);
  options.pad_values.insert(more.begin(), more.end());
  return examples.named("tokenize").pack(std::move(options)).named("batch");
}

models::TextInputs TextCheckpoint::inputs_of(const Columns& batch, const std::string& prefix) const {
  models::TextInputs in{batch.at(prefix + "input_ids"), batch.at(prefix + std::string(kMask)),
                        impl_->has_types() ? batch.at(prefix + "token_type_ids") : Value{}};
  if (const auto positions = batch.find(data::kPositionIds); positions != batch.end()) {
    in.position_ids = positions->second;
    in.packed = true;
  }
  return in;
}

InitialWeights TextCheckpoint::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  return hub::load_weights(impl_->folder, parameters, model().facts().base_prefix, seed);
}

void TextCheckpoint::require_weights() const { impl_->folder.require_weights(); }

std::vector<std::string> TextCheckpoint::unknown_config_keys() const { return config().unread_keys(); }

void TextCheckpoint::save(const std::filesystem::path& folder, ConfigChanges changes) const {
  tasks::save_model(folder, impl_->folder, std::move(changes));
}

TokenCount TextTask::tokens(const data::Example& batch) const {
  TokenCount count;
  for (const auto& [name, value] : batch.columns()) {
    if (!name.ends_with(kMask)) continue;
    for (const int32_t real : batch.tensor(name).as<int32_t>()) {
      count.real += real != 0 ? 1 : 0;  // in a packed batch the mask has the number of a text
      ++count.positions;
    }
  }
  return count;
}

data::Dataset TextTask::encoded(const data::Dataset& rows, std::string name,
                                std::function<data::Example(const data::Example& row)> encode) const {
  if (!memory_) return rows.map(std::move(encode));
  return rows.map([memory = memory_, name = std::move(name), encode = std::move(encode)](const data::Example& row) {
    const auto make = [&](const data::Example& from) { return std::vector{encode(from)}; };
    return std::move(memory->get(name, row, make).front());
  });
}

data::Dataset TextTask::encoded(const data::Dataset& rows, std::string name,
                                std::function<std::vector<data::Example>(const data::Example& row)> encode) const {
  if (!memory_) return rows.flat_map(std::move(encode));
  return rows.flat_map([memory = memory_, name = std::move(name), encode = std::move(encode)](
                           const data::Example& row) { return memory->get(name, row, encode); });
}

// An example with several texts counts as its longest one.
data::LengthCounts TextTask::length_counts(const data::Dataset& batches) const {
  data::LengthCounts counts;
  for (const data::Example& batch : batches.iterate()) {
    const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
    std::vector<int64_t> lengths(weights.size(), 0);
    for (const auto& [name, value] : batch.columns()) {
      if (name.ends_with(kMask)) raise_to_lengths(batch.tensor(name), lengths);
    }
    for (size_t row = 0; row < lengths.size(); ++row) {
      if (weights[row] > 0) ++counts[lengths[row]];
    }
  }
  return counts;
}

std::vector<std::string> TextTask::optional_inputs() const {
  return {std::string(data::kPositionIds), std::string(data::kTokenPlaces)};
}

double TextTask::initializer_range() const { return checkpoint_.model().facts().initializer_range; }

InitialWeights TextTask::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  return checkpoint_.initial_weights(parameters, seed);
}

std::vector<std::string> TextTask::unknown_config_keys() const { return checkpoint_.unknown_config_keys(); }

}  // namespace portatune
