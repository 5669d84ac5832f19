// A training step of BERT-base's layers, unrolled and as one loop over stacked weights:  layer_loop_bench [LAYERS...]
// For CPU (with kernels), TPU v5e and H100 it prints how long XLA takes to compile each form and what memory it needs,
// for the CPU also the time of a step. The backward loop computes each layer again from its input (rematerialisation),
// as a loop must keep something smaller than all that a layer has computed.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "portatune/graph/lowering.h"
#include "portatune/portatune.h"
#include "runtime/pjrt/aot.h"

namespace portatune {
namespace {

constexpr int64_t kBatch = 16, kSeq = 128, kHidden = 768, kHeads = 12, kInner = 3072;

const std::vector<Shape> kWeights = {{kHidden, kHidden}, {kHidden}, {kHidden, kHidden}, {kHidden},
                                     {kHidden, kHidden}, {kHidden}, {kHidden, kHidden}, {kHidden},
                                     {kHidden},          {kHidden}, {kInner, kHidden},  {kInner},
                                     {kHidden, kInner},  {kHidden}, {kHidden},          {kHidden}};

Value layer(const Value& x, const Values& w, const Value& bias) {
  const Value attended = attention(linear(x, w[0], w[1]), linear(x, w[2], w[3]), linear(x, w[4], w[5]), bias,
                                   {.heads = kHeads, .scale = 1 / std::sqrt(64.0)});
  const Value h = layer_norm(x + linear(attended, w[6], w[7]), w[8], w[9], 1e-12);
  return layer_norm(h + linear(gelu(linear(h, w[10], w[11])), w[12], w[13]), w[14], w[15], 1e-12);
}

Value int_scalar(int64_t value) { return full({DType::kInt32, {}}, static_cast<double>(value)); }

// Inputs of both forms: x, bias, hyper and, for each weight, weight, m and v.
struct Step {
  Value x = parameter("x", {DType::kBFloat16, {kBatch, kSeq, kHidden}});
  Value bias = parameter("bias", {DType::kFloat32, {kBatch, 1, 1, kSeq}});
  Value hyper = parameter("hyper", {DType::kFloat32, {4}});
  Values weights, m, v;

  void add_weight(const Shape& shape) {
    for (Values* list : {&weights, &m, &v}) list->push_back(parameter("w", {DType::kFloat32, shape}));
  }

