#include "portatune/graph/ops/attention/cudnn_attention.h"

#include <fmt/format.h>

#include "portatune/graph/lowering.h"
#include "portatune/graph/stablehlo/writer.h"

namespace portatune {
namespace {

constexpr int64_t kLargestHead = 128;

// A matrix product of q, k, v or scores, as XLA's configuration describes it.
struct Product {
  std::string_view name;
  int lhs_contracting, rhs_contracting;
  std::string_view lhs_batch, rhs_batch;
};
// Products with scores [batch, heads, query, kv] and the other arrays [batch, position, heads, head_size].
constexpr Product kForward[] = {{"bmm1", 3, 3, R"("0", "2")", R"("0", "2")"},
                                {"bmm2", 3, 1, R"("0", "1")", R"("0", "2")"}};
constexpr Product kBackward[] = {{"bmm1_grad_gemm1", 2, 1, R"("0", "1")", R"("0", "2")"},
                                 {"bmm1_grad_gemm2", 3, 1, R"("0", "1")", R"("0", "2")"},
                                 {"bmm2_grad_gemm1", 2, 1, R"("0", "1")", R"("0", "2")"},
                                 {"bmm2_grad_gemm2", 3, 3, R"("0", "2")", R"("0", "2")"}};

std::string text_of(std::span<const Product> products) {
  std::string text;
  for (const Product& p : products) {
    text += fmt::format(R"(, "{}_dot_dimension_numbers": {{"lhs_contracting_dimensions": ["{}"],)"
                        R"( "rhs_contracting_dimensions": ["{}"], "lhs_batch_dimensions": [{}],)"
                        R"( "rhs_batch_dimensions": [{}]}})",
                        p.name, p.lhs_contracting, p.rhs_contracting, p.lhs_batch, p.rhs_batch);
  }
  return text;
}

// XLA's CudnnfMHABackendConfig as JSON, whose 64-bit integers are strings.
std::string backend_config(const CudnnAttention& a, const TensorType& q, int64_t kv,
                           std::span<const Product> products) {
  return fmt::format(
      R"({{"operation_queue_id": "0", "cudnn_fmha_backend_config": {{)"
      R"("algorithm": {{"algo_id": "0", "math_type": "TENSOR_OP_MATH", "tuning_knobs": {{"17": "1", "24": "0"}},)"
      R"( "is_cudnn_frontend": true, "workspace_size": "0"}}, "fmha_scale": {}, "dropout_rate": 0.0,)"
      R"( "intermediate_tensor_shape": {{"element_type": "{}", "dimensions": ["{}", "{}", "{}", "{}"], "layout":)"
      R"( {{"minor_to_major": ["3", "2", "1", "0"]}}, "is_dynamic_dimension": [false, false, false, false]}},)"
      R"( "seed": "0", "is_flash_attention": true, "mask_type": "{}", "sliding_window_length": 0{}}}}})",
      a.scale, q.dtype == DType::kBFloat16 ? "BF16" : "F16", q.shape[0], q.shape[2], q.shape[1], kv,
      a.is_causal ? "CAUSAL" : "NO_MASK", text_of(products));
}

// The text as an MLIR string.
std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\\22" : std::string(1, c);
  return quoted + "\"";
}

std::string layout_text(const std::vector<int64_t>& minor_to_major) {
  return fmt::format("dense<[{}]> : tensor<{}xindex>", fmt::join(minor_to_major, ", "), minor_to_major.size());
}

std::string row_major(int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t axis = rank; axis-- > 0;) axes.push_back(axis);
  return layout_text(axes);
}

// XLA's type of results: [batch, heads, position, head_size]; in memory, positions come before heads.
TensorType with_heads_first(TensorType type) {
  std::swap(type.shape[1], type.shape[2]);
  return type;
}
Value with_heads_last(const Value& x) { return transpose(x, {0, 2, 1, 3}); }

const TensorType kWorkspace{DType::kUInt8, {0}};

// A call of cuDNN through XLA. Its last result is workspace memory.
//   shape     given
//   gradient  none: attention has its own
//   lowering  stablehlo.custom_call, by XLA's first interface for custom calls
struct CudnnCall final : Op {
  std::string target, config;
  Types results;
  size_t by_heads;  // number of leading results that have the type of with_heads_first

  CudnnCall(std::string target, std::string config, Types results, size_t by_heads)
      : target(std::move(target)), config(std::move(config)), results(std::move(results)), by_heads(by_heads) {}

  std::string_view name() const override { return "cudnn_attention"; }
  Types infer(std::span<const Value>) const override { return results; }

  void lower(const Node& node, Lowering& out) const override {
    std::vector<std::string> operand_layouts, result_layouts;
    for (const Value& input : node.inputs()) operand_layouts.push_back(row_major(input.rank()));
    for (size_t i = 0; i < results.size(); ++i) {
      result_layouts.push_back(i < by_heads ? layout_text({3, 1, 2, 0}) : row_major(results[i].shape.rank()));
    }
    out.write(node, "stablehlo.custom_call",
              {{"call_target_name", quoted(target)},
               {"api_version", "2 : i32"},
               {"has_side_effect", "false"},
               {"backend_config", quoted(config)},
               {"operand_layouts", fmt::format("[{}]", fmt::join(operand_layouts, ", "))},
               {"result_layouts", fmt::format("[{}]", fmt::join(result_layouts, ", "))}});
  }
};

}  // namespace

bool cudnn_takes(const TensorType& q, const TensorType& k) {
  const bool is_half = q.dtype == DType::kBFloat16 || q.dtype == DType::kFloat16;
  const int64_t head_size = q.shape[3];
  // The gradient of cuDNN with a bias requires even lengths.
  return is_half && head_size % 8 == 0 && head_size <= kLargestHead && q.shape[1] % 2 == 0 && k.shape[1] % 2 == 0;
}

double cudnn_lowest(DType dtype) { return dtype == DType::kFloat16 ? -0x1p15 : -0x1p41; }

Values cudnn_attention(const Value& q, const Value& k, const Value& v, const Value& bias, const CudnnAttention& a) {
  const Shape& s = q.shape();
  const Values results =
      make_nodes(std::make_unique<CudnnCall>(
                     "__cudnn$fmhaScaleBiasSoftmax", backend_config(a, q.type(), k.shape()[1], kForward),
                     Types{with_heads_first(q.type()), {DType::kFloat32, {s[0], s[2], s[1]}}, kWorkspace}, 1),
                 {q, k, v, bias});
  return {with_heads_last(results[0]), results[1]};
}

Values cudnn_attention_grad(const CudnnAttentionGrad& in, const CudnnAttention& a) {
  const TensorType of_query = with_heads_first(in.q.type()), of_key = with_heads_first(in.k.type());
  const Values results =
      make_nodes(std::make_unique<CudnnCall>("__cudnn$fmhaScaleBiasSoftmaxBackward",
                                             backend_config(a, in.q.type(), in.k.shape()[1], kBackward),
                                             Types{of_query, of_key, of_key, kWorkspace}, 3),
                 {in.q, in.k, in.v, in.lse, in.dout, in.bias, in.out});
  return {with_heads_last(results[0]), with_heads_last(results[1]), with_heads_last(results[2])};
}

}  // namespace portatune
