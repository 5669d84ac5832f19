#include "portatune/kernels/cpu/attention/attention.h"

#include <limits>

#include "kernels/cpu/dropout_mask.h"
#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

constexpr uint32_t kKey[2] = {0x12345678, 0x9ABCDEF0};

struct Arrays {
  std::vector<double> q, k, v;
};

struct ExpectedAttention {
  std::vector<double> out, lse;
};

// A bias of any shape, which is added to the scores.
struct Bias {
  AttentionShape shape;
  int64_t examples, heads, queries;  // 1, or as many as in the shape
  std::vector<float> values;

  size_t index(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t example = examples > 1 ? b : 0, head = heads > 1 ? h : 0, query = queries > 1 ? i : 0;
    return static_cast<size_t>(((example * heads + head) * queries + query) * shape.kv + j);
  }
};

// Attention row by row, in double. Weights of a row without visible keys, or only with a bias of -infinity, are zero.
// segments  empty: none
ExpectedAttention naive_attention(const AttentionShape& s, const AttentionOptions& options, const Arrays& in,
                                  const Bias& bias, const std::vector<int32_t>& segments = {}) {
  ExpectedAttention result{std::vector<double>(in.q.size()), {}};
  const auto q_at = [&](int64_t b, int64_t i, int64_t h, int64_t d) {
    return static_cast<size_t>((b * s.query + i) * s.hidden() + h * s.head_size + d);
  };
  const auto kv_at = [&](int64_t b, int64_t j, int64_t h, int64_t d) {
    return static_cast<size_t>((b * s.kv + j) * s.kv_hidden() + h * s.kv_heads / s.heads * s.head_size + d);
  };
  const auto together = [&](int64_t b, int64_t i, int64_t j) {
    const auto segment = [&](int64_t place) { return segments[static_cast<size_t>(b * s.kv + place)]; };
    return segments.empty() || (segment(i) == segment(j) && segment(j) != 0);
  };
  uint32_t index = 0;
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t h = 0; h < s.heads; ++h) {
      for (int64_t i = 0; i < s.query; ++i) {
        std::vector<double> weights;
        double sum = 0;
        for (int64_t j = 0; j < s.kv; ++j) {
          const int64_t distance = j - (i + s.kv - s.query);
          const bool seen = -options.band.before <= distance && distance <= options.band.after && together(b, i, j);
          double score = 0;
          for (int64_t d = 0; d < s.head_size; ++d) score += in.q[q_at(b, i, h, d)] * in.k[kv_at(b, j, h, d)];
          score *= options.scale;
          if (options.softcap > 0) score = options.softcap * std::tanh(score / options.softcap);
          weights.push_back(seen ? std::exp(score + bias.values[bias.index(b, h, i, j)]) : 0);
          sum += weights.back();
        }
        result.lse.push_back(sum == 0 ? 0 : std::log(sum));
        for (int64_t j = 0; j < s.kv; ++j, ++index) {
          double weight = sum == 0 ? 0 : weights[static_cast<size_t>(j)] / sum;
          if (options.dropout) {
            const bool keep = dropout_bits(kKey[0], kKey[1], index) >= options.dropout->threshold;
            weight *= keep ? options.dropout->scale : 0;
          }
          for (int64_t d = 0; d < s.head_size; ++d) result.out[q_at(b, i, h, d)] += weight * in.v[kv_at(b, j, h, d)];
        }
      }
    }
  }
  return result;
}

template <class T>
struct AttentionCase {
  AttentionShape shape;
  AttentionOptions options;
  std::vector<T> q, k, v, dout;
  Bias bias;
  std::vector<int32_t> segments = {};

  AttentionCase(const AttentionShape& s, float rate, const Band& band = {})
      : shape(s),
        options{.scale = 0.5F, .band = band},
        q(random_array<T>(s.batch * s.query * s.hidden(), 1)),
        k(random_array<T>(s.batch * s.kv * s.kv_hidden(), 2)),
        v(random_array<T>(s.batch * s.kv * s.kv_hidden(), 3)),
        dout(random_array<T>(s.batch * s.query * s.hidden(), 4)),
        bias{s, s.batch, 1, 1, random_array<float>(s.batch * s.kv, 5)} {
    if (rate > 0) options.dropout = mask_of(kKey, rate);
  }

