// Attention by cuDNN, tested without a GPU: the calls are compiled ahead of time, and the CPU computes their documented
// results in their place, which are compared with attention's decomposition.
#include "portatune/graph/ops/attention/cudnn_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "graph/ops/composites.h"
#include "runtime/pjrt/aot.h"
#include "runtime/pjrt/cpu.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const Target kWithCudnn{.kernels = {std::string(kCudnnAttention)}};

struct Setting {
  int64_t batch = 2, query = 6, kv = 6, heads = 4, kv_heads = 4, head_size = 8;
  Band band = {};
  bool packed = false;  // two texts and two positions of padding in each row; else some keys are hidden
  double dropout = 0;
  DType dtype = kBF16;

  TensorType q() const { return {dtype, {batch, query, heads * head_size}}; }
  TensorType k() const { return {dtype, {batch, kv, kv_heads * head_size}}; }
  TensorType mask() const {
    return packed ? TensorType{DType::kInt32, {batch, kv}} : TensorType{kF32, {batch, 1, 1, kv}};
  }
};

// Attention, and the gradients of q, k and v for `dout`.
Function attention_and_gradients(const Setting& s) {
  const Value q = parameter("q", s.q()), k = parameter("k", s.k()), v = parameter("v", s.k());
  const Value mask = parameter("mask", s.mask()), dout = parameter("dout", s.q());
  const Value out = attention(
      q, k, v, mask,
      {.heads = s.heads, .scale = 0.5, .dropout = s.dropout, .key = key(7, 8), .band = s.band, .kv_heads = s.kv_heads});
  const Value loss = sum(convert(out, kF32) * convert(dout, kF32));
  Values results = gradients(loss, Values{q, k, v});
  results.insert(results.begin(), out);
  return {.parameters = {q, k, v, mask, dout}, .results = results};
}

// ---- the results of cuDNN

// [batch, position, heads, size] -> float32 [batch, heads, position, size]
Value heads_first(const Value& x) { return convert(transpose(x, {0, 2, 1, 3}), kF32); }

// Repeats heads of keys for all heads of queries, and sums gradients over the heads that share one.
Value repeated(const Value& x, int64_t heads) {
  const Shape& s = x.shape();
  return reshape(broadcast_to(reshape(x, {s[0], s[1], 1, s[2], s[3]}), {s[0], s[1], heads / s[1], s[2], s[3]}),
                 {s[0], heads, s[2], s[3]});
}
Value summed(const Value& x, int64_t kv_heads) {
  const Shape& s = x.shape();
  return sum(reshape(x, {s[0], kv_heads, s[1] / kv_heads, s[2], s[3]}), {2});
}

Value product(const Value& a, const Value& b, int64_t of_a, int64_t of_b) {
  return dot_general(a, b,
                     {.lhs_batch = {0, 1}, .rhs_batch = {0, 1}, .lhs_contracting = {of_a}, .rhs_contracting = {of_b}});
}

Value scores_of(const Value& q, const Value& k, const Value& bias, const CudnnAttention& a) {
  const Value scores =
      product(heads_first(q), repeated(heads_first(k), q.shape()[2]), 3, 3) * a.scale + convert(bias, kF32);
  if (!a.is_causal) return scores;
  const TensorType places{DType::kInt32, {q.shape()[1], k.shape()[1]}};
  return select(compare(Direction::kLessEqual, iota(places, 1), iota(places, 0)), scores,
                full({kF32, {}}, -std::numeric_limits<double>::infinity()));
}

Function forward(const Types& in, const CudnnAttention& a) {
  const Value q = parameter("q", in[0]), k = parameter("k", in[1]), v = parameter("v", in[2]);
  const Value bias = parameter("bias", in[3]);
  const Value scores = scores_of(q, k, bias, a), highest = max(scores, {3}, ReducedAxes::kKeep);
  const Value sums = sum(exp(scores - highest), {3}, ReducedAxes::kKeep), lse = log(sums) + highest;
  const Value out = product(exp(scores - highest) / sums, repeated(heads_first(v), q.shape()[2]), 3, 2);
  return {.parameters = {q, k, v, bias},
          .results = {convert(out, q.dtype()), reshape(lse, {lse.shape()[0], lse.shape()[1], lse.shape()[2]}),
                      full({DType::kUInt8, {0}}, 0)}};
}

