#include <algorithm>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/nn.h"
#include "portatune/nn/adapted_layers.h"
#include "portatune/nn/name_pattern.h"
#include "portatune/ops.h"

namespace portatune::nn {
namespace {

// FNV-1a, which is the same on all platforms, in contrast to std::hash.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

// The sharding of a split parameter: its parts are also divided over the devices along fsdp, if possible.
Sharding sharding_of(const Split& split, const Shape& shape, const Mesh& mesh) {
  Sharding sharding{.axis = split.axis, .over = {MeshAxis::kTensor}, .blocks = split.blocks};
  if (mesh.fsdp > 1 && shape[split.axis] % (mesh.tensor * mesh.fsdp) == 0) sharding.over.push_back(MeshAxis::kFsdp);
  return sharding;
}

// The sharding of other parameters: by the first axis that can be divided over the devices along fsdp, because shards
// along the first axis are contiguous. A parameter without such an axis, such as the bias of a head, is not divided.
Sharding sharding_of(const Shape& shape, const Mesh& mesh) {
  if (mesh.fsdp == 1) return {};
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] % mesh.fsdp == 0) return {.axis = axis, .over = {MeshAxis::kFsdp}};
  }
  return {};
}

// Gathers the shards of the devices along fsdp, sent in the given type.
Value gathered(const Value& input, const Sharding& sharding, const Mesh& mesh, DType sent_as) {
  const bool is_divided = std::ranges::find(sharding.over, MeshAxis::kFsdp) != sharding.over.end();
  return is_divided ? all_gather(input, sharding.axis, mesh, {MeshAxis::kFsdp}, sent_as) : input;
}

bool is_trainable(const std::string& name, const ContextOptions& options) {
  if (options.lora) return is_trained(*options.lora, name);
  return std::ranges::none_of(options.frozen, [&](const std::string& pattern) { return matches(name, pattern); });
}

// The divisors of a number, as text.
std::string divisors_of(int64_t count) {
  constexpr int64_t kMaxDevices = 64;
  std::vector<std::string> divisors;
  for (int64_t i = 1; i <= std::min(count, kMaxDevices); ++i) {
    if (count % i == 0) divisors.push_back(std::to_string(i));
  }
  return list_of(divisors);
}

}  // namespace

int64_t share(const Scope& s, std::string_view what, int64_t count) {
  const Mesh& mesh = s.options().mesh;
  if (count % mesh.tensor == 0) return count / mesh.tensor;
  UsageError error({.where = "mesh " + to_string(mesh),
                    .given = std::to_string(count) + " " + std::string(what),
                    .expected = "a number of devices along tensor that can share them equally: " + divisors_of(count)});
  error.set_context(s.path());
  throw error;
}

std::optional<Split> vocabulary_split(const Scope& s, int64_t vocab_size) {
  if (vocab_size % s.options().mesh.tensor != 0) return std::nullopt;
  return Split{.axis = 0};
}

const Parameter& Context::parameter(const std::string& name, const Shape& shape, const Initializer& initializer,
                                    const std::optional<Split>& split, const std::optional<int64_t>& layer) {
  if (const auto known = by_name_.find(name); known != by_name_.end()) {
    const Parameter& parameter = *known->second;
    if (parameter.type.shape != shape) {
      throw ShapeError({.where = "parameter " + name,
                        .given = to_string(parameter.type.shape) + " and " + to_string(shape),
                        .expected = "one shape for all layers that share the parameter"});
    }
    return parameter;
  }
  const DType dtype = shape.rank() >= 2 ? options_.matrix_dtype : DType::kFloat32;
  const Mesh& mesh = options_.mesh;
  const Sharding sharding = split && mesh.tensor > 1 ? sharding_of(*split, shape, mesh) : sharding_of(shape, mesh);
  const Value input = portatune::parameter(name, part_of({dtype, shape}, sharding, mesh));
  const auto sent_as = [&](DType sent) { return convert(gathered(input, sharding, mesh, sent), DType::kFloat32); };
  const Value value = sent_as(dtype);
  const bool is_rounded = dtype == DType::kFloat32 && options_.compute_dtype != DType::kFloat32;
  const bool trainable = is_trainable(name, options_);
  parameters_.push_back({.name = name,
                         .value = value,
                         .rounded = is_rounded ? sent_as(options_.compute_dtype) : value,
                         .initializer = initializer,
                         .input = input,
                         .sharding = sharding,
                         .type = {DType::kFloat32, shape},
                         .trainable = trainable,
                         .layer = layer});
  by_name_.emplace(name, &parameters_.back());
  return parameters_.back();
}

const Parameter& Context::buffer(const std::string& name, const Shape& shape, const Initializer& initializer) {
  parameter(name, shape, initializer);
  Parameter& buffer = *by_name_.at(name);
  buffer.trainable = false;
  buffer.is_buffer = true;
  return buffer;
}

const Parameter& Context::tied_parameter(const std::string& alias, const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    throw UsageError({.where = "parameter " + alias,
                      .given = "a tie to " + name + ", which no layer has",
                      .expected = "an existing parameter"});
  }
  const bool trainable = is_trainable(alias, options_);
  if (options_.lora && trainable != found->second->trainable) {
    throw UsageError({.where = "modules_to_save",
                      .given = "one of " + name + " and " + alias + ", which are one weight",
                      .expected = "both or none of them"});
  }
  if (!trainable) found->second->trainable = false;
  std::vector<std::string>& aliases = found->second->aliases;
  if (std::ranges::find(aliases, alias) == aliases.end()) aliases.push_back(alias);
  return *found->second;
}

Value Context::dropout_rule(double rate) {
  const Tensor rule = portatune::dropout_rule(rate);
  if (!options_.rates_are_inputs) return constant(rule);
  dropouts_.push_back({.rule = portatune::parameter("dropout_rule", rule.type()), .rate = rate});
  return dropouts_.back().rule;
}

Scope Scope::operator/(std::string_view name) const {
  Scope inner = *this;
  if (!inner.path_.empty()) inner.path_ += '.';
  inner.path_ += name;
  return inner;
}

Scope Scope::operator/(int64_t index) const {
  Scope inner = *this / std::to_string(index);
  if (!inner.layer_) inner.layer_ = index;
  return inner;
}

Value Scope::parameter(std::string_view name, const Shape& shape, const Initializer& initializer,
                       const std::optional<Split>& split) const {
  return context_->parameter((*this / name).path(), shape, initializer, split, layer_).value;
}

Value Scope::rounded_parameter(std::string_view name, const Shape& shape, const Initializer& initializer,
                               const std::optional<Split>& split) const {
  return context_->parameter((*this / name).path(), shape, initializer, split, layer_).rounded;
}

Value Scope::buffer(std::string_view name, const Shape& shape, const Initializer& initializer) const {
  return context_->buffer((*this / name).path(), shape, initializer).value;
}

const Parameter& Scope::tied_parameter(std::string_view name, const std::string& path) const {
  return context_->tied_parameter((*this / name).path(), path);
}

Value Scope::random_key() const {
  const Value& key = options().random_key;
  if (!key) {
    throw UsageError({.where = "dropout in " + path_,
                      .given = "a training graph without a random key",
                      .expected = "ContextOptions::random_key"});
  }
  const int64_t earlier = context_->count_random_key(path_);
  const uint64_t site = hash_of(earlier == 0 ? path_ : path_ + "#" + std::to_string(earlier));
  return bitwise_xor(key, constant(Tensor({2}, {static_cast<uint32_t>(site), static_cast<uint32_t>(site >> 32)})));
}

}  // namespace portatune::nn
