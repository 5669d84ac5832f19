#include "portatune/kernels/cpu/matmul/gemm.h"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/elementwise/simd.h"
#include "portatune/kernels/cpu/matmul/blocked.h"

namespace portatune::kernels {
namespace {

using dnnl::memory;

// Maximal number of cached shapes per thread. A training step has a few dozen.
constexpr size_t kMaxCachedShapes = 256;

// Disables OpenMP in oneDNN on the calling thread, because the work is already divided among threads.
class OneOpenMpThread {
 public:
  OneOpenMpThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneOpenMpThread() { omp_set_num_threads(before_); }
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  int before_;
};

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

memory::data_type onednn_type(DType type) {
  return type == DType::kBFloat16 ? memory::data_type::bf16 : memory::data_type::f32;
}

memory::desc describe(int64_t rows, int64_t columns, const MatrixLayout& layout) {
  return {{rows, columns}, onednn_type(layout.type), memory::dims{layout.row_stride, layout.column_stride}};
}

dnnl::matmul::primitive_desc describe(const Gemm& gemm) {
  const memory::desc a = describe(gemm.m, gemm.k, gemm.a), b = describe(gemm.k, gemm.n, gemm.b);
  const memory::desc c = describe(gemm.m, gemm.n, gemm.c);
  const memory::desc bias =
      gemm.has_bias ? memory::desc({1, gemm.n}, onednn_type(gemm.bias_type), memory::dims{gemm.n, 1}) : memory::desc();
  dnnl::primitive_attr attributes;
  // oneDNN's own scratchpad would belong to the thread that created the primitive.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (gemm.accumulate) {
    dnnl::post_ops add_to_result;
    add_to_result.append_sum();
    attributes.set_post_ops(add_to_result);
  }
#if DNNL_VERSION_MAJOR >= 3
  return gemm.has_bias ? dnnl::matmul::primitive_desc(cpu_engine(), a, b, bias, c, attributes)
                       : dnnl::matmul::primitive_desc(cpu_engine(), a, b, c, attributes);
#else
  const auto operation = gemm.has_bias ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c);
  return {operation, attributes, cpu_engine()};
#endif
}

// A compiled product with its arguments, whose addresses are set for each call.
class Multiplication {
 public:
  explicit Multiplication(const Gemm& gemm) : Multiplication(describe(gemm), gemm.has_bias) {}

  void run(const void* a, const void* b, const void* bias, void* c, std::vector<std::byte>& scratch) {
    if (scratch.size() < scratchpad_bytes_) scratch.resize(scratchpad_bytes_);
    set(DNNL_ARG_SRC, a);
    set(DNNL_ARG_WEIGHTS, b);
    if (bias) set(DNNL_ARG_BIAS, bias);
    set(DNNL_ARG_DST, c);
    set(DNNL_ARG_SCRATCHPAD, scratch.data());
    primitive_.execute(stream_, arguments_);
  }

 private:
  Multiplication(const dnnl::matmul::primitive_desc& description, bool has_bias)
      : primitive_(description), stream_(cpu_engine()), scratchpad_bytes_(description.scratchpad_desc().get_size()) {
    add(DNNL_ARG_SRC, description.src_desc());
    add(DNNL_ARG_WEIGHTS, description.weights_desc());
    if (has_bias) add(DNNL_ARG_BIAS, description.bias_desc());
    add(DNNL_ARG_DST, description.dst_desc());
    add(DNNL_ARG_SCRATCHPAD, description.scratchpad_desc());
  }

  void add(int argument, const memory::desc& description) {
    arguments_.emplace(argument, memory(description, cpu_engine(), nullptr));
  }
  void set(int argument, const void* data) { arguments_.at(argument).set_data_handle(const_cast<void*>(data)); }

  dnnl::matmul primitive_;
  dnnl::stream stream_;
  size_t scratchpad_bytes_;
  std::unordered_map<int, memory> arguments_;
};