  // Takes a bias of another shape.
  void set_bias(int64_t examples, int64_t heads, int64_t queries) {
    bias = {shape, examples, heads, queries, random_array<float>(examples * heads * queries * shape.kv, 6)};
  }

  // Puts texts of these lengths at the beginning of each row of the batch, and padding after them.
  void set_texts(const std::vector<int64_t>& lengths) {
    std::ranges::fill(bias.values, 0.0F);
    segments.assign(bias.values.size(), 0);
    int32_t number = 0;
    for (int64_t row = 0; row < shape.batch; ++row) {
      auto at = segments.begin() + row * shape.kv;
      for (const int64_t length : lengths) at = std::fill_n(at, length, ++number);
    }
  }

  AttentionInputs<T> inputs() const {
    if (!segments.empty()) return {q.data(), k.data(), v.data(), {}, segments.data()};
    const auto stride = [&](int64_t count, int64_t elements) { return count > 1 ? elements * shape.kv : 0; };
    return {q.data(),
            k.data(),
            v.data(),
            {.data = bias.values.data(),
             .example_stride = stride(bias.examples, bias.heads * bias.queries),
             .head_stride = stride(bias.heads, bias.queries),
             .query_stride = stride(bias.queries, 1)}};
  }
  Arrays arrays() const { return {to_doubles(q), to_doubles(k), to_doubles(v)}; }
};

// The results of attention, and its gradients for the case's dout.
template <class T>
struct Given {
  std::vector<T> out, dq, dk, dv;
  std::vector<float> lse, dscores;

  Given(const Workers& workers, const AttentionCase<T>& c)
      : out(c.q.size()),
        dq(c.q.size()),
        dk(c.k.size()),
        dv(c.v.size()),
        lse(static_cast<size_t>(c.shape.batch * c.shape.heads * c.shape.query)),
        dscores(lse.size() * static_cast<size_t>(c.shape.kv), std::nanf("")) {
    attention(workers, c.shape, c.options, c.inputs(), out.data(), lse.data());
    attention_grad(workers, c.shape, c.options, c.inputs(), {c.dout.data(), out.data(), lse.data()}, dq.data(),
                   dk.data(), dv.data(), dscores.data());
  }

  // dscores, summed over what shares an element of the bias.
  std::vector<double> dbias(const AttentionCase<T>& c) const {
    std::vector<double> sums(c.bias.values.size());
    size_t at = 0;
    for (int64_t b = 0; b < c.shape.batch; ++b) {
      for (int64_t h = 0; h < c.shape.heads; ++h) {
        for (int64_t i = 0; i < c.shape.query; ++i) {
          for (int64_t j = 0; j < c.shape.kv; ++j) sums[c.bias.index(b, h, i, j)] += dscores[at++];
        }
      }
    }
    return sums;
  }
};

// Central differences of sum(out dout) for every element of `array`, which is one of `arrays` or the bias of the case.
template <class T, class Number>
std::vector<double> attention_differences(const AttentionCase<T>& c, Arrays& arrays, std::vector<Number>& array,
                                          double step = 1e-5) {
  const auto loss = [&] {
    const std::vector<double> out = naive_attention(c.shape, c.options, arrays, c.bias, c.segments).out;
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i) sum += out[i] * to_float(c.dout[i]);
    return sum;
  };
  std::vector<double> gradient;
  for (Number& element : array) {
    const Number before = element;
    element = static_cast<Number>(before + step);
    const double above = loss();
    element = static_cast<Number>(before - step);
    gradient.push_back((above - loss()) / (2 * step));
    element = before;
  }
  return gradient;
}

template <class T>
class Attention : public testing::Test {
 public:
  // Tolerance of float32 sums. In bfloat16 the weights and the gradients of the scores are rounded before they are
  // summed.
  const double tolerance = kDTypeOf<T> == DType::kFloat32 ? 5e-6 : 1e-2;
  const TestWorkers workers;
};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(Attention, ElementTypes);

