#include "portatune/graph/stablehlo/writer.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <span>

namespace portatune::stablehlo {
namespace {

std::string join(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

std::string types_text(const std::vector<TensorType>& types) {
  std::vector<std::string> texts;
  for (const TensorType& type : types) texts.push_back(type_text(type));
  return join(texts);
}

// The bits of a float, for values such as NaN that MLIR has no decimal form for.
std::string bits_text(DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat64:
      return fmt::format("0x{:016X}", std::bit_cast<uint64_t>(value));
    case DType::kFloat32:
      return fmt::format("0x{:08X}", std::bit_cast<uint32_t>(static_cast<float>(value)));
    case DType::kBFloat16:
      return fmt::format("0x{:04X}", to_bfloat16(static_cast<float>(value)));
    default:
      return fmt::format("0x{:04X}", to_float16(static_cast<float>(value)));
  }
}

// Bools from `next` as nested lists, because in hexadecimal form eight of them would share a byte.
std::string bools_text(std::span<const int64_t> sizes, const std::byte*& next) {
  if (sizes.empty()) return *next++ == std::byte{0} ? "false" : "true";
  std::vector<std::string> parts;
  for (int64_t i = 0; i < sizes.front(); ++i) parts.push_back(bools_text(sizes.subspan(1), next));
  return fmt::format("[{}]", join(parts));
}

std::string bytes_text(const TensorView& values) {
  std::string hex;
  for (int64_t i = 0; i < values.type.bytes(); ++i) hex += fmt::format("{:02X}", static_cast<unsigned>(values.data[i]));
  return fmt::format("\"0x{}\"", hex);
}

}  // namespace

std::string_view element_type_text(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "i1";
    case DType::kInt8:
      return "i8";
    case DType::kUInt8:
      return "ui8";
    case DType::kInt16:
      return "i16";
    case DType::kInt32:
      return "i32";
    case DType::kUInt32:
      return "ui32";
    case DType::kInt64:
      return "i64";
    case DType::kUInt64:
      return "ui64";
    case DType::kFloat16:
      return "f16";
    case DType::kBFloat16:
      return "bf16";
    case DType::kFloat32:
      return "f32";
    case DType::kFloat64:
      return "f64";
  }
  return {};
}

std::string type_text(const TensorType& type) {
  std::string text = "tensor<";
  for (const int64_t size : type.shape) text += fmt::format("{}x", size);
  return fmt::format("{}{}>", text, element_type_text(type.dtype));
}

std::string scalar_text(DType dtype, double value) {
  if (dtype == DType::kBool) return value != 0 ? "true" : "false";
  if (dtype == DType::kUInt64) return fmt::format("{}", static_cast<uint64_t>(value));
  if (!is_float(dtype)) return fmt::format("{}", static_cast<int64_t>(value));
  if (!std::isfinite(value)) return bits_text(dtype, value);
  return dtype == DType::kFloat64 ? fmt::format("{:.17e}", value) : fmt::format("{:.9e}", value);
}

std::string array_text(const std::vector<int64_t>& values) {
  // An empty array is written without the colon.
  return values.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(values, ", "));
}

std::string list_text(const std::vector<int64_t>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string dense_text(const TensorView& values) {
  const std::byte* first = values.data;
  std::string elements;
  if (values.type.shape.elements() > 0) {
    elements = values.type.dtype == DType::kBool ? bools_text(values.type.shape.sizes(), first) : bytes_text(values);
  }
  return fmt::format("dense<{}> : {}", elements, type_text(values.type));
}

std::string splat_text(const TensorType& type, double value) {
  return fmt::format("dense<{}> : {}", scalar_text(type.dtype, value), type_text(type));
}

std::vector<std::string> Writer::write(const Operation& operation) {
  const std::string name = fmt::format("%{}", next_++);
  const size_t count = operation.result_types.size();
  std::vector<std::string> attributes;
  for (const auto& [key, value] : operation.attributes) attributes.push_back(fmt::format("{} = {}", key, value));

  body_ += fmt::format("    {}{} = \"{}\"({})", name, count > 1 ? fmt::format(":{}", count) : "", operation.name,
                       join(operation.operands));
  if (!attributes.empty()) body_ += fmt::format(" <{{{}}}>", join(attributes));
  if (!operation.region.empty()) body_ += fmt::format(" ({})", operation.region);
  body_ += fmt::format(" : ({}) -> ", types_text(operation.operand_types));
  const std::string types = types_text(operation.result_types);
  body_ += fmt::format(fmt::runtime(count > 1 ? "({})\n" : "{}\n"), types);

  if (count == 1) return {name};
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}#{}", name, i));
  return names;
}

std::vector<std::string> Writer::begin_region(const std::vector<TensorType>& argument_types) {
  std::vector<std::string> names, arguments;
  for (const TensorType& type : argument_types) {
    names.push_back(fmt::format("%{}", next_++));
    arguments.push_back(fmt::format("{}: {}", names.back(), type_text(type)));
  }
  enclosing_.push_back(std::move(body_));
  body_ = fmt::format("{{ ^bb0({}):\n", join(arguments));
  return names;
}

std::string Writer::end_region(const std::vector<std::string>& results, const std::vector<TensorType>& result_types) {
  std::string text = fmt::format("{}    stablehlo.return {} : {} }}", body_, join(results), types_text(result_types));
  body_ = std::move(enclosing_.back());
  enclosing_.pop_back();
  return text;
}

std::string Writer::module(const std::vector<Argument>& arguments, const std::vector<std::string>& results,
                           const std::vector<TensorType>& result_types, int64_t replicas) const {
  std::vector<std::string> signature;
  for (const Argument& argument : arguments) {
    signature.push_back(fmt::format("{}: {}", argument.name, type_text(argument.type)));
    if (argument.aliased_result >= 0) {
      signature.back() += fmt::format(" {{tf.aliasing_output = {} : i32}}", argument.aliased_result);
    }
  }
  return fmt::format(
      "module @portatune{} {{\n"
      "  func.func public @main({}) -> ({}) {{\n"
      "{}"
      "    return {} : {}\n"
      "  }}\n"
      "}}\n",
      replicas == 1 ? "" : fmt::format(" attributes {{mhlo.num_replicas = {} : i32}}", replicas),
      fmt::format("{}", fmt::join(signature, ",\n      ")), types_text(result_types), body_, join(results),
      types_text(result_types));
}

std::string binary_region(std::string_view operation, DType dtype) {
  const std::string scalar = type_text({dtype, {}});
  return fmt::format("{{ ^bb0(%a: {0}, %b: {0}): %c = {1} %a, %b : {0} stablehlo.return %c : {0} }}", scalar,
                     operation);
}

}  // namespace portatune::stablehlo
