#include "portatune/hub/initial_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <stdexcept>

#include "portatune/base/random_normal.h"
#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/checkpoint_manifest.h"
#include "portatune/hub/model_folder.h"
#include "portatune/nn/adapted_layers.h"

namespace portatune::hub {
namespace {

// A uniform number in [0, 1).
double uniform(uint64_t key, uint64_t i) { return fraction(split_mix_64(key, i)); }

// Arrays without an effect that old versions of transformers, or T5's authors, saved with the weights.
bool is_ignored(std::string_view name) {
  constexpr std::string_view kIgnored[] = {"embeddings.position_ids",
                                           "embeddings.token_type_ids",
                                           ".attn.bias",
                                           ".attn.masked_bias",
                                           ".attention.bias",
                                           ".attention.masked_bias",
                                           ".rotary_emb.inv_freq",
                                           ".EncDecAttention.relative_attention_bias.weight"};
  return std::ranges::any_of(kIgnored, [&](std::string_view end) { return name.ends_with(end); });
}

Tensor to_float32(const std::string& name, const TensorView& view) {
  if (!is_float(view.type.dtype)) {
    throw CheckpointError(
        {.where = "tensor " + name, .given = to_string(view.type), .expected = "elements of a float type"});
  }
  if (view.type.dtype != DType::kFloat32) return Tensor(view.type.shape, std::span<const float>(to_floats(view)));
  Tensor tensor(view.type);
  std::memcpy(tensor.data(), view.data, static_cast<size_t>(view.type.bytes()));
  return tensor;
}

// A model without one of its adapters would compute something else.
void require_no_adapter(const ModelFolder& folder, const std::string& unused) {
  if (nn::layer_of_adapter(unused).empty()) return;
  throw CheckpointError({.where = folder.path().string(),
                         .given = "the adapter weight " + unused + ", which has no layer in the model",
                         .expected = "an adapter of this model and this head",
                         .fix = "check --task, and --model or base_model_name_or_path in adapter_config.json"});
}

bool is_within(const std::string& prefix, const nn::Parameter& parameter) {
  return parameter.name.starts_with(prefix + ".");
}

// Before the names of a body of which a class has a part without this prefix, such as WhisperForAudioClassification.
constexpr const char* kWholeModel = "model.";

// The body's prefix in some classes for question answering, such as LlamaForQuestionAnswering, in place of that in
// other classes.
const std::string kBodyForAnswers = "transformer";

// The prefix of the body among these parameters, which is `prefix` in most classes; empty: they have none.
std::string prefix_among(std::span<const nn::Parameter> parameters, const std::string& prefix) {
  for (const std::string& one : {prefix, kBodyForAnswers}) {
    if (std::ranges::any_of(parameters, [&](const nn::Parameter& p) { return is_within(one, p); })) return one;
  }
  return {};
}

// Returns whether a parameter belongs to the head of a class that has its body without a prefix.
bool is_of_head(const nn::Parameter& parameter) {
  return std::ranges::any_of(kHeadModules, [&](const char* module) { return is_within(module, parameter); });
}

// Returns whether the config seems to describe another model than the checkpoint.
bool is_of_another_model(const LoadReport& report) { return !report.body.empty() && !report.unexpected.empty(); }

std::string advice_on(const LoadReport& report, NewWeights allowed) {
  if (report.body.empty()) {
    return "train it with portatune fit, which makes a head, or choose the --task that the checkpoint is for";
  }
  const std::string check = is_of_another_model(report) ? "compare model_type and the sizes in config.json with the "
                                                          "checkpoint, or use an undamaged copy"
                                                        : "use an undamaged copy of the checkpoint";
  return allowed == NewWeights::kNone ? check : check + "; --allow-new-weights lets these weights start at random";
}

// The sine (`part` 0) or cosine (1) of the frequency `pair` at the position `row`.
float sinusoid(size_t row, size_t pair, size_t part, size_t width) {
  const double exponent = static_cast<double>(2 * pair) / static_cast<double>(width);
  const double angle = static_cast<double>(row) / std::pow(10000.0, exponent);
  return static_cast<float>(part == 0 ? std::sin(angle) : std::cos(angle));
}

// values [rows, width]
void fill_with_sinusoids(std::span<float> values, size_t width) {
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t column = i % width;
    values[i] = sinusoid(i / width, column / 2, column % 2, width);
  }
}

void fill_with_split_sinusoids(std::span<float> values, size_t width) {
  const size_t sines = (width + 1) / 2;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t column = i % width, part = column < sines ? 0 : 1;
    values[i] = sinusoid(i / width, column - part * sines, part, width);
  }
}

