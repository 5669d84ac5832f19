#include "portatune/models/unused_layers.h"

namespace portatune::models {

using nn::Initializer;

void unused_linear(const nn::Scope& s, int64_t inputs, int64_t outputs, const nn::LinearOptions& options) {
  s.buffer("weight", {outputs, inputs}, {Initializer::Kind::kNormal, s.options().initializer_range});
  if (options.bias) s.buffer("bias", {outputs}, {Initializer::Kind::kZeros});
}

void unused_norm(const nn::Scope& s, int64_t size) {
  s.buffer("weight", {size}, {Initializer::Kind::kOnes});
  s.buffer("bias", {size}, {Initializer::Kind::kZeros});
}

}  // namespace portatune::models
