// Named parameters and the layers that own them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/ops.h"
#include "portatune/option_fields.h"

namespace portatune {

/// Target of an adapter for every linear layer, except those in Lora::modules_to_save and the output embedding.
inline constexpr const char* kAllLinear = "all-linear";

/// Modules of heads, which PEFT trains and saves beside its adapters.
inline constexpr const char* kHeadModules[] = {"classifier", "score", "qa_outputs"};

/// Biases that are trained beside the adapters, with the names of PEFT.
enum class LoraBias {
  kNone,
  kAll,      ///< those of all layers
  kLoraOnly  ///< those of the layers with an adapter
};
constexpr auto names_of(LoraBias) {
  return std::to_array<NamedValue<LoraBias>>(
      {{LoraBias::kNone, "none"}, {LoraBias::kAll, "all"}, {LoraBias::kLoraOnly, "lora_only"}});
}

/// Low-rank adapters (LoRA). The weights of the model stay as they are. A target layer returns y + scale x A^T B^T with
/// two weights of its own, A [rank, in] and B [out, rank]. B starts at 0, so the model is unchanged at first.
///
/// A module is named by the end of its path: "query" and "self.query" both name "encoder.layer.0.attention.self.query".
/// source  Hu et al. 2021, arXiv:2106.09685
struct Lora {
  int64_t rank = 8;
  double alpha = 16;        ///< the scale is alpha / rank
  bool use_rslora = false;  ///< the scale is alpha / sqrt(rank). Kalajdzievski 2023, arXiv:2312.03732
  /// Weight decomposition (DoRA): each row of W + scale B A gets a trained norm, the magnitude. Magnitudes start as the
  /// norms of W, and their gradient takes the norm of W + scale B A as a constant. Liu et al. 2024, arXiv:2402.09353
  bool use_dora = false;
  double dropout = 0;  ///< dropout probability of x before A, in [0, 1); with use_dora also before W
  LoraBias bias = LoraBias::kNone;
  std::vector<std::string> target_modules = {};  ///< linear layers with an adapter, or kAllLinear
  /// Modules that are trained and saved as a whole. As in PEFT any ending of a path counts, also within a name:
  /// "classifier" is "pre_classifier", too.
  std::vector<std::string> modules_to_save = {};
  /// Modules with another rank or alpha, named by the end of their path. Of several names that match, the first in the
  /// order of the alphabet counts.
  std::map<std::string, int64_t> rank_pattern = {};
  std::map<std::string, double> alpha_pattern = {};

  bool operator==(const Lora&) const = default;

  void describe(OptionFields& fields);
};

}  // namespace portatune