struct GemmHash {
  size_t operator()(const Gemm& g) const {
    size_t hash = 0;
    for (const int64_t part :
         {g.m, g.n, g.k, g.a.row_stride, g.a.column_stride, g.b.row_stride, g.b.column_stride, g.c.row_stride,
          static_cast<int64_t>(g.a.type), static_cast<int64_t>(g.c.type), static_cast<int64_t>(g.has_bias),
          static_cast<int64_t>(g.bias_type), static_cast<int64_t>(g.accumulate)}) {
      hash = (hash ^ static_cast<size_t>(part)) * 0x9E3779B97F4A7C15;
    }
    return hash ^ (hash >> 32);
  }
};

// The cache of products is per thread, so that it needs neither a lock nor shared arguments. oneDNN's own cache shares
// the generated code.
void multiply_natively(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c) {
  thread_local std::unordered_map<Gemm, Multiplication, GemmHash> cache;
  thread_local std::vector<std::byte> scratch;
  const OneOpenMpThread one_thread;
  auto found = cache.find(gemm);
  if (found == cache.end()) {
    if (cache.size() >= kMaxCachedShapes) cache.clear();
    found = cache.emplace(gemm, Multiplication(gemm)).first;
  }
  found->second.run(a, b, bias, c, scratch);
}

PORTATUNE_SIMD void widen_line(int64_t size, const Bfloat16* narrow, float* wide) {
  for (int64_t i = 0; i < size; ++i) wide[i] = to_float(narrow[i]);
}

PORTATUNE_SIMD void narrow_line(int64_t size, const float* wide, Bfloat16* narrow) {
  for (int64_t i = 0; i < size; ++i) narrow[i] = from_float<Bfloat16>(wide[i]);
}

// Makes a dense copy of a matrix in float32, with the same transposition in memory. Returns its layout.
MatrixLayout widen(int64_t rows, int64_t columns, const MatrixLayout& layout, const void* data,
                   std::vector<float>& wide) {
  const bool by_rows = layout.column_stride == 1;
  const int64_t lines = by_rows ? rows : columns, size = by_rows ? columns : rows;
  const int64_t stride = by_rows ? layout.row_stride : layout.column_stride;
  wide.resize(static_cast<size_t>(lines * size));
  for (int64_t i = 0; i < lines; ++i) {
    widen_line(size, static_cast<const Bfloat16*>(data) + i * stride, wide.data() + i * size);
  }
  return by_rows ? MatrixLayout{DType::kFloat32, size, 1} : MatrixLayout{DType::kFloat32, 1, size};
}

// Multiplies in float32, a part of the rows at a time so that their copies stay in the cache.
void multiply_by_widening(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c) {
  constexpr int64_t kRows = 512;
  thread_local std::vector<float> wide_a, wide_b, wide_bias, wide_c;
  Gemm wide = gemm;
  wide.b = widen(gemm.k, gemm.n, gemm.b, b, wide_b);
  if (gemm.has_bias && gemm.bias_type == DType::kBFloat16) {
    widen(1, gemm.n, {DType::kBFloat16, gemm.n, 1}, bias, wide_bias);
    wide.bias_type = DType::kFloat32;
    bias = wide_bias.data();
  }
  const bool narrows = gemm.c.type == DType::kBFloat16;
  if (narrows) wide.c = {DType::kFloat32, gemm.n, 1};
  for (int64_t row = 0; row < gemm.m; row += kRows) {
    wide.m = std::min(kRows, gemm.m - row);
    wide.a = widen(wide.m, gemm.k, gemm.a, static_cast<const Bfloat16*>(a) + row * gemm.a.row_stride, wide_a);
    if (!narrows) {
      multiply_natively(wide, wide_a.data(), wide_b.data(), bias, static_cast<float*>(c) + row * gemm.c.row_stride);
      continue;
    }
    wide_c.resize(static_cast<size_t>(wide.m * gemm.n));
    multiply_natively(wide, wide_a.data(), wide_b.data(), bias, wide_c.data());
    for (int64_t i = 0; i < wide.m; ++i) {
      narrow_line(gemm.n, wide_c.data() + i * gemm.n, static_cast<Bfloat16*>(c) + (row + i) * gemm.c.row_stride);
    }
  }
}