Function backward(const Types& in, const CudnnAttention& a) {
  const Value q = parameter("q", in[0]), k = parameter("k", in[1]), v = parameter("v", in[2]);
  const Value lse = parameter("lse", in[3]), dout = parameter("dout", in[4]), bias = parameter("bias", in[5]);
  const Value out = parameter("out", in[6]);
  const int64_t heads = q.shape()[2], kv_heads = k.shape()[2];
  const Value weights = exp(scores_of(q, k, bias, a) - expand_dims(lse, -1));
  const Value dweights = product(heads_first(dout), repeated(heads_first(v), heads), 3, 3);
  const Value inner = sum(heads_first(dout) * heads_first(out), {3}, ReducedAxes::kKeep);
  const Value dscores = weights * (dweights - inner) * a.scale;
  const Value dq = product(dscores, repeated(heads_first(k), heads), 3, 2);
  const Value dk = summed(product(dscores, heads_first(q), 2, 2), kv_heads);
  const Value dv = summed(product(weights, heads_first(dout), 2, 2), kv_heads);
  return {.parameters = {q, k, v, lse, dout, bias, out},
          .results = {convert(dq, q.dtype()), convert(dk, q.dtype()), convert(dv, q.dtype()),
                      full({DType::kUInt8, {0}}, 0)}};
}

void replace_first(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

const std::string kForward = "__cudnn$fmhaScaleBiasSoftmax", kBackward = "__cudnn$fmhaScaleBiasSoftmaxBackward";

// A call of a target, with groups 1: operands, 2: configuration, 3: layouts of operands, 4: layouts of results.
std::regex call_of(std::string target) {
  target.insert(target.find('$'), "\\");
  return std::regex(
      "\"stablehlo.custom_call\"(\\([^)]*\\)) <\\{call_target_name = \"" + target +
      "\".*, backend_config = \"([^\"]*)\", operand_layouts = (\\[.*\\]), result_layouts = (\\[.*\\])\\}> :");
}

std::smatch found_call(const std::string& program, const std::string& target) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(program, found, call_of(target))) << program;
  return found;
}

json config_of(const std::string& program, const std::string& target) {
  const std::string text = found_call(program, target)[2];
  return json::parse(std::regex_replace(text, std::regex("\\\\22"), "\""))["cudnn_fmha_backend_config"];
}

// The program with functions in place of cuDNN's calls.
std::string simulated(const Setting& s) {
  std::string program = to_stablehlo(attention_and_gradients(s), kWithCudnn);
  const TensorType q{s.dtype, {s.batch, s.query, s.heads, s.head_size}};
  const TensorType k{s.dtype, {s.batch, s.kv, s.kv_heads, s.head_size}};
  const TensorType bias{s.dtype, {s.batch, 1, s.query, s.kv}}, lse{kF32, {s.batch, s.heads, s.query}};
  const auto put_in_place = [&](const std::string& target, const std::string& name, const auto& function_of) {
    const std::regex call = call_of(target);
    const json config = config_of(program, target);
    const json& dimensions = config["intermediate_tensor_shape"]["dimensions"];
    EXPECT_EQ(dimensions,
              json({std::to_string(s.batch), std::to_string(s.heads), std::to_string(s.query), std::to_string(s.kv)}));
    EXPECT_EQ(config["intermediate_tensor_shape"]["element_type"], s.dtype == kBF16 ? "BF16" : "F16");
    program = std::regex_replace(program, call, "func.call @" + name + "$1 :");
    std::string text =
        to_stablehlo(function_of({.scale = config["fmha_scale"], .is_causal = config["mask_type"] == "CAUSAL"}), {});
    replace_first(text, "module @portatune {\n", "");
    replace_first(text, "public @main", "private @" + name);
    text.erase(text.rfind('}'));
    program.insert(program.rfind('}'), text);
  };
  put_in_place(kForward, "forward", [&](const CudnnAttention& a) { return forward({q, k, k, bias}, a); });
  put_in_place(kBackward, "backward", [&](const CudnnAttention& a) { return backward({q, k, k, lse, q, bias, q}, a); });
  return program;
}

// ---- the comparison