namespace portatune::nn {

/// The initial value of a parameter that the checkpoint lacks.
struct Initializer {
  enum class Kind {
    kZeros,
    kOnes,
    kNormal,
    kSinusoids,  ///< row p alternates sin and cos of p / 10000^(2i / width). Vaswani et al. 2017, arXiv:1706.03762, 3.5
    kUniform,
    kSplitSinusoids,  ///< row p has the sines of kSinusoids in its first half, the cosines in its second
    kNorms            ///< norms of the weight of the same layer along `axis`: the magnitudes of DoRA
  } kind = Kind::kZeros;
  double stddev = 0;      ///< standard deviation of kNormal and kUniform
  double cutoff = 0;      ///< kNormal: values beyond cutoff * stddev are drawn again; 0: none
  int64_t zero_row = -1;  ///< kNormal: row of zeros, that of the padding; -1: none
  int64_t axis = 0;       ///< of kNorms
  double mean = 0;        ///< of kUniform; the mean of kNormal is 0
};

/// Division of a parameter along an axis among the devices along `tensor`. Sharding::blocks explains blocks.
struct Split {
  int64_t axis = 0;
  int64_t blocks = 1;
};

/// An array of weights under its name in the checkpoint. Layers see it as float32.
struct Parameter {
  std::string name;
  Value value;  ///< the array that a device computes with: the whole, or its part if the parameter is split
  /// The same array for layers that round it to the compute type: devices may exchange it rounded to that type.
  /// Gradients are not rounded.
  Value rounded = value;
  Initializer initializer;
  std::vector<std::string> aliases = {};  ///< other names of a tied weight in checkpoints
  /// The program's parameter, in its storage type and sharding.
  Value input = value;
  Sharding sharding = {};
  TensorType type = value.type();  ///< type of the whole array, float32
  bool trainable = true;           ///< false for a frozen parameter: no gradient, no optimizer state
  bool is_buffer = false;          ///< see Scope::buffer()
  /// Index of the layer that has it, the first number in its path; none: it is outside of the layers.
  std::optional<int64_t> layer = {};
};

/// Settings that all layers of a model share while its graph is built.
struct ContextOptions {
  DType compute_dtype = DType::kFloat32;  ///< type of activations and matrix products
  bool training = false;                  ///< whether dropout is active
  double initializer_range = 0.02;        ///< standard deviation of new weights
  Value random_key = {};                  ///< uint32 [2], new in each step; required for dropout
  Value updates = {};                     ///< float32 scalar: number of updates before this step; absent outside of it
  Remat remat = Remat::kNone;             ///< gradient checkpointing of the model's layers
  DType matrix_dtype = DType::kFloat32;   ///< storage type of matrices; not float32 only where nothing is trained
  Mesh mesh = {};                         ///< devices that run the program
  /// Parameters that are not trained, as parts of their names: "embeddings", "encoder.layer.0-5".
  std::vector<std::string> frozen = {};
  std::optional<Lora> lora = {};  ///< adapters; only these and their modules_to_save are trained then
  /// Whether dropout rates above 0 are inputs of the program, Context::dropouts(), instead of constants.
  bool rates_are_inputs = false;
};

/// A dropout whose rate is an input of the program.
struct DropoutInput {
  Value rule;  ///< the program's parameter, for dropout_rule() of the rate
  double rate;
};

class Context {
 public:
  explicit Context(ContextOptions options) : options_(std::move(options)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const ContextOptions& options() const { return options_; }

  /// The parameter with this name; the first call creates it. Layers that share a parameter must agree on its shape.
  /// shape   shape of the whole array
  /// split   division of the array among the devices along `tensor`
  /// layer   see Parameter::layer
  /// errors  ShapeError if the parameter exists with another shape, or if the split has no equal parts
  const Parameter& parameter(const std::string& name, const Shape& shape, const Initializer& initializer,
                             const std::optional<Split>& split = {}, const std::optional<int64_t>& layer = {});
  /// The buffer with this name; see Scope::buffer().
  const Parameter& buffer(const std::string& name, const Shape& shape, const Initializer& initializer);
  /// Gives the existing parameter `name` the second name `alias`: a tied weight.
  /// errors  UsageError if no parameter has this name, or if Lora::modules_to_save has one of the two names alone
  const Parameter& tied_parameter(const std::string& alias, const std::string& name);
  /// All parameters so far, in the order of their creation.
  const std::deque<Parameter>& parameters() const { return parameters_; }

  /// A dropout_rule() for one dropout of the model, as ContextOptions::rates_are_inputs says.
  Value dropout_rule(double rate);
  /// The dropouts so far, if their rates are inputs. Their number and order do not depend on the rates above 0.
  const std::vector<DropoutInput>& dropouts() const { return dropouts_; }

  /// Number of earlier calls with this path.
  int64_t count_random_key(const std::string& path) { return random_keys_[path]++; }

 private:
  ContextOptions options_;
  std::deque<Parameter> parameters_;
  std::map<std::string, Parameter*, std::less<>> by_name_;
  std::map<std::string, int64_t> random_keys_;
  std::vector<DropoutInput> dropouts_;
};

/// A module of the model: s / "encoder" / "layer" / 3 is "encoder.layer.3", the prefix of its keys in the checkpoint.
class Scope {
 public:
  /// The root scope, whose path is empty.
  explicit Scope(Context& context) : context_(&context) {}

  Scope operator/(std::string_view name) const;
  /// The layer `index` of the model; within a layer, one of its modules.
  Scope operator/(int64_t index) const;