TYPED_TEST(Attention, MatchesItsDefinition) {
  for (const float rate : {0.0F, 0.3F}) {
    for (const AttentionShape& shape : {AttentionShape{1, 1, 1, 1, 1},
                                        {2, 3, 7, 5, 3},
                                        {1, 2, 31, 33, 8},
                                        {2, 2, 130, 127, 32},
                                        {1, 1, 67, 300, 64},
                                        {1, 12, 1, 40, 32},
                                        {3, 4, 1, 50, 20, 2},
                                        {2, 6, 9, 11, 4, 2},
                                        {1, 4, 130, 70, 8, 1}}) {
      const AttentionCase<TypeParam> c(shape, rate);
      const Given<TypeParam> given(this->workers, c);
      const ExpectedAttention expected = naive_attention(shape, c.options, c.arrays(), c.bias);
      expect_close(given.out, expected.out, this->tolerance);
      expect_close(given.lse, expected.lse, 5e-6);
    }
  }
}

// Padding and free positions of a cache may hold any values.
TYPED_TEST(Attention, OneQuerySkipsHiddenKeysAtBothEnds) {
  constexpr int64_t kBefore = 5, kAfter = 9;
  AttentionCase<TypeParam> c({2, 4, 1, 30, 20, 2}, 0);
  const Arrays arrays = c.arrays();
  const int64_t row = c.shape.kv_hidden();
  for (int64_t key = 0; key < c.shape.batch * c.shape.kv; ++key) {
    const int64_t place = key % c.shape.kv;
    if (place >= kBefore && place < c.shape.kv - kAfter) continue;
    c.bias.values[static_cast<size_t>(key)] = std::numeric_limits<float>::lowest();
    for (auto* part : {&c.k, &c.v}) {
      std::fill_n(part->begin() + key * row, row, from_float<TypeParam>(std::numeric_limits<float>::quiet_NaN()));
    }
  }
  std::vector<TypeParam> out(c.q.size());
  std::vector<float> lse(static_cast<size_t>(c.shape.batch * c.shape.heads));
  attention(this->workers, c.shape, c.options, c.inputs(), out.data(), lse.data());
  const ExpectedAttention expected = naive_attention(c.shape, c.options, arrays, c.bias);
  expect_close(out, expected.out, this->tolerance);
  expect_close(lse, expected.lse, 5e-6);
}

TYPED_TEST(Attention, GradientsMatchCentralDifferences) {
  for (const float rate : {0.0F, 0.3F}) {
    for (const AttentionShape& shape :
         {AttentionShape{1, 1, 2, 3, 1}, {2, 3, 7, 5, 3}, {1, 2, 9, 11, 4}, {2, 4, 3, 5, 2, 2}}) {
      const AttentionCase<TypeParam> c(shape, rate);
      const Given<TypeParam> given(this->workers, c);
      Arrays arrays = c.arrays();
      expect_close(given.dq, attention_differences(c, arrays, arrays.q), this->tolerance);
      expect_close(given.dk, attention_differences(c, arrays, arrays.k), this->tolerance);
      expect_close(given.dv, attention_differences(c, arrays, arrays.v), this->tolerance);
    }
  }
}

TYPED_TEST(Attention, GradientsOfSeveralQueryBlocksMatchDirectionalDifferences) {
  constexpr double kStep = 1e-6;
  const AttentionCase<TypeParam> c({1, 4, 300, 200, 5, 2}, 0.1F, {.before = 100, .after = 20});
  const Given<TypeParam> given(this->workers, c);
  const auto loss = [&](double step) {
    Arrays moved = c.arrays();
    for (size_t i = 0; i < moved.q.size(); ++i) moved.q[i] += step * to_float(given.dq[i]);
    for (size_t i = 0; i < moved.k.size(); ++i) moved.k[i] += step * to_float(given.dk[i]);
    for (size_t i = 0; i < moved.v.size(); ++i) moved.v[i] += step * to_float(given.dv[i]);
    const std::vector<double> out = naive_attention(c.shape, c.options, moved, c.bias).out;
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i) sum += out[i] * to_float(c.dout[i]);
    return sum;
  };
  // In the direction of the gradient, the derivative is its squared norm.
  double squares = 0;
  for (const auto& part : {to_doubles(given.dq), to_doubles(given.dk), to_doubles(given.dv)}) {
    for (const double element : part) squares += element * element;
  }
  EXPECT_NEAR((loss(kStep) - loss(-kStep)) / (2 * kStep), squares, this->tolerance * squares);
}