// A mask with 0, 1, ... hidden keys at the end of the rows, or with two texts and two positions of padding in each.
Tensor mask_of(const Setting& s) {
  Tensor mask(s.mask());
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t j = 0; j < s.kv; ++j) {
      const auto i = static_cast<size_t>(b * s.kv + j);
      if (s.packed) {
        mask.as<int32_t>()[i] = j >= s.kv - 2 ? 0 : j < 2 + b ? 1 : 2;
      } else {
        mask.as<float>()[i] = j >= s.kv - b ? std::numeric_limits<float>::lowest() : 0;
      }
    }
  }
  return mask;
}

// Clears the values at padding, which have no meaning and no gradient.
void clear_padding(Tensor& x, const Setting& s) {
  if (!s.packed) return;
  const int64_t row = x.type().bytes() / (s.batch * s.query);
  for (int64_t b = 0; b < s.batch; ++b) {
    std::memset(x.data() + ((b + 1) * s.query - 2) * row, 0, static_cast<size_t>(2 * row));
  }
}

void expect_like_the_decomposition(const Setting& s) {
  std::vector<Tensor> inputs{random(s.q(), 1), random(s.k(), 2), random(s.k(), 3), mask_of(s), random(s.q(), 4)};
  clear_padding(inputs[4], s);
  std::vector<Tensor> found = pjrt::run_on_cpu(simulated(s), inputs);
  std::vector<Tensor> wanted = pjrt::run_on_cpu(to_stablehlo(attention_and_gradients(s), {}), inputs);
  clear_padding(found[0], s);
  clear_padding(wanted[0], s);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::vector<float> f = to_floats(found[i].view()), w = to_floats(wanted[i].view());
    ASSERT_EQ(f.size(), w.size());
    for (size_t j = 0; j < w.size(); ++j) ASSERT_NEAR(f[j], w[j], 0.02) << "result " << i << ", element " << j;
  }
}

// Layouts such as "[[3, 1, 2, 0], [2, 1, 0]]" from MLIR text.
json layouts_of(std::string text) {
  return json::parse(std::regex_replace(text, std::regex("dense<([^>]*)> : tensor<[0-9]+xindex>"), "$1"));
}

const json kRowMajor = {3, 2, 1, 0}, kHeadsFirst = {3, 1, 2, 0}, kOfRows = {2, 1, 0}, kOfBytes = {0};

TEST(CudnnAttention, ResultsAreInMemoryWithHeadsLast) {
  const std::string program = to_stablehlo(attention_and_gradients({}), kWithCudnn);
  const std::smatch forward = found_call(program, kForward), backward = found_call(program, kBackward);
  EXPECT_EQ(layouts_of(forward[3]), json({kRowMajor, kRowMajor, kRowMajor, kRowMajor}));
  EXPECT_EQ(layouts_of(forward[4]), json({kHeadsFirst, kOfRows, kOfBytes}));
  EXPECT_EQ(layouts_of(backward[3]), json({kRowMajor, kRowMajor, kRowMajor, kOfRows, kRowMajor, kRowMajor, kRowMajor}));
  EXPECT_EQ(layouts_of(backward[4]), json({kHeadsFirst, kHeadsFirst, kHeadsFirst, kOfBytes}));
}

// The dimension numbers of an einsum of two arrays, such as "btnh,bsnh->bnts".
json dimension_numbers(const std::string& einsum) {
  const std::string lhs = einsum.substr(0, 4), rhs = einsum.substr(5, 4), result = einsum.substr(11);
  json lhs_contracting = json::array(), rhs_contracting = json::array(), lhs_batch = json::array(),
       rhs_batch = json::array();
  for (size_t axis = 0; axis < lhs.size(); ++axis) {
    const size_t other = rhs.find(lhs[axis]);
    if (other == std::string::npos) continue;
    const bool is_batch = result.find(lhs[axis]) != std::string::npos;
    (is_batch ? lhs_batch : lhs_contracting).push_back(std::to_string(axis));
    (is_batch ? rhs_batch : rhs_contracting).push_back(std::to_string(other));
  }
  return {{"lhs_contracting_dimensions", lhs_contracting},
          {"rhs_contracting_dimensions", rhs_contracting},
          {"lhs_batch_dimensions", lhs_batch},
          {"rhs_batch_dimensions", rhs_batch}};
}

