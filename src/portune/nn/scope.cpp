#include <algorithm>

#include "portune/error.h"
#include "portune/nn.h"
#include "portune/ops.h"

namespace portune::nn {
namespace {

// FNV-1a: the same everywhere, which std::hash is not.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

// By the longest axis that can be divided over the devices along fsdp, the first of several. What has none, such as the
// bias of a head, they hold whole.
Sharding sharding_of(const Shape& shape, const Mesh& mesh) {
  if (mesh.fsdp == 1) return {};
  int64_t longest = 0;
  Sharding sharding;
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] % mesh.fsdp != 0 || shape[axis] <= longest) continue;
    longest = shape[axis];
    sharding = {.axis = axis, .over = {MeshAxis::kFsdp}};
  }
  return sharding;
}

}  // namespace

Value Context::parameter(const std::string& name, const Shape& shape, const Initializer& initializer) {
  if (const auto known = by_name_.find(name); known != by_name_.end()) {
    const Value& value = known->second->value;
    if (value.shape() != shape) {
      throw ShapeError({.where = "parameter " + name,
                        .given = to_string(value.shape()) + " and " + to_string(shape),
                        .expected = "one shape for all layers that share the parameter"});
    }
    return value;
  }
  const DType dtype = shape.rank() >= 2 ? options_.matrix_dtype : DType::kFloat32;
  const Sharding sharding = sharding_of(shape, options_.mesh);
  const Value input = portune::parameter(name, part_of({dtype, shape}, sharding, options_.mesh));
  const Value whole = all_gather(input, sharding.axis, options_.mesh, sharding.over);
  parameters_.push_back({.name = name,
                         .value = convert(whole, DType::kFloat32),
                         .initializer = initializer,
                         .input = input,
                         .sharding = sharding});
  by_name_.emplace(name, &parameters_.back());
  return parameters_.back().value;
}

Value Context::tied_parameter(const std::string& alias, const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    throw UsageError({.where = "parameter " + alias,
                      .given = "a tie to " + name + ", which no layer has",
                      .expected = "a parameter that was made before"});
  }
  std::vector<std::string>& aliases = found->second->aliases;
  if (std::ranges::find(aliases, alias) == aliases.end()) aliases.push_back(alias);
  return found->second->value;
}

Scope Scope::operator/(std::string_view name) const {
  Scope inner = *this;
  if (!inner.path_.empty()) inner.path_ += '.';
  inner.path_ += name;
  return inner;
}

Value Scope::parameter(std::string_view name, const Shape& shape, const Initializer& initializer) const {
  return context_->parameter((*this / name).path(), shape, initializer);
}

Value Scope::tied_parameter(std::string_view name, const std::string& path) const {
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

}  // namespace portune::nn
