#include "portatune/models/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "portatune/error.h"
#include "portatune/models/config_reader.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr io::FloatRange kPositive{1e-6, 1e12};
constexpr io::FloatRange kPart{1e-6, 1};
constexpr io::IntRange kLength{1, 1 << 30};

// Reads a number; 0 also means "not given", as in transformers.
void read_unless_zero(const ConfigReader& rope, std::string_view key, double& field) {
  double value = 0;
  rope.read(key, value, {0, 1e12});
  if (value != 0) field = value;
}

void read_lengths(const ConfigReader& config, const ConfigReader& rope, int64_t max_position_embeddings,
                  RopeParameters& p) {
  p.original_max_position_embeddings = max_position_embeddings;
  for (const ConfigReader& object : {rope, config}) {
    object.read("original_max_position_embeddings", p.original_max_position_embeddings, kLength);
  }
}

void read_yarn(const ConfigReader& rope, RopeParameters& p) {
  read_unless_zero(rope, "beta_fast", p.beta_fast);
  read_unless_zero(rope, "beta_slow", p.beta_slow);
  rope.read("mscale", p.mscale, {0, 1e6});
  rope.read("mscale_all_dim", p.mscale_all_dim, {0, 1e6});
  rope.read("truncate", p.truncate);
}

// The frequencies 1, theta^(-2 / size), theta^(-4 / size), ... The exponents are rounded to float32, as in the training
// of the models.
std::vector<double> plain_frequencies(double theta, int64_t size) {
  std::vector<double> inverse;
  for (int64_t i = 0; i < size; i += 2) {
    inverse.push_back(1 / std::pow(theta, static_cast<float>(i) / static_cast<float>(size)));
  }
  return inverse;
}

// Frequencies whose base grows with the length ("NTK-aware").
std::vector<double> dynamic_frequencies(const RopeParameters& p, int64_t size, int64_t max_positions, int64_t seq) {
  const double factor = *p.factor, exponent = static_cast<double>(size) / static_cast<double>(size - 2);
  const double growth = factor * static_cast<double>(std::max(seq, max_positions)) / static_cast<double>(max_positions);
  return plain_frequencies(p.rope_theta * std::pow(growth - (factor - 1), exponent), size);
}

// Frequencies by extrapolation of pairs that turn more than beta_fast times in the original length, by interpolation of
// those that turn less than beta_slow times, and by a linear mix in between.
std::vector<double> yarn_frequencies(const RopeParameters& p, double factor, int64_t size) {
  const double length = static_cast<double>(p.original_max_position_embeddings);
  const auto pair_of = [&](double turns) {
    return static_cast<double>(size) * std::log(length / (turns * kTwoPi)) / (2 * std::log(p.rope_theta));
  };
  double low = pair_of(p.beta_fast), high = pair_of(p.beta_slow);
  if (p.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(size - 1));
  if (low == high) high += 0.001;
  std::vector<double> inverse = plain_frequencies(p.rope_theta, size);
  for (size_t i = 0; i < inverse.size(); ++i) {
    const double interpolated = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    inverse[i] = inverse[i] / factor * interpolated + inverse[i] * (1 - interpolated);
  }
  return inverse;
}

double yarn_attention_factor(const RopeParameters& p, double factor) {
  const auto scale = [&](double mscale) { return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1; };
  if (p.attention_factor) return *p.attention_factor;
  return p.mscale != 0 && p.mscale_all_dim != 0 ? scale(p.mscale) / scale(p.mscale_all_dim) : scale(1);
}

std::vector<double> longrope_frequencies(const RopeParameters& p, int64_t size, int64_t seq) {
  const std::vector<double>& factors = seq > p.original_max_position_embeddings ? p.long_factor : p.short_factor;
  std::vector<double> inverse = plain_frequencies(p.rope_theta, size);
  if (factors.size() != inverse.size()) {
    throw CheckpointError({.where = "config.json, short_factor and long_factor",
                           .given = std::to_string(factors.size()) + " numbers",
                           .expected = std::to_string(inverse.size()) + ", half the head size"});
  }
  for (size_t i = 0; i < inverse.size(); ++i) inverse[i] /= factors[i];
  return inverse;
}

double longrope_attention_factor(const RopeParameters& p, double factor) {
  if (p.attention_factor) return *p.attention_factor;
  if (factor <= 1) return 1;
  return std::sqrt(1 + std::log(factor) / std::log(static_cast<double>(p.original_max_position_embeddings)));
}

// Frequencies in which long waves are stretched by the factor, short ones unchanged, and those between interpolated.
std::vector<double> llama3_frequencies(const RopeParameters& p, int64_t size) {
  const double length = static_cast<double>(p.original_max_position_embeddings), factor = *p.factor;
  std::vector<double> inverse = plain_frequencies(p.rope_theta, size);
  for (double& frequency : inverse) {
    const double turns = length * frequency / kTwoPi;  // turns in the original length
    const double kept = (turns - p.low_freq_factor) / (p.high_freq_factor - p.low_freq_factor);
    const double share = std::clamp(kept, 0.0, 1.0);
    frequency = (1 - share) * frequency / factor + share * frequency;
  }
  return inverse;
}

}  // namespace

