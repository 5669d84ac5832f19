// Architectures: config.json in, a graph out.
#pragma once

#include <memory>
#include <string>

#include "portatune/nn.h"

namespace portatune::io {
class JsonObject;
}

namespace portatune::models {

/// What a text model reads, int32 [batch, seq] each.
struct TextInputs {
  Value input_ids;
  Value attention_mask;       ///< 1 for tokens, 0 for padding; packed: the number of a token's text, from 1 on
  Value token_type_ids = {};  ///< 0 for the first text, 1 for the second; absent: 0 everywhere
  Value position_ids = {};    ///< places of the tokens in their text; absent: as transformers' forward() has them
  /// Several texts stand in a row, each with its tokens side by side. None sees another; there are position_ids, 0
  /// where a text begins. The heads that make one row of logits of a text do not read such inputs: gather the texts
  /// first.
  bool packed = false;
};

/// The keys and values of a text so far, of every layer: what a decoder keeps from token to token.
struct KeyValueCache {
  Values keys, values;  ///< [batch, length, key/value heads * head size], in the compute type
};

/// The classes that transformers has for a model, by what follows "For" in their names.
enum class HeadKind {
  kSequenceClassification,
  kTokenClassification,
  kQuestionAnswering,
  kMultipleChoice,
  kMaskedLM,
  kPreTraining,  ///< masked language modelling and next sentence prediction
  kCausalLM
};

/// What holds for a checkpoint whatever its head is.
struct TextModelFacts {
  std::string class_prefix;  ///< what the names of its classes in transformers begin with: "Bert"
  std::string base_prefix;   ///< what the keys of the body begin with in a checkpoint that has a head: "bert"
  int64_t vocab_size;        ///< ids must be below
  int64_t hidden_size;
  int64_t max_length;       ///< longest sequence that has positions
  int64_t type_vocab_size;  ///< token_type_ids must be below; 0: the model does not read them
  double initializer_range;
  double classifier_dropout;  ///< before the layer that makes logits
};

/// A pretrained text model: the body that all heads share, and the heads that transformers has for it. The functions
/// build a graph; parameters get the names that the checkpoint gives them.
///   root  the scope of a checkpoint that has a head
///   x     the last of hidden_states(); [batch, seq, hidden_size], or [..., hidden_size] where no axis is named
/// Heads return float32. One that transformers does not have for the model is a UsageError.
class TextModel {
 public:
  explicit TextModel(TextModelFacts facts) : facts_(std::move(facts)) {}
  virtual ~TextModel() = default;

  const TextModelFacts& facts() const { return facts_; }
  /// The class in transformers: "BertForMaskedLM".
  virtual std::string class_name(HeadKind head) const;

  /// The output of the embeddings and of each layer, [batch, seq, hidden_size] each: "hidden_states" of transformers.
  virtual Values hidden_states(const nn::Scope& root, const TextInputs& in) const = 0;
  /// Of decoders: the last of hidden_states() for further tokens of a text, whose keys and values are added to `cache`.
  ///   in      the tokens [batch, n] with their position_ids; attention_mask is [batch, n] where `start` is absent,
  ///   else
  ///           [batch, length of the cache]: 1 for this and the earlier tokens, 0 for padding and what is yet to come
  ///   start   where in the cache the tokens go, an int32 scalar, with n = 1; absent: they are the first
  /// UsageError if the model is none.
  virtual Value next_hidden_state(const nn::Scope& root, const TextInputs& in, KeyValueCache& cache,
                                  const Value& start) const;
  /// A cache of zeros for so many tokens.
  virtual KeyValueCache empty_cache(int64_t batch, int64_t length, DType dtype) const;
  /// "pooler_output" of the bare model, [batch, hidden_size]. UsageError if it has none.
  virtual Value pooler_output(const nn::Scope& root, const Value& x) const;

  /// [batch, num_labels]
  virtual Value sequence_logits(const nn::Scope& root, const TextInputs& in, const Value& x, int64_t num_labels) const;
  /// [..., num_labels]
  virtual Value token_logits(const nn::Scope& root, const Value& x, int64_t num_labels) const;
  /// [..., 2]: begin and end of the answer
  virtual Value span_logits(const nn::Scope& root, const Value& x) const;
  /// The score of one choice, [batch, 1].
  virtual Value choice_logits(const nn::Scope& root, const TextInputs& in, const Value& x) const;
  /// [..., vocab_size], of the token that stands in this place
  virtual Value masked_lm_logits(const nn::Scope& root, const Value& x) const;
  /// [batch, 2]: whether the second text follows the first (0) or not (1)
  virtual Value next_sentence_logits(const nn::Scope& root, const Value& x) const;
  /// [..., vocab_size], of the token that comes next
  virtual Value causal_lm_logits(const nn::Scope& root, const Value& x) const;

 private:
  TextModelFacts facts_;
};

/// In pixels.
struct ImageSize {
  int64_t height, width;
};

/// What holds for a checkpoint whatever its head is.
struct ImageModelFacts {
  std::string class_prefix;  ///< what the names of its classes in transformers begin with: "ViT"
  std::string base_prefix;   ///< what the keys of the body begin with in a checkpoint that has a head: "vit"
  int64_t hidden_size;
  int64_t num_channels;
  ImageSize image_size;  ///< the only one that the model reads
  double initializer_range;
};

/// Logits of a model that has learned from a teacher, too: of the labels and of the teacher's, [batch, num_labels]
/// each. Predictions are made from their mean.
struct DistilledLogits {
  Value cls, distillation;
};

/// A pretrained image model, likewise.
///   pixel_values  float32 [batch, num_channels, height, width], normalised
///   x             the last of hidden_states(), [batch, tokens, hidden_size]
class ImageModel {
 public:
  explicit ImageModel(ImageModelFacts facts) : facts_(std::move(facts)) {}
  virtual ~ImageModel() = default;

  const ImageModelFacts& facts() const { return facts_; }

  /// The output of the embeddings and of each layer, [batch, tokens, hidden_size] each: "hidden_states" of
  /// transformers. ShapeError for images of another size.
  virtual Values hidden_states(const nn::Scope& root, const Value& pixel_values) const = 0;
  /// "last_hidden_state": x, normalised
  virtual Value last_hidden_state(const nn::Scope& root, const Value& x) const = 0;
  /// "pooler_output" of the bare model, [batch, its size]
  virtual Value pooler_output(const nn::Scope& root, const Value& x) const = 0;
  /// Of ...ForImageClassification, [batch, num_labels]
  virtual Value image_logits(const nn::Scope& root, const Value& x, int64_t num_labels) const = 0;
  /// Of ...ForImageClassificationWithTeacher. UsageError where transformers has no such class.
  virtual DistilledLogits distilled_logits(const nn::Scope& root, const Value& x, int64_t num_labels) const;

 private:
  ImageModelFacts facts_;
};

/// Whether a config.json is that of an image model; false for an unknown architecture.
bool is_image_model(const io::JsonObject& config);
/// The model of a checkpoint's config.json. CheckpointError for an unknown architecture, for an unusable value, and for
/// an image model where a text model is wanted or the other way round.
std::unique_ptr<TextModel> text_model(const io::JsonObject& config);
std::unique_ptr<ImageModel> image_model(const io::JsonObject& config);

}  // namespace portatune::models