// A normal number within +- cutoff; 0: any.
double truncated_normal(uint64_t key, uint64_t i, double cutoff) {
  double value = normal(key, i);
  for (uint64_t attempt = 1; cutoff > 0 && std::abs(value) > cutoff; ++attempt) {
    value = normal(split_mix_64(key, ~attempt), i);
  }
  return value;
}

void fill_with_normal(Tensor& tensor, const nn::Initializer& initializer, uint64_t key) {
  const std::span<float> values = tensor.as<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(initializer.stddev * truncated_normal(key, i, initializer.cutoff));
  }
  if (initializer.zero_row < 0) return;
  const auto width = static_cast<size_t>(tensor.shape().back());
  std::ranges::fill(values.subspan(static_cast<size_t>(initializer.zero_row) * width, width), 0.0f);
}

// The norms of a matrix along an axis.
Tensor norms_of(const Tensor& matrix, int64_t axis) {
  const Shape& shape = matrix.shape();
  Tensor norms({DType::kFloat32, {shape[1 - axis]}});
  std::vector<double> squares(norms.as<float>().size());
  const std::span<const float> values = matrix.as<float>();
  const auto width = static_cast<size_t>(shape[1]);
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    squares[axis == 1 ? i / width : i % width] += value * value;
  }
  std::ranges::transform(squares, norms.as<float>().begin(),
                         [](double sum) { return static_cast<float>(std::sqrt(sum)); });
  return norms;
}

}  // namespace

Tensor draw(const nn::Parameter& parameter, uint64_t seed) {
  Tensor tensor(parameter.type);
  const std::span<float> values = tensor.as<float>();
  switch (parameter.initializer.kind) {
    case nn::Initializer::Kind::kZeros:
    case nn::Initializer::Kind::kNorms:  // see initial_value()
      break;
    case nn::Initializer::Kind::kOnes:
      std::ranges::fill(values, 1.0f);
      break;
    case nn::Initializer::Kind::kNormal:
      fill_with_normal(tensor, parameter.initializer, key_of(parameter.name, seed));
      break;
    case nn::Initializer::Kind::kUniform: {
      const uint64_t key = key_of(parameter.name, seed);
      const double limit = std::sqrt(3.0) * parameter.initializer.stddev, mean = parameter.initializer.mean;
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(mean + limit * (2 * uniform(key, i) - 1));
      }
      break;
    }
    case nn::Initializer::Kind::kSinusoids:
      fill_with_sinusoids(values, static_cast<size_t>(tensor.shape().back()));
      break;
    case nn::Initializer::Kind::kSplitSinusoids:
      fill_with_split_sinusoids(values, static_cast<size_t>(tensor.shape().back()));
  }
  return tensor;
}

Tensor initial_value(const nn::Parameter& parameter, std::span<const nn::Parameter> parameters,
                     std::span<const Tensor> values, uint64_t seed) {
  if (parameter.initializer.kind != nn::Initializer::Kind::kNorms) return draw(parameter, seed);
  const std::string weight = std::string(nn::layer_of_adapter(parameter.name)) + ".weight";
  const auto found = std::ranges::find(parameters, weight, &nn::Parameter::name);
  const auto index = static_cast<size_t>(found - parameters.begin());
  if (index >= values.size()) throw std::logic_error(parameter.name + " has no earlier " + weight);
  return norms_of(values[index], parameter.initializer.axis);
}

