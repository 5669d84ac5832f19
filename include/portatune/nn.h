// Named parameters and the layers that own them.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/ops.h"

namespace portatune::nn {

/// How a parameter starts when no checkpoint has it.
struct Initializer {
  enum class Kind {
    kZeros,
    kOnes,
    kNormal,
    kSinusoids  ///< row p: sin and cos of p / 10000^(2i / width) by turns. Vaswani et al. 2017, arXiv:1706.03762, 3.5
  } kind = Kind::kZeros;
  double stddev = 0;  ///< of kNormal, around 0
};

/// That the devices along `tensor` have parts of a parameter, along an axis. Sharding::blocks says what blocks are.
struct Split {
  int64_t axis = 0;
  int64_t blocks = 1;
};

/// An array of weights, float32 for the layers, under its name in the checkpoint.
struct Parameter {
  std::string name;
  Value value;  ///< what a device computes with: all, or of one that is split its part
  /// The same for layers that round it to the compute type anyway: numbers that devices send each other for it may have
  /// been rounded to that before. Gradients are not rounded.
  Value rounded = value;
  Initializer initializer;
  std::vector<std::string> aliases = {};  ///< other names under which checkpoints hold it, if it is shared by layers
  /// As the program gets it: in the type that it is stored in, of which each device has a part by `sharding`.
  Value input = value;
  Sharding sharding = {};
  TensorType type = value.type();  ///< float32, of the whole array
};

/// What all layers of a model share while its graph is built.
struct ContextOptions {
  DType compute_dtype = DType::kFloat32;  ///< of activations and matrix products
  bool training = false;                  ///< whether dropout drops
  double initializer_range = 0.02;        ///< standard deviation of new weights
  Value random_key = {};                  ///< uint32 [2], new in each step; needed for dropout
  Remat remat = Remat::kNone;             ///< of the layers of a model
  DType matrix_dtype = DType::kFloat32;   ///< that a program gets matrices in; other than float32 where nothing learns
  Mesh mesh = {};                         ///< of the devices that run the program
};

class Context {
 public:
  explicit Context(ContextOptions options) : options_(std::move(options)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const ContextOptions& options() const { return options_; }

  /// The parameter of that name; made when it is first asked for, in that order. ShapeError if it was made with another
  /// shape before: layers that share a parameter must agree on it.
  /// shape  of the whole array
  /// split  of which a device gets its part; ShapeError if there are no equal parts
  const Parameter& parameter(const std::string& name, const Shape& shape, const Initializer& initializer,
                             const std::optional<Split>& split = {});
  /// The parameter `name`, which there must be, under another name, too: how layers are tied.
  const Parameter& tied_parameter(const std::string& alias, const std::string& name);
  /// All so far, in the order in which they were first asked for.
  const std::deque<Parameter>& parameters() const { return parameters_; }

  /// How many times it has been called with this path.
  int64_t count_random_key(const std::string& path) { return random_keys_[path]++; }

 private:
  ContextOptions options_;
  std::deque<Parameter> parameters_;
  std::map<std::string, Parameter*, std::less<>> by_name_;
  std::map<std::string, int64_t> random_keys_;
};

/// A place in the model: s / "encoder" / "layer" / 3 is "encoder.layer.3", the prefix of its keys in the checkpoint.
class Scope {
 public:
  /// The root, whose path is empty.
  explicit Scope(Context& context) : context_(&context) {}

  Scope operator/(std::string_view name) const;
  Scope operator/(int64_t index) const { return *this / std::to_string(index); }

  const std::string& path() const { return path_; }
  const ContextOptions& options() const { return context_->options(); }

  /// Parameter::value of the parameter `name` of this place, e.g. "weight".
  Value parameter(std::string_view name, const Shape& shape, const Initializer& initializer,
                  const std::optional<Split>& split = {}) const;
  /// Its Parameter::rounded, for a layer that rounds all of it to the compute type.
  Value rounded_parameter(std::string_view name, const Shape& shape, const Initializer& initializer,
                          const std::optional<Split>& split = {}) const;
  /// The parameter `name` of this place, which is the parameter of another layer.
  /// path  of that parameter, from the root: "bert.embeddings.word_embeddings.weight"
  const Parameter& tied_parameter(std::string_view name, const std::string& path) const;
  /// A key for the random numbers of this place: a function of the step's key, of the path, and of how many keys the
  /// place has had before, so that no two are equal.
  Value random_key() const;