constexpr Band kCausal{.after = 0}, kWindow{.before = 2, .after = 0}, kLocal{.before = 3, .after = 3};

TYPED_TEST(Attention, SeesOnlyKeysInTheBand) {
  for (const Band& band : {kCausal, kWindow, kLocal, Band{.before = 40, .after = 7}}) {
    for (const AttentionShape& shape : {AttentionShape{1, 1, 1, 1, 1},
                                        {2, 3, 7, 5, 3},    // the first queries see no key
                                        {1, 2, 31, 60, 8},  // a cache of earlier keys
                                        {1, 4, 130, 130, 16, 2},
                                        {1, 2, 300, 300, 8}}) {  // blocks far from the first and the last key
      const AttentionCase<TypeParam> c(shape, 0.3F, band);
      const Given<TypeParam> given(this->workers, c);
      const ExpectedAttention expected = naive_attention(shape, c.options, c.arrays(), c.bias);
      expect_close(given.out, expected.out, this->tolerance);
      expect_close(given.lse, expected.lse, 5e-6);
    }
  }
}

TYPED_TEST(Attention, GradientsWithinABandMatchCentralDifferences) {
  const double tolerance = 6 * this->tolerance;  // for a single key, only rounding errors of a difference remain
  for (const Band& band : {kCausal, kWindow, kLocal}) {
    for (const AttentionShape& shape : {AttentionShape{2, 3, 7, 5, 3}, {1, 2, 9, 11, 4}, {1, 4, 6, 6, 2, 2}}) {
      const AttentionCase<TypeParam> c(shape, 0.3F, band);
      const Given<TypeParam> given(this->workers, c);
      Arrays arrays = c.arrays();
      expect_close(given.dq, attention_differences(c, arrays, arrays.q), tolerance);
      expect_close(given.dk, attention_differences(c, arrays, arrays.k), tolerance);
      expect_close(given.dv, attention_differences(c, arrays, arrays.v), tolerance);
    }
  }
}

TYPED_TEST(Attention, SeesOnlyKeysOfTheSegment) {
  const std::vector<std::pair<AttentionShape, std::vector<int64_t>>> cases = {
      {{1, 1, 1, 1, 1}, {1}},
      {{2, 2, 9, 9, 3}, {2, 4, 1}},
      {{1, 4, 130, 130, 16, 2}, {60, 9, 1, 40, 20}},
      {{2, 2, 300, 300, 8}, {5, 150, 3, 90}},
  };
  for (const Band& band : {Band{}, kCausal, kLocal}) {
    for (const auto& [shape, lengths] : cases) {
      AttentionCase<TypeParam> c(shape, 0.3F, band);
      c.set_texts(lengths);
      const Given<TypeParam> given(this->workers, c);
      const ExpectedAttention expected = naive_attention(shape, c.options, c.arrays(), c.bias, c.segments);
      expect_close(given.out, expected.out, this->tolerance);
      expect_close(given.lse, expected.lse, 5e-6);
    }
  }
}

