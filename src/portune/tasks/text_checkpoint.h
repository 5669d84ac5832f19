// What every task on texts begins with: a model folder with its tokenizer, and texts as arrays.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "portune/hub/config_edit.h"
#include "portune/hub/model_folder.h"
#include "portune/models.h"
#include "portune/tasks.h"
#include "portune/text.h"

namespace portune::tasks {

/// A Hugging Face folder with a text model, open for training. Safe to share between threads.
class TextCheckpoint {
 public:
  /// max_length  of the examples, special tokens included
  /// errors      CheckpointError, NotFoundError for what is wrong with the folder, a vocabulary that does not fit the
  ///             embedding; UsageError for a length that the model has no positions for
  TextCheckpoint(const std::filesystem::path& folder, int64_t max_length);

  const io::JsonObject& config() const { return folder_.config(); }
  const models::TextModel& model() const { return *model_; }
  const text::Tokenizer& tokenizer() const { return tokenizer_; }
  int64_t max_length() const { return max_length_; }
  int32_t pad_id() const { return pad_id_; }

  /// The names of the columns that encode() makes: input_ids, attention_mask and, if the model reads them,
  /// token_type_ids.
  std::vector<std::string> columns() const;
  /// One or two texts as int32 [length] each. The example has the row's origin.
  /// errors  DataError naming the row for text that is not UTF-8
  data::Example encode(const data::Example& row, const text::TextPair& texts) const;
  /// The same from ids that are there already; `type_ids` may be empty: all 0.
  data::Example from_ids(const data::Origin& origin, std::span<const int32_t> ids,
                         std::span<const int32_t> type_ids = {}) const;
  /// Examples in batches of `size`, padded to max_length; `pad_values` of further columns.
  /// errors  UsageError if `size` is below 1
  data::Dataset batches(const data::Dataset& examples, int64_t size,
                        std::map<std::string, double> pad_values = {}) const;

  models::TextInputs inputs_of(const Columns& batch) const;
  static TokenCount tokens(const data::Example& batch);

  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const;
  std::vector<std::string> unknown_config_keys() const { return folder_.config().unread_keys(); }
  /// Config with the changes and the class of `head`, tokenizer and other companions, weights.
  void save(const std::filesystem::path& folder, models::HeadKind head, hub::ConfigChanges changes,
            std::span<const NamedTensorView> weights) const;

 private:
  void check() const;
  bool has_types() const { return model_->facts().type_vocab_size > 1; }

  hub::ModelFolder folder_;
  text::Tokenizer tokenizer_;
  std::unique_ptr<const models::TextModel> model_;
  int64_t max_length_;
  int32_t pad_id_;
  // Remembers words from one text to the next, which is most of its speed; one for all threads, as it is far faster
  // than whatever consumes its tokens.
  mutable std::mutex encoder_mutex_;
  mutable text::IdEncoder encoder_{tokenizer_};
};

}  // namespace portune::tasks