  const std::string& path() const { return path_; }
  const ContextOptions& options() const { return context_->options(); }

  /// Parameter::value of the parameter `name` of this scope, e.g. "weight".
  Value parameter(std::string_view name, const Shape& shape, const Initializer& initializer,
                  const std::optional<Split>& split = {}) const;
  /// Parameter::rounded of the same, for a layer that rounds all of it to the compute type.
  Value rounded_parameter(std::string_view name, const Shape& shape, const Initializer& initializer,
                          const std::optional<Split>& split = {}) const;
  /// The buffer `name` of this scope: an array that transformers saves with the weights and never trains. Its initial
  /// value replaces that of a checkpoint without it.
  Value buffer(std::string_view name, const Shape& shape, const Initializer& initializer) const;
  /// The parameter `name` of this scope, tied to a parameter of another layer.
  /// path  path of that parameter from the root: "bert.embeddings.word_embeddings.weight"
  const Parameter& tied_parameter(std::string_view name, const std::string& path) const;
  /// A key for random numbers in this scope: a function of the step's key, of the path, and of the number of earlier
  /// keys of this scope, so that all keys differ.
  Value random_key() const;
  /// See Context.
  Value dropout_rule(double rate) const { return context_->dropout_rule(rate); }

 private:
  Context* context_;
  std::string path_;
  std::optional<int64_t> layer_;  // see Parameter::layer
};

// Tensor parallelism: devices along the mesh axis `tensor` share a layer's work. Without that axis it has no effect.

/// Number of heads or similar units for each device along `tensor`.
/// what    name of the units: "attention heads"
/// errors  UsageError if the devices cannot share them equally; it gives the possible numbers of devices
int64_t share(const Scope& s, std::string_view what, int64_t count);
/// The split of parameters with a row or an element for each token of the vocabulary: along the first axis if the
/// devices can share it equally, else none.
std::optional<Split> vocabulary_split(const Scope& s, int64_t vocab_size);

/// Tensor parallelism of a linear layer.
/// source  Shoeybi et al. 2019, arXiv:1909.08053, section 3
enum class Parallel {
  kNone,    ///< each device computes all features
  kColumn,  ///< each device computes its part of y's features from all of x; kRow, heads and activations take such a y
  kRow      ///< each device has its part of x's features; y has all features, summed over the devices
};

// Layers. Their parameters have the names of torch; errors name the scope.

struct LinearOptions {
  bool bias = true;
  double initializer_scale = 1;   ///< factor of the standard deviation of a new weight
  double initializer_cutoff = 0;  ///< Initializer::cutoff of a new weight
  Parallel parallel = Parallel::kNone;
  int64_t blocks = 1;  ///< number of equal blocks that form y, for kColumn; a device computes a part of each block
};
/// The options with kColumn.
LinearOptions columns(LinearOptions options = {}, int64_t blocks = 1);
/// The options with kRow.
LinearOptions rows(LinearOptions options = {});
/// x W^T + b; "weight" [size, in], "bias" [size]. `size` counts the features of all devices.
Value linear(const Scope& s, const Value& x, int64_t size, const LinearOptions& options = {});
/// x W + b; "weight" [in, size], "bias" [size]: Conv1D of transformers.
Value conv1d(const Scope& s, const Value& x, int64_t size, const LinearOptions& options = {});
struct LayerNormOptions {
  bool bias = true;
};
/// Layer normalisation, computed in float32, returned in the compute type; "weight" and "bias" [last size of x].
Value layer_norm(const Scope& s, const Value& x, double eps, const LayerNormOptions& options = {});
struct RmsNormOptions {
  /// The factor is 1 + "weight", and the product is rounded only once, as in Gemma.
  bool unit_offset = false;
};
/// RMS normalisation, computed in float32, returned in the compute type; "weight" [last size of x].
Value rms_norm(const Scope& s, const Value& x, double eps, const RmsNormOptions& options = {});
/// Rows of "weight" [rows, width], in the compute type.
/// padding_id   index of the row that gets no gradient from here, as padding_idx of torch.nn.Embedding; -1: none
/// initializer  by default normal, with zeros in the row of padding_id
Value embedding(const Scope& s, const Value& ids, int64_t rows, int64_t width, int64_t padding_id = -1,
                const std::optional<Initializer>& initializer = {});
/// embedding() of tokens, whose rows the devices along `tensor` share by vocabulary_split().
Value word_embedding(const Scope& s, const Value& ids, int64_t vocab_size, int64_t width, int64_t padding_id = -1,
                     const std::optional<Initializer>& initializer = {});
/// Dropout in training; otherwise returns x.
Value dropout(const Scope& s, const Value& x, double rate);
/// dropout() of a device's part of the features. It drops the same elements as one device that has all features.
Value dropout_of_part(const Scope& s, const Value& x, double rate);

/// portatune::remat() by the policy of the context; y is what a layer of the model has computed from x.
Value remat(const Scope& s, const Value& x, const Value& y);

/// portatune::attention() with dropout of weights in training only, with a key of this scope.
/// options  options for the device's share() of the heads; dropout_heads is the number of all heads
Value attention(const Scope& s, const Value& q, const Value& k, const Value& v, const Value& mask,
                AttentionOptions options);

/// The layers and options of self-attention and of cross-attention.
struct SelfAttention {
  int64_t heads;  ///< number of heads of all devices
  int64_t head_size;
  int64_t kv_heads = heads;  ///< heads of keys and values; each serves heads / kv_heads consecutive heads of queries
  double dropout = 0;        ///< dropout probability of the attention weights
  Band band = {};
  const char *query = "query", *key = "key", *value = "value";  ///< names of the linear layers
  LinearOptions linear = {};                                    ///< their options, without Parallel
  double query_initializer_scale = 1;  ///< factor of the initializer_scale of the queries alone
  std::optional<double> scale = {};    ///< factor of the scores; absent: 1 / sqrt(head_size)
};
/// Queries, keys and values of the heads of a device.
struct HeadsOfDevice {
  Value q, k, v;             ///< [batch, seq, heads * head_size]
  AttentionOptions options;  ///< options of attention() for them
};
/// The heads by three linear layers.
/// x [batch, seq, hidden]
HeadsOfDevice project(const Scope& s, const Value& x, const SelfAttention& a);
/// The first of these layers: the queries, without keys and values.
HeadsOfDevice project_queries(const Scope& s, const Value& x, const SelfAttention& a);
/// The other two: keys and values of the heads of a device, [batch, kv, kv_heads * head_size].
struct KeysAndValues {
  Value k, v;
};
KeysAndValues project_keys_and_values(const Scope& s, const Value& x, const SelfAttention& a);
/// The heads by one layer that joins all queries, keys and values: its output with columns({}, 3).
HeadsOfDevice split_projection(const Scope& s, const Value& qkv, const SelfAttention& a);
/// The same where query, key and value of each head are neighbours: the layer's output with columns({}).
HeadsOfDevice split_projection_by_head(const Scope& s, const Value& qkv, const SelfAttention& a);
/// attention() of these heads.
Value attention(const Scope& s, const HeadsOfDevice& heads, const Value& mask);
/// attention() of project(), without a layer after it; [batch, seq, heads of the device * head_size].
Value self_attention(const Scope& s, const Value& x, const Value& mask, const SelfAttention& a);

/// The activation `name` of transformers: "gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "silu", "tanh", ...
/// errors  UsageError for an unknown name
Value activate(std::string_view name, const Value& x);
/// True if activate() knows the name.
bool is_activation(std::string_view name);
/// The names of all activations: "gelu, gelu_new, ...".
std::string known_activations();

/// The first token's vector: x[:, 0, :] of [batch, seq, hidden].
Value first_token(const Value& x);

/// float32 [batch, 1, 1, seq] to add to attention scores: 0 where mask (int32 [batch, seq]) is not 0, else the lowest
/// float.
Value attention_bias(const Value& mask);

}  // namespace portatune::nn
