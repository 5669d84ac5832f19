// The CPU kernels at the sizes of one layer of MiniLM and of BERT-base, on all cores.
//   portatune_kernels_bench --benchmark_filter=minilm/bf16
// With THREADS=1 in the environment it uses one core, whose CPU time is meaningful even on a busy machine.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "portatune/base/threads/thread_pool.h"
#include "portatune/kernels/cpu/attention/attention.h"
#include "portatune/kernels/cpu/elementwise/dropout.h"
#include "portatune/kernels/cpu/elementwise/gelu.h"
#include "portatune/kernels/cpu/matmul/linear.h"
#include "portatune/kernels/cpu/norm/layer_norm.h"
#include "portatune/kernels/cpu/update/adamw.h"
#include "portatune/kernels/cpu/update/embedding_grad.h"
#include "portatune/kernels/cpu/update/sum_of_squares.h"

namespace portatune::kernels {
namespace {

struct Model {
  std::string name;
  int64_t batch, sequence, hidden, ffn, heads, vocab;

  int64_t tokens() const { return batch * sequence; }
};
const Model kModels[] = {{"minilm", 16, 128, 384, 1536, 12, 30522},
                         {"bert", 8, 128, 768, 3072, 12, 30522},
                         {"bert512", 2, 512, 768, 3072, 12, 30522}};

int cores() {
  const char* asked = std::getenv("THREADS");
  return std::max(1, asked ? std::atoi(asked) : usable_cores());
}

// The caller and one pool thread for each other core.
class PoolWorkers final : public Workers {
 public:
  int threads() const override { return cores_; }
  void submit(std::function<void()> task) const override { pool_.submit(std::move(task)); }

 private:
  const int cores_ = cores();
  mutable ThreadPool pool_{std::max(1, cores_ - 1)};
};

const Workers& workers() {
  static const PoolWorkers workers;
  return workers;
}

// Random numbers between -1 and 1. Their values hardly matter, but denormals or equal values would.
template <class T>
std::vector<T> numbers(int64_t size) {
  std::vector<T> values(static_cast<size_t>(size));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = from_float<T>(static_cast<float>(i * 2654435761U % 2048) / 1024.0F - 1);
  }
  return values;
}

void add(const std::string& name, std::function<void()> run, double flops = 0) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [run = std::move(run), flops](benchmark::State& state) {
                                 for (auto _ : state) run();
                                 if (flops > 0) {
                                   state.counters["GFLOPS"] =
                                       benchmark::Counter(1e-9 * flops, benchmark::Counter::kIsIterationInvariantRate);
                                 }
                               })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

// Arrays live as long as the closures that share them.
template <class T>
auto array(int64_t size) {
  return std::make_shared<std::vector<T>>(numbers<T>(size));
}

template <class T>
void add_linear(const std::string& prefix, int64_t rows, int64_t in, int64_t out) {
  const LinearShape shape{.rows = rows, .in = in, .out = out, .type = kDTypeOf<T>};
  const auto x = array<T>(rows * in), w = array<T>(in * out), y = array<T>(rows * out);
  const auto bias = array<float>(out), dw = array<float>(in * out);
  const double flops = 2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out);
  const std::string name = prefix + "/linear_" + std::to_string(in) + "x" + std::to_string(out);
  add(
      name + "/y", [=] { linear(workers(), shape, x->data(), w->data(), bias->data(), y->data()); }, flops);
  add(
      name + "/dx", [=] { linear_dx(workers(), shape, y->data(), w->data(), x->data()); }, flops);
  add(
      name + "/dw", [=] { linear_dw(workers(), shape, y->data(), x->data(), dw->data(), bias->data()); }, flops);
}

// text  tokens of each text in a packed row; 0: a row is one text
template <class T>
void add_attention(const std::string& prefix, const Model& m, float rate, const Band& band = {}, int64_t text = 0) {
  const AttentionShape shape{m.batch, m.heads, m.sequence, m.sequence, m.hidden / m.heads};
  const auto q = array<T>(m.tokens() * m.hidden), k = array<T>(m.tokens() * m.hidden);
  const auto v = array<T>(m.tokens() * m.hidden), out = array<T>(m.tokens() * m.hidden);
  const auto dq = array<T>(m.tokens() * m.hidden), dk = array<T>(m.tokens() * m.hidden);
  const auto dv = array<T>(m.tokens() * m.hidden), dout = array<T>(m.tokens() * m.hidden);
  const auto bias = std::make_shared<std::vector<float>>(static_cast<size_t>(m.tokens()));
  const auto segments = std::make_shared<std::vector<int32_t>>();
  for (int64_t i = 0; text > 0 && i < m.tokens(); ++i) {
    segments->push_back(static_cast<int32_t>(i / m.sequence * m.sequence + i % m.sequence / text + 1));
  }
  const auto lse = array<float>(m.tokens() * m.heads);
  const auto in = [=] {
    return AttentionInputs<T>{q->data(),
                              k->data(),
                              v->data(),
                              {.data = bias->data(), .example_stride = shape.kv},
                              text > 0 ? segments->data() : nullptr};
  };
  constexpr uint32_t kKey[2] = {1, 2};
  AttentionOptions options{.scale = 0.125F, .band = band};
  const float rule[2] = {rate * 0x1p32F, 1 / (1 - rate)};
  if (rate > 0) options.dropout = DropoutMask(kKey, rule);
  const int64_t keys = text > 0 ? text : m.sequence;
  const double flops = 2.0 * static_cast<double>(m.tokens() * keys * m.hidden);  // of one product
  const auto forward = [=] { attention<T>(workers(), shape, options, in(), out->data(), lse->data()); };
  forward();  // computes the lse of these scores
  const std::string name = prefix + (rate > 0          ? "/attention_dropout"
                                     : text > 0        ? "/attention_packed"
                                     : band.after == 0 ? "/attention_causal"
                                                       : "/attention");
  add(name + "/out", forward, 2 * flops);
  add(
      name + "/grad",
      [=] {
        attention_grad<T>(workers(), shape, options, in(), {dout->data(), out->data(), lse->data()}, dq->data(),
                          dk->data(), dv->data());
      },
      5 * flops);
}

