#include "graph/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "portatune/error.h"

namespace portatune::test {
namespace {

std::vector<Tensor> run(const Program& program, const Device& device, const std::vector<Tensor>& inputs) {
  std::vector<DeviceArray> arrays;
  for (const Tensor& input : inputs) arrays.push_back(device.put(input.view()));
  std::vector<DeviceArray*> arguments;
  for (DeviceArray& array : arrays) arguments.push_back(&array);
  std::vector<Tensor> results;
  for (const DeviceArray& result : program.run(arguments)) results.push_back(result.to_host());
  return results;
}

std::vector<double> to_doubles(const Tensor& tensor) {
  std::vector<double> values;
  const auto append = [&](auto elements) { values.assign(elements.begin(), elements.end()); };
  switch (tensor.dtype()) {
    case DType::kFloat64:
      append(tensor.as<double>());
      break;
    case DType::kInt32:
      append(tensor.as<int32_t>());
      break;
    case DType::kUInt32:
      append(tensor.as<uint32_t>());
      break;
    case DType::kBool:
      for (int64_t i = 0; i < tensor.shape().elements(); ++i) values.push_back(tensor.data()[i] != std::byte{0});
      break;
    default:
      append(to_floats(tensor.view()));
  }
  return values;
}

Values parameters_for(const std::vector<Tensor>& x) {
  Values parameters;
  for (const Tensor& tensor : x) parameters.push_back(parameter("x", tensor.type()));
  return parameters;
}

// A scalar that depends on each element of y with a different weight.
Value weighted_sum(const Value& y) { return sum(y * constant(random(y.type(), 99))); }

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

void expect_close(const std::vector<double>& found, const std::vector<double>& wanted, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(found.size(), wanted.size()) << what;
  const double allowed = tolerance * std::max(1.0, largest(wanted));
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_FALSE(std::isnan(found[i])) << what << ", element " << i;
    ASSERT_NEAR(found[i], wanted[i], allowed) << what << ", element " << i;
  }
}

}  // namespace

std::filesystem::path program_cache() {
  return std::filesystem::path(PORTATUNE_TEST_CACHE) / "portatune" / "executables";
}

const Device& decompositions() {
  static const Device device({.cache_folder = program_cache(), .use_kernels = false});
  return device;
}

const Device& kernels() {
  static const Device device({.cache_folder = program_cache()});
  return device;
}

std::vector<Tensor> evaluate(const Values& results, const Values& parameters, const std::vector<Tensor>& inputs,
                             const Device& device) {
  return run(device.compile({.parameters = parameters, .results = results}), device, inputs);
}

std::vector<double> elements(const Value& result) { return to_doubles(evaluate({result}).front()); }

Tensor random(const TensorType& type, uint32_t seed) {
  std::mt19937 generator(seed);  // the standard defines its output, in contrast to that of distributions
  Tensor tensor(type);
  for (int64_t i = 0; i < type.shape.elements(); ++i) {
    const double value = generator() / 2147483648.0 - 1;
    const size_t k = static_cast<size_t>(i);
    switch (type.dtype) {
      case DType::kFloat64:
        tensor.as<double>()[k] = value;
        break;
      case DType::kFloat32:
        tensor.as<float>()[k] = static_cast<float>(value);
        break;
      case DType::kFloat16:
        reinterpret_cast<uint16_t*>(tensor.data())[k] = to_float16(static_cast<float>(value));
        break;
      case DType::kBFloat16:
        reinterpret_cast<uint16_t*>(tensor.data())[k] = to_bfloat16(static_cast<float>(value));
        break;
      default:
        throw std::logic_error("random numbers of type " + to_string(type));
    }
  }
  return tensor;
}

Tensor random(const Shape& shape, uint32_t seed) { return random(TensorType{DType::kFloat64, shape}, seed); }

void check_gradient(const Differentiable& f, const std::vector<Tensor>& x, GradientCheck check) {
  const Values parameters = parameters_for(x);
  const Value loss = weighted_sum(f(parameters));
  const std::vector<Tensor> found = evaluate(gradients(loss, parameters), parameters, x);
  const Program program = decompositions().compile({.parameters = parameters, .results = {loss}});

  for (size_t i = 0; i < x.size(); ++i) {
    std::vector<Tensor> moved = x;
    const auto loss_at = [&](int64_t k, double by) {
      const size_t element = static_cast<size_t>(k);
      moved[i] = x[i];
      if (x[i].dtype() == DType::kFloat64) {
        moved[i].as<double>()[element] += by;
      } else {
        moved[i].as<float>()[element] += static_cast<float>(by);
      }
      return to_doubles(run(program, decompositions(), moved).front()).front();
    };
    std::vector<double> wanted;
    for (int64_t k = 0; k < x[i].shape().elements(); ++k) {
      wanted.push_back((loss_at(k, check.step) - loss_at(k, -check.step)) / (2 * check.step));
    }
    moved[i] = x[i];
    expect_close(to_doubles(found[i]), wanted, check.tolerance, "gradient of input " + std::to_string(i));
  }
}

void check_kernel(const std::vector<std::string>& kernels_used, const Differentiable& f, const std::vector<Tensor>& x,
                  double tolerance) {
  for (const std::string& kernel : kernels_used) {
    if (!kernels().target().kernels.contains(kernel)) GTEST_SKIP() << "this machine has no kernel " << kernel;
  }
  const Values parameters = parameters_for(x);
  const Value y = f(parameters);
  Values results = gradients(convert(weighted_sum(y), DType::kFloat32), parameters);
  results.push_back(y);
  const Function function{.parameters = parameters, .results = results};
  const std::string text = to_stablehlo(function, kernels().target());
  for (const std::string& kernel : kernels_used) {
    ASSERT_NE(text.find("\"" + kernel + "\""), std::string::npos) << "the program does not call " << kernel;
  }
  const std::vector<Tensor> found = evaluate(results, parameters, x, kernels());
  const std::vector<Tensor> wanted = evaluate(results, parameters, x, decompositions());
  for (size_t i = 0; i < results.size(); ++i) {
    expect_close(to_doubles(found[i]), to_doubles(wanted[i]), tolerance,
                 i < x.size() ? "gradient of input " + std::to_string(i) : "result");
  }
}

void expect_shape_error(const std::function<void()>& build, const std::vector<std::string>& parts) {
  try {
    build();
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " is not in:\n" << error.what();
    }
  }
}

}  // namespace portatune::test