InitialWeights draw_weights(std::span<const nn::Parameter> parameters, uint64_t seed) {
  InitialWeights result;
  for (const nn::Parameter& parameter : parameters) {
    result.values.push_back(initial_value(parameter, parameters, result.values, seed));
    result.report.missing.push_back(parameter.name);
  }
  return result;
}

void require_weights(const LoadReport& report, size_t parameters, NewWeights allowed) {
  constexpr size_t kMaxNames = 4;
  const std::vector<std::string>& refused = allowed == NewWeights::kNone ? report.missing : report.body;
  if (allowed == NewWeights::kAny || refused.empty()) return;
  std::string given = "no weights for " + std::to_string(refused.size()) + " of " + std::to_string(parameters) +
                      " parameters: " + list_of(refused, kMaxNames);
  if (is_of_another_model(report)) given += "; but tensors without a parameter, such as " + report.unexpected.front();
  throw CheckpointError({.where = report.folder.empty() ? "the model" : report.folder.string(),
                         .given = given,
                         .expected = allowed == NewWeights::kNone
                                         ? "all weights: weights that start at random have learnt nothing"
                                         : "all weights of the pretrained body; a head may be new",
                         .fix = advice_on(report, allowed)});
}

InitialWeights load_weights(const ModelFolder& folder, std::span<const nn::Parameter> parameters,
                            const std::string& prefix, uint64_t seed) {
  folder.require_weights();
  verify_weights(folder.path(), folder.valid_checkpoint());
  if (is_adapter(folder.path())) verify_weights(base_of(folder.path()));
  InitialWeights result;
  result.report.folder = folder.path();
  const std::string own_prefix = prefix_among(parameters, prefix);
  std::set<std::string, std::less<>> used;
  const auto find = [&](const std::string& name) {
    std::optional<TensorView> view = folder.find(name);
    if (view) used.insert(name);
    return view;
  };
  for (const nn::Parameter& parameter : parameters) {
    const std::string& name = parameter.name;
    const bool in_encoder = own_prefix.empty() ? !is_of_head(parameter) : is_within(own_prefix, parameter);
    std::optional<TensorView> view = find(name);
    if (!view && in_encoder && !own_prefix.empty()) {
      const std::string bare = name.substr(own_prefix.size() + 1);
      view = find(bare);
      if (!view) view = find(prefix + "." + bare);
    }
    if (!view && in_encoder) view = find(kWholeModel + name);
    for (const std::string& alias : parameter.aliases) {
      const std::optional<TensorView> same = find(alias);
      if (!view) view = same;
    }
    if (view && view->type.shape != parameter.type.shape) {
      if (in_encoder) {
        throw CheckpointError({.where = folder.path().string() + ", tensor " + name,
                               .given = "shape " + to_string(view->type.shape),
                               .expected = to_string(parameter.type.shape) + ", by config.json"});
      }
      result.report.replaced.push_back(name);
      view.reset();
    }
    if (!view && !parameter.is_buffer) {
      result.report.missing.push_back(name);
      const bool is_of_body = in_encoder && !name.starts_with(prefix + ".pooler.");
      if (is_of_body && nn::layer_of_adapter(name).empty()) result.report.body.push_back(name);
    }
    result.values.push_back(view ? to_float32(name, *view) : initial_value(parameter, parameters, result.values, seed));
  }
  folder.require_whole();
  for (const NamedTensorView& tensor : folder.tensors()) {
    if (used.contains(tensor.name) || is_ignored(tensor.name)) continue;
    require_no_adapter(folder, tensor.name);
    result.report.unexpected.push_back(tensor.name);
  }
  return result;
}

}  // namespace portatune::hub
