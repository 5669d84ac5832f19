#include "portatune/runtime/pjrt/cache/module_signature.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "portatune/error.h"

namespace portatune::pjrt {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 12> kElementTypes = {{
    {"i1", DType::kBool},
    {"i8", DType::kInt8},
    {"ui8", DType::kUInt8},
    {"i16", DType::kInt16},
    {"i32", DType::kInt32},
    {"ui32", DType::kUInt32},
    {"i64", DType::kInt64},
    {"ui64", DType::kUInt64},
    {"f16", DType::kFloat16},
    {"bf16", DType::kBFloat16},
    {"f32", DType::kFloat32},
    {"f64", DType::kFloat64},
}};

[[noreturn]] void throw_malformed(std::string_view given) {
  throw UsageError({.where = "StableHLO module",
                    .given = std::string(given),
                    .expected = "func.func public @main with parameters of tensor type and static shape"});
}

std::optional<DType> element_type(std::string_view name) {
  for (const auto& [known, dtype] : kElementTypes) {
    if (known == name) return dtype;
  }
  return {};
}

// Reads a type: "8x128xf32" -> float32[8, 128].
TensorType read_type(std::string_view text) {
  std::vector<int64_t> sizes;
  std::string_view rest = text;
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (error != std::errc() || !rest.starts_with('x')) throw_malformed(text);
    rest.remove_prefix(1);
    sizes.push_back(size);
  }
  const std::optional<DType> dtype = element_type(rest);
  if (!dtype) throw_malformed(text);
  return {*dtype, Shape(std::move(sizes))};
}

// Splits `text` at commas outside brackets and strings, up to the bracket that closes the list.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> pieces;
  size_t begin = 0;
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    const bool closes_list = c == ')' && depth == 0;
    if (closes_list || (c == ',' && depth == 0)) {
      pieces.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
    if (closes_list) return pieces;
    if (c == '(' || c == '{' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == '}' || c == ']' || c == '>') --depth;
  }
  throw_malformed("the parameters of @main have no end");
}

// Reads a parameter such as "%x: tensor<8x128xf32> {tf.aliasing_output = 0 : i32}".
Parameter read_parameter(std::string_view text) {
  constexpr std::string_view kOpening = "tensor<";
  const size_t opening = text.find(kOpening);
  const size_t end = text.find_first_of(",>", opening);
  if (opening == text.npos || end == text.npos) throw_malformed(text);
  const size_t begin = opening + kOpening.size();
  const std::string_view attributes = text.substr(end);
  return {.type = read_type(text.substr(begin, end - begin)),
          .donated = attributes.find("tf.aliasing_output") != attributes.npos ||
                     attributes.find("jax.buffer_donor") != attributes.npos};
}

}  // namespace

std::vector<Parameter> read_parameters(std::string_view module_text) {
  constexpr std::string_view kMain = "@main(";
  const size_t main = module_text.find(kMain);
  if (main == module_text.npos) throw_malformed("no @main");
  const std::vector<std::string_view> pieces = split_list(module_text.substr(main + kMain.size()));
  std::vector<Parameter> parameters;
  if (pieces.size() == 1 && pieces[0].find_first_not_of(" \n") == std::string_view::npos) return parameters;
  for (const std::string_view piece : pieces) parameters.push_back(read_parameter(piece));
  return parameters;
}

}  // namespace portatune::pjrt