// Names in the einsums: scores p of queries q (t positions) and keys k (s positions), output o.
TEST(CudnnAttention, ProductsMatchTheDefinition) {
  const std::string program = to_stablehlo(attention_and_gradients({}), kWithCudnn);
  const json forward = config_of(program, kForward), backward = config_of(program, kBackward);
  EXPECT_EQ(forward["bmm1_dot_dimension_numbers"], dimension_numbers("btnh,bsnh->bnts"));              // q k -> p
  EXPECT_EQ(forward["bmm2_dot_dimension_numbers"], dimension_numbers("bnts,bsnh->btnh"));              // p v -> o
  EXPECT_EQ(backward["bmm1_grad_gemm1_dot_dimension_numbers"], dimension_numbers("bnts,btnh->bsnh"));  // dp q -> dk
  EXPECT_EQ(backward["bmm1_grad_gemm2_dot_dimension_numbers"], dimension_numbers("bnts,bsnh->btnh"));  // dp k -> dq
  EXPECT_EQ(backward["bmm2_grad_gemm1_dot_dimension_numbers"], dimension_numbers("bnts,btnh->bsnh"));  // p do -> dv
  EXPECT_EQ(backward["bmm2_grad_gemm2_dot_dimension_numbers"], dimension_numbers("btnh,bsnh->bnts"));  // do v -> dp
}

TEST(CudnnAttention, MatchesAttentionWithPadding) { expect_like_the_decomposition({}); }

TEST(CudnnAttention, MatchesAttentionInFloat16) { expect_like_the_decomposition({.dtype = DType::kFloat16}); }

TEST(CudnnAttention, MatchesAttentionWithGroupedQueries) {
  expect_like_the_decomposition({.heads = 6, .kv_heads = 2, .band = {.after = 0}});
}

TEST(CudnnAttention, MatchesCausalAttention) { expect_like_the_decomposition({.band = {.after = 0}}); }

TEST(CudnnAttention, LeavesTheCausalMaskToCudnn) {
  EXPECT_THAT(to_stablehlo(attention_and_gradients({.band = {.after = 0}}), kWithCudnn), HasSubstr("CAUSAL"));
}

TEST(CudnnAttention, MatchesAttentionWithASlidingWindow) {
  expect_like_the_decomposition({.band = {.before = 2, .after = 1}});
}

TEST(CudnnAttention, MatchesAttentionOfTheLastQueries) {
  expect_like_the_decomposition({.query = 2, .band = {.after = 0}});
}

TEST(CudnnAttention, MatchesAttentionOfPackedRows) {
  expect_like_the_decomposition({.packed = true});
  expect_like_the_decomposition({.band = {.after = 0}, .packed = true});
}

TEST(CudnnAttention, UnsupportedAttentionIsDecomposed) {
  for (const Setting& s : {Setting{.dtype = kF32}, Setting{.dropout = 0.1}, Setting{.head_size = 12},
                           Setting{.head_size = 136}, Setting{.query = 7, .kv = 7}}) {
    EXPECT_THAT(to_stablehlo(attention_and_gradients(s), kWithCudnn), Not(HasSubstr("custom_call")));
  }
}

TEST(CudnnAttention, NeedsATargetThatOffersIt) {
  EXPECT_THAT(to_stablehlo(attention_and_gradients({}), {}), Not(HasSubstr("custom_call")));
}

TEST(CudnnAttention, CompilesForGpusAndStoresNoScores) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(pjrt::AotTarget::kCudaH100);
  const pjrt::Topology h100 = pjrt::aot_topology(pjrt::AotTarget::kCudaH100);
  for (const DType dtype : {kBF16, DType::kFloat16}) {
    const Setting s{.batch = 4,
                    .query = 512,
                    .kv = 512,
                    .heads = 16,
                    .kv_heads = 4,
                    .head_size = 64,
                    .band = {.after = 0},
                    .dtype = dtype};
    const Function function = attention_and_gradients(s);
    const int64_t fused = h100.compile(to_stablehlo(function, kWithCudnn)).memory_stats().temporary;
    const int64_t decomposed = h100.compile(to_stablehlo(function, {})).memory_stats().temporary;
    const int64_t scores = s.batch * s.heads * s.query * s.kv * 2;
    EXPECT_LT(fused, scores);
    EXPECT_GT(decomposed, scores);
  }
}

}  // namespace
}  // namespace portatune::test