RopeParameters rope_parameters(const io::JsonObject& config, const RopeParameters& defaults,
                               int64_t max_position_embeddings) {
  const auto scaling = config.get_object("rope_scaling"), parameters = config.get_object("rope_parameters");
  const auto given =
      scaling && (!parameters || scaling->has("rope_type") || scaling->has("type")) ? scaling : parameters;
  RopeParameters p = defaults;
  const ConfigReader reader(config);
  reader.read("rope_theta", p.rope_theta, kPositive);
  reader.read("partial_rotary_factor", p.partial_rotary_factor, kPart);
  return rope_parameters(config, given, p, max_position_embeddings);
}

RopeParameters rope_parameters(const io::JsonObject& config, const std::optional<io::JsonObject>& given,
                               const RopeParameters& defaults, int64_t max_position_embeddings) {
  RopeParameters p = defaults;
  if (!given) return p;
  const ConfigReader rope(*given);
  rope.read("rope_theta", p.rope_theta, kPositive);
  rope.read("partial_rotary_factor", p.partial_rotary_factor, kPart);
  rope.read("type", p.rope_type);
  rope.read("rope_type", p.rope_type);
  const std::vector<std::string> types{"default", "linear", "dynamic", "yarn", "longrope", "llama3"};
  if (std::ranges::find(types, p.rope_type) == types.end()) {
    throw CheckpointError({.where = "config.json, rope_type",
                           .given = "\"" + p.rope_type + "\"",
                           .expected = "default, linear, dynamic, yarn, longrope or llama3"});
  }
  rope.read("factor", p.factor, kPositive);
  if (p.rope_type == "linear" || p.rope_type == "dynamic" || p.rope_type == "llama3") {
    p.factor = rope.get_float("factor", kPositive);
  }
  read_lengths(config, rope, max_position_embeddings, p);
  rope.read("attention_factor", p.attention_factor, {0, 1e6});
  if (p.rope_type == "yarn") read_yarn(rope, p);
  if (p.rope_type == "longrope") {
    p.short_factor = rope.get_floats("short_factor", kPositive);
    p.long_factor = rope.get_floats("long_factor", kPositive);
  }
  if (p.rope_type == "llama3") {
    p.low_freq_factor = rope.get_float("low_freq_factor", kPositive);
    p.high_freq_factor = rope.get_float("high_freq_factor", {p.low_freq_factor + 1e-6, 1e12});
  }
  return p;
}

RopeFrequencies rope_frequencies(const RopeParameters& p, int64_t head_size, int64_t max_position_embeddings,
                                 int64_t seq) {
  const auto size = static_cast<int64_t>(static_cast<double>(head_size) * p.partial_rotary_factor);
  if (size == 0 || size % 2 != 0 || (p.rope_type == "dynamic" && size < 4)) {
    const bool is_part = p.partial_rotary_factor != 1;
    throw CheckpointError(
        {.where = is_part ? "config.json, partial_rotary_factor" : "config.json",
         .given = "a head size of " + std::to_string(head_size) +
                  (is_part ? ", of which " + std::to_string(size) + " elements rotate" : ""),
         .expected = "an even number of elements for rotary positions, and at least 4 for dynamic ones"});
  }
  const double stretched = static_cast<double>(max_position_embeddings);
  const double factor = p.factor.value_or(stretched / static_cast<double>(p.original_max_position_embeddings));
  std::vector<double> inverse = plain_frequencies(p.rope_theta, size);
  double attention_factor = 1;
  if (p.rope_type == "linear") {
    for (double& frequency : inverse) frequency /= factor;
  } else if (p.rope_type == "dynamic") {
    inverse = dynamic_frequencies(p, size, max_position_embeddings, seq);
  } else if (p.rope_type == "yarn") {
    inverse = yarn_frequencies(p, factor, size);
    attention_factor = yarn_attention_factor(p, factor);
  } else if (p.rope_type == "longrope") {
    inverse = longrope_frequencies(p, size, seq);
    attention_factor = longrope_attention_factor(p, factor);
  } else if (p.rope_type == "llama3") {
    inverse = llama3_frequencies(p, size);
  }
  return {{inverse.begin(), inverse.end()}, attention_factor};
}

RopeTables rope_tables(const RopeFrequencies& frequencies, const Value& positions) {
  Tensor inverse({DType::kFloat32, {static_cast<int64_t>(frequencies.inverse.size())}});
  std::ranges::copy(frequencies.inverse, inverse.as<float>().begin());
  const Value angles = expand_dims(convert(positions, DType::kFloat32), -1) * constant(inverse);
  return {cos(angles) * frequencies.attention_factor, sin(angles) * frequencies.attention_factor};
}

nn::HeadsOfDevice rotated(nn::HeadsOfDevice heads, const RopeTables& tables) {
  heads.q = rotary(heads.q, tables.cos, tables.sin, heads.options.heads);
  heads.k = rotary(heads.k, tables.cos, tables.sin, heads.options.kv_heads);
  return heads;
}

}  // namespace portatune::models
