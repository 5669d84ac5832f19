// Architectures: config.json in, a graph out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "portatune/json_object.h"
#include "portatune/nn.h"

namespace portatune::models {

/// The inputs of a text model, int32 [batch, seq] each.
struct TextInputs {
  Value input_ids;
  /// 1 for tokens, 0 for padding; if packed, the number of each token's segment, from 1; absent: no padding. Only the
  /// targets of encoder-decoder models may lack it.
  Value attention_mask = {};
  Value token_type_ids = {};  ///< 0 for the first text, 1 for the second; absent: 0 everywhere
  Value position_ids = {};    ///< positions of the tokens in their text; absent: the default of transformers' forward()
  /// True if rows hold several texts (segments), each with adjacent tokens and without attention to the others.
  /// Packed inputs need position_ids, which are 0 where a text begins. Heads that compute one row of logits per text do
  /// not accept packed inputs: gather the texts first.
  bool packed = false;
};

/// The keys and values of the tokens so far in every layer of a decoder.
struct KeyValueCache {
  Values keys, values;  ///< [batch, length, key/value heads * head size], in the compute type
  /// int32 [batch, length]: the row of `keys` and `values` that holds each position of a text; absent: the text's own.
  Value rows = {};
};

/// The classes of transformers for a model, by the part of their names after "For".
enum class HeadKind {
  kSequenceClassification,
  kTokenClassification,
  kQuestionAnswering,
  kMultipleChoice,
  kMaskedLM,
  kPreTraining,             ///< kMaskedLM and the relation of two texts, whose logits this head computes
  kReplacedTokenDetection,  ///< "PreTraining" of ELECTRA's discriminator
  kCausalLM,
  kSeq2SeqLM
};

/// Metadata of a text checkpoint that do not depend on its head.
struct TextModelFacts {
  std::string class_prefix;  ///< prefix of the names of its classes in transformers: "Bert"
  std::string base_prefix;   ///< prefix of the body's keys in a checkpoint that has a head: "bert"
  int64_t vocab_size;        ///< number of ids; each id is below it
  int64_t hidden_size;
  int64_t max_length;       ///< maximal number of positions of a sequence
  int64_t type_vocab_size;  ///< number of token types; 0: the model does not read token_type_ids
  double initializer_range;
  std::string causal_lm_class = {};  ///< name of that class; empty: class_prefix + "ForCausalLM"
};

/// The body of a text model, which its heads share. The functions build a graph; parameters have their names in the
/// checkpoint.
///   root  the scope of a checkpoint that has a head
class TextBody {
 public:
  virtual ~TextBody() = default;

  /// Outputs of the embeddings and of each layer, [batch, seq, hidden_size] each: "hidden_states" of transformers.
  virtual Values hidden_states(const nn::Scope& root, const TextInputs& in) const = 0;
  /// "pooler_output" of the bare model, [batch, hidden_size], from the last of hidden_states(); absent if it has none.
  virtual Value pooler_output(const nn::Scope& root, const Value& x) const;
};

/// A body that can continue a text token by token, with a cache of keys and values.
class Decoder : public TextBody {
 public:
  /// The last of hidden_states() for further tokens, whose keys and values it adds to `cache`.
  ///   in      the tokens [batch, n] with their position_ids. attention_mask is [batch, n] if `start` is absent, else
  ///           [batch, length of the cache]: 1 for this and earlier tokens, 0 for padding and future tokens
  ///   start   index of the token in the cache, an int32 scalar, with n = 1; absent: the tokens are the first
  virtual Value next_hidden_state(const nn::Scope& root, const TextInputs& in, KeyValueCache& cache,
                                  const Value& start) const = 0;
  /// A cache of zeros for `length` tokens.
  virtual KeyValueCache empty_cache(int64_t batch, int64_t length, DType dtype) const = 0;
};

/// Metadata of the checkpoint of an encoder-decoder model, beside TextModelFacts.
struct Seq2SeqFacts {
  int64_t pad_token_id, eos_token_id;
  int64_t decoder_start_token_id;  ///< first token that the decoder reads
  int64_t max_target;              ///< maximal number of tokens that the decoder reads; TextModelFacts::max_length is
                                   ///< that of the encoder
  int64_t target_vocab_size = 0;   ///< number of ids of the decoder; TextModelFacts::vocab_size is that of the encoder
  std::string lm_class = {};       ///< class that writes texts; empty: class_prefix + "ForConditionalGeneration"
};

/// The source texts as a decoder sees them.
struct EncodedSource {
  Value x;               ///< the last of encoder_states(), [batch, source, hidden_size]
  Value attention_mask;  ///< TextInputs::attention_mask of the sources
};

/// The keys and values of the source texts in every layer of a decoder. They are constant while tokens are generated.
struct CrossCache {
  KeyValueCache layers;  ///< [prompts, source, heads * head size]
  Value attention_mask;  ///< int32 [prompts, source]: 1 for tokens, 0 for padding
};

/// Outputs of the embeddings and of each layer of both stacks.
struct Seq2SeqStates {
  Values encoder, decoder;  ///< no decoder: the head reads the encoder