// The shapes of a bias that models have: by distance, of packed pairs of texts, of a step of decoding.
TYPED_TEST(Attention, TakesABiasOfHeadsAndQueries) {
  for (const auto& [shape, examples, heads, queries] : {std::tuple(AttentionShape{2, 3, 7, 5, 3}, 1, 3, 7),
                                                        {{2, 3, 7, 5, 3}, 2, 1, 7},
                                                        {{1, 4, 130, 70, 8, 2}, 1, 4, 130},
                                                        {{2, 2, 9, 11, 4}, 2, 2, 9},
                                                        {{2, 4, 1, 40, 8, 2}, 2, 4, 1},
                                                        {{2, 2, 3, 5, 4}, 1, 1, 1}}) {
    for (const Band& band : {Band{}, kCausal}) {
      AttentionCase<TypeParam> c(shape, 0, band);
      c.set_bias(examples, heads, queries);
      const Given<TypeParam> given(this->workers, c);
      const ExpectedAttention expected = naive_attention(shape, c.options, c.arrays(), c.bias);
      expect_close(given.out, expected.out, this->tolerance);
      expect_close(given.lse, expected.lse, 5e-6);
    }
  }
}

TYPED_TEST(Attention, GradientsWithABiasMatchCentralDifferences) {
  for (const auto& [examples, heads, queries] : {std::tuple(1, 4, 7), {2, 1, 7}, {2, 4, 1}, {1, 1, 1}}) {
    AttentionCase<TypeParam> c({2, 4, 7, 9, 3, 2}, 0.3F, {.before = 7, .after = 4});
    c.set_bias(examples, heads, queries);
    const Given<TypeParam> given(this->workers, c);
    Arrays arrays = c.arrays();
    expect_close(given.dq, attention_differences(c, arrays, arrays.q), this->tolerance);
    expect_close(given.dk, attention_differences(c, arrays, arrays.k), this->tolerance);
    expect_close(given.dbias(c), attention_differences(c, arrays, c.bias.values, 1e-2), this->tolerance + 5e-5);
  }
}

TYPED_TEST(Attention, SoftcapBoundsTheScores) {
  for (const AttentionShape& shape : {AttentionShape{2, 3, 7, 5, 3}, {1, 4, 3, 40, 8, 2}, {2, 4, 1, 40, 8, 2}}) {
    for (const float rate : {0.0F, 0.3F}) {
      AttentionCase<TypeParam> c(shape, rate);
      c.options.softcap = 0.7F;
      const Given<TypeParam> given(this->workers, c);
      const ExpectedAttention expected = naive_attention(shape, c.options, c.arrays(), c.bias);
      expect_close(given.out, expected.out, this->tolerance);
      expect_close(given.lse, expected.lse, 5e-6);
      Arrays arrays = c.arrays();
      expect_close(given.dq, attention_differences(c, arrays, arrays.q), this->tolerance);
      expect_close(given.dk, attention_differences(c, arrays, arrays.k), this->tolerance);
      expect_close(given.dv, attention_differences(c, arrays, arrays.v), this->tolerance);
    }
  }
}

// Compares a text in its own row with the same text beside others.
TYPED_TEST(Attention, SegmentEqualsTheTextInItsOwnRow) {
  AttentionCase<TypeParam> packed({1, 2, 100, 100, 8}, 0);
  packed.set_texts({30, 45, 20});
  AttentionCase<TypeParam> alone({1, 2, 45, 45, 8}, 0);
  alone.set_texts({45});
  for (const auto& [from, to] :
       {std::pair(&packed.q, &alone.q), {&packed.k, &alone.k}, {&packed.v, &alone.v}, {&packed.dout, &alone.dout}}) {
    std::copy_n(from->begin() + 30 * 16, 45 * 16, to->begin());
  }
  const Given<TypeParam> given(this->workers, packed), wanted(this->workers, alone);
  const auto part = [](const std::vector<TypeParam>& x) {
    return std::vector<TypeParam>(x.begin() + 30 * 16, x.begin() + 75 * 16);
  };
  expect_close(part(given.out), to_doubles(wanted.out), this->tolerance);
  expect_close(part(given.dq), to_doubles(wanted.dq), this->tolerance);
  expect_close(part(given.dk), to_doubles(wanted.dk), this->tolerance);
  expect_close(part(given.dv), to_doubles(wanted.dv), this->tolerance);
}