  Function finish(const Value& loss, const Values& gradients_of_weights) const {
    Function function{.parameters = {x, bias, hyper}, .results = {loss}, .aliases = {}};
    for (size_t i = 0; i < weights.size(); ++i) {
      const AdamWState next = adamw({weights[i], m[i], v[i]}, gradients_of_weights[i], hyper, {});
      for (const auto& [from, to] : {std::pair(weights[i], next.parameter), {m[i], next.m}, {v[i], next.v}}) {
        function.aliases.emplace_back(function.parameters.size(), function.results.size());
        function.parameters.push_back(from);
        function.results.push_back(to);
      }
    }
    return function;
  }
};

Value loss_of(const Value& x) {
  const Value wide = convert(x, DType::kFloat32);
  return sum(wide * wide);
}

Function unrolled(int64_t layers) {
  Step step;
  for (int64_t i = 0; i < layers; ++i) {
    for (const Shape& shape : kWeights) step.add_weight(shape);
  }
  Value x = step.x;
  for (int64_t i = 0; i < layers; ++i) {
    const auto first = step.weights.begin() + i * std::ssize(kWeights);
    x = layer(x, Values(first, first + std::ssize(kWeights)), step.bias);
  }
  const Value loss = loss_of(x);
  return step.finish(loss, gradients(loss, step.weights));
}

Value row(const Value& stacked, const Value& i) {
  Shape shape = stacked.shape();
  shape.erase(0);
  return reshape(dynamic_slice(stacked, 0, i, 1), shape);
}

Value with_row(const Value& stacked, const Value& i, const Value& values) {
  return dynamic_update_slice(stacked, expand_dims(values, 0), 0, i);
}

Function looped(int64_t layers) {
  Step step;
  for (Shape shape : kWeights) {
    shape.insert(0, layers);
    step.add_weight(shape);
  }
  const auto weights_of = [&](const Value& i) {
    Values weights;
    for (const Value& stacked : step.weights) weights.push_back(row(stacked, i));
    return weights;
  };
  Shape kept = step.x.shape();
  kept.insert(0, layers);
  const Values forward = while_loop(
      {int_scalar(0), step.x, full({DType::kBFloat16, kept}, 0)},
      [&](const Values& s) { return compare(Direction::kLess, s[0], int_scalar(layers)); },
      [&](const Values& s) -> Values {
        return {s[0] + int_scalar(1), layer(s[1], weights_of(s[0]), step.bias), with_row(s[2], s[0], s[1])};
      });
  const Value loss = loss_of(forward[1]);

  Values initial = {int_scalar(layers - 1), gradients(loss, Values{forward[1]})[0]};
  for (const Value& stacked : step.weights) initial.push_back(full(stacked.type(), 0));
  const Values backward = while_loop(
      initial, [&](const Values& s) { return compare(Direction::kGreaterEqual, s[0], int_scalar(0)); },
      [&](const Values& s) -> Values {
        const Value x = row(forward[2], s[0]);
        Values inputs = weights_of(s[0]);
        const Value y = layer(x, inputs, step.bias);
        const Value product = sum(convert(y, DType::kFloat32) * convert(s[1], DType::kFloat32));
        inputs.insert(inputs.begin(), x);
        const Values found = gradients(product, inputs);
        Values next = {s[0] - int_scalar(1), found[0]};
        for (size_t k = 1; k < found.size(); ++k) next.push_back(with_row(s[k + 1], s[0], found[k]));
        return next;
      });
  return step.finish(loss, Values(backward.begin() + 2, backward.end()));
}

// Of all threads: a measure that other programs disturb less.
double processor_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void report_aot(pjrt::AotTarget target, const char* form, int64_t layers, const Function& function) {
  const testing::TestParamInfo<pjrt::AotTarget> info(target, 0);
  const std::string text = to_stablehlo(function, {});
  const pjrt::Topology topology = pjrt::aot_topology(target);
  const double start_s = processor_s();
  const pjrt::Executable executable = topology.compile(text);
  const double compiled_s = processor_s() - start_s;
  const pjrt::MemoryStats memory = executable.memory_stats();
  std::printf("%-9s %-9s %3ld layers  compiled in %6.1f CPU s  temporary %7.1f MB  module %6.1f kB\n",
              pjrt::name_of_target(info).c_str(), form, static_cast<long>(layers), compiled_s,
              static_cast<double>(memory.temporary) / 1e6, static_cast<double>(text.size()) / 1e3);
  std::fflush(stdout);
}

void report_cpu(const char* form, int64_t layers, const Function& function) {
  const Device device({.use_cache = false});
  const double start_s = processor_s();
  const Program program = device.compile(function);
  const double compiled_s = processor_s() - start_s;
  std::vector<DeviceArray> arrays;
  for (const Value& p : function.parameters) arrays.push_back(device.put(Tensor(p.type())));
  double fastest_s = 1e9;
  for (int i = 0; i < 4; ++i) {
    std::vector<DeviceArray*> arguments;
    for (DeviceArray& array : arrays) arguments.push_back(&array);
    const double start_s = now_s();
    std::vector<DeviceArray> results = program.run(arguments);
    results[0].to_host();
    if (i > 0) fastest_s = std::min(fastest_s, now_s() - start_s);
    for (const auto& [from, to] : function.aliases) arrays[from] = std::move(results[to]);
  }
  std::printf("%-9s %-9s %3ld layers  compiled in %6.1f CPU s  step %6.3f s\n", "Cpu", form, static_cast<long>(layers),
              compiled_s, fastest_s);
  std::fflush(stdout);
}

}  // namespace
}  // namespace portatune

int main(int argc, char** argv) {
  using namespace portatune;
  std::vector<int64_t> depths;
  for (int i = 1; i < argc; ++i) depths.push_back(std::atol(argv[i]));
  if (depths.empty()) depths = {12};
  for (const int64_t layers : depths) {
    const std::pair<const char*, Function> forms[] = {{"unrolled", unrolled(layers)}, {"loop", looped(layers)}};
    for (const auto& [name, function] : forms) {
      report_cpu(name, layers, function);
      for (const pjrt::AotTarget target : pjrt::kAotTargets) report_aot(target, name, layers, function);
    }
  }
}