 private:
  Context* context_;
  std::string path_;
};

// Where devices along the axis `tensor` of the mesh share a layer's work. Without that axis nothing of this matters.

/// How many of a model's heads or the like are a device's.
/// what    they are called: "attention heads"
/// errors  UsageError, which says how many devices could share them, where those along `tensor` cannot
int64_t share(const Scope& s, std::string_view what, int64_t count);
/// Of parameters with a row or an element for each word: split along their first axis where the devices can share them
/// equally, else none.
std::optional<Split> vocabulary_split(const Scope& s, int64_t vocab_size);

/// source  Shoeybi et al. 2019, arXiv:1909.08053, section 3
enum class Parallel {
  kNone,    ///< each device computes all
  kColumn,  ///< each computes its part of y's features, from all of x; activations, heads and kRow take such parts
  kRow      ///< each has its part of x's features; y is all, the sum of what the devices make of theirs
};

// Layers. Their parameters have the names that torch gives them; errors say in which scope they arose.

struct LinearOptions {
  bool bias = true;
  double initializer_scale = 1;  ///< of the standard deviation of a new weight
  Parallel parallel = Parallel::kNone;
  int64_t blocks = 1;  ///< of kColumn: y is so many equal ones side by side, of each of which a device computes a part
};
/// The options with that parallelism.
LinearOptions columns(LinearOptions options = {}, int64_t blocks = 1);
LinearOptions rows(LinearOptions options = {});
/// x W^T + b; "weight" [size, in], "bias" [size], of all features, whatever part of them a device has.
Value linear(const Scope& s, const Value& x, int64_t size, const LinearOptions& options = {});
/// x W + b; "weight" [in, size], "bias" [size]: what transformers calls Conv1D.
Value conv1d(const Scope& s, const Value& x, int64_t size, const LinearOptions& options = {});
struct LayerNormOptions {
  bool bias = true;
};
/// In float32, then in the compute type; "weight" and "bias" [last size of x].
Value layer_norm(const Scope& s, const Value& x, double eps, const LayerNormOptions& options = {});
/// In float32, then in the compute type; "weight" [last size of x].
Value rms_norm(const Scope& s, const Value& x, double eps);
/// Rows of "weight" [rows, width], in the compute type.
/// padding_id  whose row gets no gradient from here, as torch.nn.Embedding's padding_idx; -1: there is none
Value embedding(const Scope& s, const Value& ids, int64_t rows, int64_t width, int64_t padding_id = -1);
/// The same for words, whose rows the devices along `tensor` share by vocabulary_split().
Value word_embedding(const Scope& s, const Value& ids, int64_t vocab_size, int64_t width, int64_t padding_id = -1);
/// Drops in training, else gives x back.
Value dropout(const Scope& s, const Value& x, double rate);
/// The same where x is a device's part of the features, of which it drops what one device drops of all.
Value dropout_of_part(const Scope& s, const Value& x, double rate);

/// y, which a layer of the model has computed from x: portatune::remat() by the policy of the context.
Value remat(const Scope& s, const Value& x, const Value& y);

/// portatune::attention(), which drops weights in training alone, by a key of this place.
/// options  of the device's share() of the heads; dropout_heads are all of them
Value attention(const Scope& s, const Value& q, const Value& k, const Value& v, const Value& mask,
                AttentionOptions options);

/// The activation that transformers calls `name`: "gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "silu", "tanh", ...
/// UsageError for an unknown name.
Value activate(std::string_view name, const Value& x);
/// Whether activate() knows the name.
bool is_activation(std::string_view name);

/// What stands in the first place: x[:, 0, :] of [batch, seq, hidden].
Value first_token(const Value& x);

/// float32 [batch, 1, 1, seq] to add to attention scores: 0 where mask (int32 [batch, seq]) is not 0, else the lowest
/// float.
Value attention_bias(const Value& mask);

}  // namespace portatune::nn