bool has_code_of_its_own(DType type) {
  const OneOpenMpThread one_thread;
  const MatrixLayout layout{type, 64, 1};
  try {
    const auto description = describe(Gemm{.m = 64, .n = 64, .k = 64, .a = layout, .b = layout, .c = layout});
    return std::strstr(description.impl_info_str(), "ref") == nullptr;
  } catch (const dnnl::error&) {
    return false;  // oneDNN has not even reference loops
  }
}

#if defined(__x86_64__)
bool onednn_may_use(dnnl::cpu_isa isa) {
  const auto needed = static_cast<unsigned>(isa);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & needed) == needed;
}
#endif

// True if oneDNN would emulate bfloat16 instructions, which is several times slower than float32.
bool emulates_bfloat16() {
#if defined(__x86_64__)
  return !onednn_may_use(dnnl::cpu_isa::avx512_core_bf16);
#else
  return false;
#endif
}

// True if float32 numbers are multiplied faster than bfloat16 ones, conversions included: Intel's processors from
// Sapphire Rapids on, where AMX is switched off. A core has two units for products of float32 numbers, and one for
// twice as many of bfloat16 numbers, which oneDNN does not keep as busy.
bool multiplies_float32_faster() {
#if defined(__x86_64__)
  return __builtin_cpu_is("intel") && !__builtin_cpu_is("cooperlake") &&
         !onednn_may_use(dnnl::cpu_isa::avx512_core_amx);
#else
  return false;
#endif
}

// True if multiply_in_blocks() is faster: on processors with AVX2 and without AVX-512, except for small products and
// few rows. With few bfloat16 rows it is faster, too, as it converts while it copies.
bool suits_blocks(const Gemm& gemm) {
#if defined(__x86_64__)
  constexpr int64_t kMinRows = 64, kMinProducts = 1 << 22;
  static const bool has_avx2_alone = onednn_may_use(dnnl::cpu_isa::avx2) && !onednn_may_use(dnnl::cpu_isa::avx512_core);
  return has_avx2_alone && gemm.m * gemm.n * gemm.k >= kMinProducts &&
         (gemm.m >= kMinRows || gemm.a.type == DType::kBFloat16);
#else
  return false;
#endif
}

}  // namespace

bool gemm_is_native(DType type) {
  static const bool float32 = has_code_of_its_own(DType::kFloat32);
  static const bool bfloat16 = has_code_of_its_own(DType::kBFloat16) && !emulates_bfloat16();
  return type == DType::kBFloat16 ? bfloat16 : float32;
}

bool gemm_widens(DType type) {
  static const bool widens_bfloat16 = !gemm_is_native(DType::kBFloat16) || multiplies_float32_faster();
  return type == DType::kBFloat16 && widens_bfloat16;
}

void multiply(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c) {
  if (suits_blocks(gemm)) {
    multiply_in_blocks(gemm, a, b, bias, c);
  } else if (gemm_widens(gemm.a.type)) {
    multiply_by_widening(gemm, a, b, bias, c);
  } else {
    multiply_natively(gemm, a, b, bias, c);
  }
}

// The name in oneDNN; a number if it is newer than this table.
std::string gemm_instruction_set() {
  using dnnl::cpu_isa;
  const cpu_isa effective = dnnl::get_effective_cpu_isa();
  for (const auto& [isa, name] :
       {std::pair(cpu_isa::sse41, "sse41"), std::pair(cpu_isa::avx, "avx"), std::pair(cpu_isa::avx2, "avx2"),
        std::pair(cpu_isa::avx2_vnni, "avx2_vnni"), std::pair(cpu_isa::avx512_core, "avx512_core"),
        std::pair(cpu_isa::avx512_core_vnni, "avx512_core_vnni"),
        std::pair(cpu_isa::avx512_core_bf16, "avx512_core_bf16"),
        std::pair(cpu_isa::avx512_core_amx, "avx512_core_amx")}) {
    if (isa == effective) return name;
  }
  return std::to_string(static_cast<unsigned>(effective));
}

std::string gemm_version() {
  const dnnl::version_t& version = *dnnl::version();
  return "oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch) + ", instruction set " + gemm_instruction_set();
}

}  // namespace portatune::kernels