  const Value& last() const { return decoder.empty() ? encoder.back() : decoder.back(); }
};

/// The body of an encoder-decoder model: the encoder reads a source text, and the decoder continues a target text token
/// by token. Sources and targets are padded on the right.
class Seq2Seq : public TextBody {
 public:
  virtual const Seq2SeqFacts& facts() const = 0;

  /// Outputs of the embeddings and of each layer, [batch, source, hidden_size] each: "encoder_hidden_states" of
  /// transformers.
  virtual Values encoder_states(const nn::Scope& root, const TextInputs& source) const = 0;
  /// The same for the decoder, [batch, target, hidden_size] each: "decoder_hidden_states". A token sees itself, earlier
  /// tokens and the source.
  ///   target  decoder_input_ids(), without an attention_mask. If packed, with the numbers of the segments, which are
  ///           those of the sources, and with position_ids
  virtual Values decoder_states(const nn::Scope& root, const TextInputs& target, const EncodedSource& source) const = 0;
  /// The tokens that the decoder reads to predict the labels: the labels, shifted to the right by one.
  ///   labels        int32 [batch, target]; -100: padding
  ///   position_ids  int32 [batch, target], 0 where a text begins; only for packed targets
  virtual Value decoder_input_ids(const Value& labels, const Value& position_ids = {}) const;

  /// The stacks for a text that is source and target, as a head that classifies texts or tokens reads it.
  virtual Seq2SeqStates states_of_text(const nn::Scope& root, const TextInputs& in, HeadKind head) const;
  /// states_of_text() of the decoder for the classification of texts.
  Values hidden_states(const nn::Scope& root, const TextInputs& in) const final;

  /// The keys and values of the sources.
  virtual CrossCache cross_cache(const nn::Scope& root, const EncodedSource& source) const = 0;
  /// The last of decoder_states() for further tokens, whose keys and values it adds to `cache`.
  ///   in      as for Decoder::next_hidden_state(), with rows = prompts * k: row i has the source i / k. Each row
  ///           begins at index 0 of the cache
  ///   start   index of the token in the cache, an int32 scalar, with n = 1; absent: the tokens are the first
  virtual Value next_hidden_state(const nn::Scope& root, const TextInputs& in, KeyValueCache& cache,
                                  const CrossCache& source, const Value& start) const = 0;
  /// A cache of zeros for `length` tokens of a target.
  virtual KeyValueCache empty_cache(int64_t batch, int64_t length, DType dtype) const = 0;
};

/// The inputs of a head.
struct HeadInputs {
  Value x;                 ///< state_for() the head: [batch, seq, hidden_size], or [..., hidden_size] for a head that
                           ///< computes logits for each token
  TextInputs text = {};    ///< the texts of x, for heads that compute logits for each text
  int64_t num_labels = 0;  ///< for heads with labels
};
/// The logits of a head, float32:
///   kSequenceClassification  [batch, num_labels]
///   kTokenClassification     [..., num_labels]
///   kQuestionAnswering       [..., 2], for the begin and the end of the answer
///   kMultipleChoice          [batch, 1], for one choice
///   kMaskedLM                [..., vocab_size], for the token at each position
///   kCausalLM, kSeq2SeqLM    [..., written_vocab_size()], for the next token
///   kPreTraining             [batch, 2]: the second text follows the first (0) or not (1)
///   kReplacedTokenDetection  [...]: the token has replaced that of the text (> 0) or not
using Head = std::function<Value(const nn::Scope& root, const HeadInputs& in)>;
using Heads = std::map<HeadKind, Head>;

/// A pretrained text model: its body, and the heads that transformers has for it.
class TextModel {
 public:
  TextModel(TextModelFacts facts, std::unique_ptr<const TextBody> body, Heads heads)
      : facts_(std::move(facts)), body_(std::move(body)), heads_(std::move(heads)) {}