TYPED_TEST(Attention, GradientsWithinTextsMatchCentralDifferences) {
  const double tolerance = 6 * this->tolerance;  // for a single key, only rounding errors of a difference remain
  for (const Band& band : {Band{}, kCausal, kLocal}) {
    for (const AttentionShape& shape : {AttentionShape{2, 3, 9, 9, 3}, {1, 4, 9, 9, 2, 2}}) {
      AttentionCase<TypeParam> c(shape, 0.3F, band);
      c.set_texts({3, 1, 4});
      const Given<TypeParam> given(this->workers, c);
      Arrays arrays = c.arrays();
      expect_close(given.dq, attention_differences(c, arrays, arrays.q), tolerance);
      expect_close(given.dk, attention_differences(c, arrays, arrays.k), tolerance);
      expect_close(given.dv, attention_differences(c, arrays, arrays.v), tolerance);
    }
  }
}

TYPED_TEST(Attention, DoesNotReadKeysBeforeTheBand) {
  AttentionCase<TypeParam> c({1, 1, 1, 300, 8}, 0, kWindow);
  for (size_t i = 0; i < 200 * 8; ++i) c.k[i] = c.v[i] = from_float<TypeParam>(std::numeric_limits<float>::quiet_NaN());
  for (const double element : to_doubles(Given<TypeParam>(this->workers, c).out)) EXPECT_TRUE(std::isfinite(element));
}

TYPED_TEST(Attention, HiddenKeysGetNoWeightAndNoGradient) {
  AttentionCase<TypeParam> c({1, 2, 5, 40, 8}, 0);
  for (size_t j = 20; j < 40; ++j) c.bias.values[j] = j % 2 ? -1e9F : -std::numeric_limits<float>::infinity();
  const Given<TypeParam> given(this->workers, c);
  expect_close(given.out, naive_attention(c.shape, c.options, c.arrays(), c.bias).out, this->tolerance);
  for (size_t i = 20 * 16; i < 40 * 16; ++i) {
    EXPECT_EQ(to_float(given.dk[i]), 0);
    EXPECT_EQ(to_float(given.dv[i]), 0);
  }
}

TYPED_TEST(Attention, RowsHiddenByInfinityAreZero) {
  AttentionCase<TypeParam> c({2, 1, 5, 7, 8}, 0);
  for (size_t j = 0; j < 7; ++j) c.bias.values[j] = -std::numeric_limits<float>::infinity();  // the first example
  const Given<TypeParam> given(this->workers, c);
  const std::vector<double> expected = naive_attention(c.shape, c.options, c.arrays(), c.bias).out;
  for (size_t i = 0; i < 5 * 8; ++i) EXPECT_EQ(expected[i], 0);
  expect_close(given.out, expected, this->tolerance);
  for (const auto& part : {to_doubles(given.dq), to_doubles(given.dk), to_doubles(given.dv)}) {
    for (const double element : part) EXPECT_FALSE(std::isnan(element));
  }
}

TYPED_TEST(Attention, RowsHiddenByALargeNumberAverageLikeSoftmax) {
  AttentionCase<TypeParam> c({1, 1, 3, 9, 4}, 0);
  for (float& bias : c.bias.values) bias = -1e30F;  // the scores are negligible beside it
  const Given<TypeParam> given(this->workers, c);
  std::vector<double> mean(given.out.size());
  for (size_t i = 0; i < mean.size(); ++i) {
    for (size_t j = 0; j < 9; ++j) mean[i] += to_float(c.v[j * 4 + i % 4]) / 9;
  }
  expect_close(given.out, mean, this->tolerance);
}

TYPED_TEST(Attention, DoesNotDependOnTheNumberOfThreads) {
  const AttentionCase<TypeParam> c({2, 3, 300, 70, 16}, 0.1F);
  const Given<TypeParam> given(this->workers, c), alone(CallerOnly(), c);
  EXPECT_EQ(to_doubles(given.out), to_doubles(alone.out));
  EXPECT_EQ(to_doubles(given.dq), to_doubles(alone.dq));
  EXPECT_EQ(to_doubles(given.dk), to_doubles(alone.dk));
  EXPECT_EQ(to_doubles(given.dv), to_doubles(alone.dv));
}

}  // namespace
}  // namespace portatune::kernels