template <class T>
void add_rest(const std::string& prefix, const Model& m) {
  const int64_t size = m.tokens() * m.hidden, wide = m.tokens() * m.ffn;
  const auto x = array<T>(wide), dy = array<T>(wide), y = array<T>(wide);
  const auto gamma = array<float>(m.hidden), dgamma = array<float>(m.hidden), dbeta = array<float>(m.hidden);
  const auto mean = array<float>(m.tokens()), rstd = array<float>(m.tokens());
  const auto ids = std::make_shared<std::vector<int32_t>>(static_cast<size_t>(m.tokens()));
  for (size_t i = 0; i < ids->size(); ++i) (*ids)[i] = static_cast<int32_t>(i * 7919 % static_cast<size_t>(m.vocab));
  const auto dtable = array<float>(m.vocab * m.hidden);
  constexpr uint32_t kKey[2] = {1, 2};
  const DropoutMask mask(kKey, 0.1F);

  add(prefix + "/gelu", [=] { gelu(workers(), GeluForm::kErf, wide, x->data(), y->data()); });
  add(prefix + "/gelu_grad", [=] { gelu_grad(workers(), GeluForm::kErf, wide, x->data(), dy->data(), y->data()); });
  add(prefix + "/dropout", [=] { dropout(workers(), mask, size, x->data(), y->data()); });
  add(prefix + "/layer_norm", [=] {
    layer_norm(workers(), m.tokens(), m.hidden, 1e-12F, x->data(), gamma->data(), gamma->data(), y->data(),
               mean->data(), rstd->data());
  });
  add(prefix + "/layer_norm_grad", [=] {
    const LayerNormGradInputs<T> in{dy->data(), x->data(), gamma->data(), mean->data(), rstd->data()};
    layer_norm_grad(workers(), m.tokens(), m.hidden, in, y->data(), dgamma->data(), dbeta->data());
  });
  add(prefix + "/embedding_grad", [=] {
    embedding_grad(workers(), {m.tokens(), m.hidden, m.vocab}, dy->data(), ids->data(), dtable->data());
  });
}

// The kernels of a step's end, on a layer's largest weight.
void add_update(const std::string& prefix, const Model& m) {
  const int64_t size = m.hidden * m.ffn;
  const auto p = array<float>(size), first = array<float>(size), g = array<float>(size);
  const auto second = std::make_shared<std::vector<float>>(static_cast<size_t>(size));
  add(prefix + "/adamw", [=] {
    const float hyper[] = {1e-5F, 1, 1, 1, 1};
    adamw(workers(), {0.9F, 0.999F, 1e-8F, 0.01F}, hyper, size, p->data(), first->data(), second->data(), g->data());
  });
  add(prefix + "/sum_of_squares", [=] { benchmark::DoNotOptimize(sum_of_squares(workers(), size, g->data())); });
}

template <class T>
void add_model(const Model& m) {
  const std::string prefix = m.name + (kDTypeOf<T> == DType::kFloat32 ? "/f32" : "/bf16");
  add_linear<T>(prefix, m.tokens(), m.hidden, m.hidden);
  add_linear<T>(prefix, m.tokens(), m.hidden, m.ffn);
  add_linear<T>(prefix, m.tokens(), m.ffn, m.hidden);
  add_attention<T>(prefix, m, 0);
  add_attention<T>(prefix, m, 0, {.after = 0});
  add_attention<T>(prefix, m, 0, {}, 12);
  add_attention<T>(prefix, m, 0.1F);
  add_rest<T>(prefix, m);
}

}  // namespace
}  // namespace portatune::kernels

int main(int argc, char** argv) {
  using namespace portatune::kernels;
  for (const Model& model : kModels) {
    add_model<float>(model);
    add_model<Bfloat16>(model);
    add_update(model.name + "/f32", model);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