  const TextModelFacts& facts() const { return facts_; }
  const TextBody& body() const { return *body_; }
  /// The body if it is a decoder, else nullptr.
  const Decoder* decoder() const { return dynamic_cast<const Decoder*>(body_.get()); }
  /// The body if it is that of an encoder-decoder model, else nullptr.
  const Seq2Seq* seq2seq() const { return dynamic_cast<const Seq2Seq*>(body_.get()); }
  const Heads& heads() const { return heads_; }
  /// What a head reads: the last of hidden_states(), except for heads of encoder-decoder models that read the encoder.
  Value state_for(HeadKind head, const nn::Scope& root, const TextInputs& in) const;
  /// Number of ids of the texts that the model writes. It differs from TextModelFacts::vocab_size, that of the texts
  /// that it reads, if an encoder-decoder model has a vocabulary for each side.
  int64_t written_vocab_size() const {
    return seq2seq() != nullptr ? seq2seq()->facts().target_vocab_size : facts_.vocab_size;
  }

  /// The class in transformers: "BertForMaskedLM".
  std::string class_name(HeadKind kind) const;
  /// The logits of a head.
  /// errors  UsageError with the names of all heads if the model lacks this one
  Value logits(HeadKind kind, const nn::Scope& root, const HeadInputs& in) const;

 private:
  TextModelFacts facts_;
  std::unique_ptr<const TextBody> body_;
  Heads heads_;
};

/// A size in pixels.
struct ImageSize {
  int64_t height, width;
};

/// Metadata of an image checkpoint that do not depend on its head.
struct ImageModelFacts {
  std::string class_prefix;  ///< prefix of the names of its classes in transformers: "ViT"
  std::string base_prefix;   ///< prefix of the body's keys in a checkpoint that has a head: "vit"
  int64_t hidden_size;
  int64_t num_channels;
  ImageSize image_size;  ///< the only size that the model accepts
  double initializer_range;
};

/// Logits of a model that was distilled from a teacher: `cls` learned the labels, `distillation` the teacher's
/// predictions; [batch, num_labels] each. Predictions use their mean.
struct DistilledLogits {
  Value cls, distillation;
};

/// A pretrained image model, the counterpart of TextModel.
///   pixel_values  float32 [batch, num_channels, height, width], normalised
///   x             the last of hidden_states(), [batch, tokens, hidden_size]
class ImageModel {
 public:
  explicit ImageModel(ImageModelFacts facts) : facts_(std::move(facts)) {}
  virtual ~ImageModel() = default;

  const ImageModelFacts& facts() const { return facts_; }

  /// Outputs of the embeddings and of each layer, [batch, tokens, hidden_size] each: "hidden_states" of transformers.
  /// ShapeError for images of another size.
  virtual Values hidden_states(const nn::Scope& root, const Value& pixel_values) const = 0;
  /// "last_hidden_state" of transformers: x, normalised.
  virtual Value last_hidden_state(const nn::Scope& root, const Value& x) const = 0;
  /// "pooler_output" of the bare model, [batch, size of the pooler].
  virtual Value pooler_output(const nn::Scope& root, const Value& x) const = 0;
  /// Logits of ...ForImageClassification, [batch, num_labels].
  virtual Value image_logits(const nn::Scope& root, const Value& x, int64_t num_labels) const = 0;
  /// Logits of ...ForImageClassificationWithTeacher. UsageError if transformers has no such class for the model.
  virtual DistilledLogits distilled_logits(const nn::Scope& root, const Value& x, int64_t num_labels) const;

 private:
  ImageModelFacts facts_;
};

/// The linear layers that adapters change by default, by the ends of their names: those of PEFT, which has none for
/// some architectures.
/// errors  CheckpointError for an unknown architecture
std::vector<std::string> lora_targets(const io::JsonObject& config);
/// True if a config.json belongs to an image model; false for an unknown architecture.
bool is_image_model(const io::JsonObject& config);
/// The model of a checkpoint's config.json.
/// errors  CheckpointError for an unknown architecture, for an unusable value, for an image model in text_model(), and
///         for a text model in image_model()
std::unique_ptr<TextModel> text_model(const io::JsonObject& config);
std::unique_ptr<ImageModel> image_model(const io::JsonObject& config);

}  // namespace portatune::models
