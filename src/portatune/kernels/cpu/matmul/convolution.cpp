#include "portatune/kernels/cpu/matmul/convolution.h"

#include <algorithm>
#include <vector>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/matmul/gemm.h"

namespace portatune::kernels {
namespace {

// Places of the filter that are multiplied at once: a copy of the windows of these places, [out_frames, width] with
// about this width, stays in the cache.
constexpr int64_t kWidth = 384;

struct Places {
  int64_t begin, count;
};

Places places_of(const ConvolutionShape& s, int64_t piece) {
  const int64_t size = std::max<int64_t>(kWidth / s.in_width(), 1);
  return {piece * size, std::min(size, s.kernel - piece * size)};
}

int64_t pieces_of(const ConvolutionShape& s) {
  const int64_t size = std::max<int64_t>(kWidth / s.in_width(), 1);
  return (s.kernel + size - 1) / size;
}

// The features of one group in one row of x, with zeros around them: [out_frames + kernel - 1, in_width].
template <class T>
std::vector<T> group_of(const ConvolutionShape& s, const T* x, int64_t row, int64_t group) {
  const int64_t width = s.in_width(), frames = s.out_frames + s.kernel - 1;
  std::vector<T> result(static_cast<size_t>(frames * width), T{});
  for (int64_t frame = 0; frame < s.frames; ++frame) {
    const int64_t place = frame + s.low;
    if (place < 0 || place >= frames) continue;
    std::copy_n(x + (row * s.frames + frame) * s.in + group * width, width, result.data() + place * width);
  }
  return result;
}

// The windows of some places of the filter, one after the other: [out_frames, places * in_width].
template <class T>
void copy_windows(const ConvolutionShape& s, const std::vector<T>& group, const Places& places, std::vector<T>& to) {
  const int64_t width = places.count * s.in_width();
  to.resize(static_cast<size_t>(s.out_frames * width));
  for (int64_t frame = 0; frame < s.out_frames; ++frame) {
    std::copy_n(group.data() + (frame + places.begin) * s.in_width(), width, to.data() + frame * width);
  }
}

// The filter of a group as the right operand of a product: [kernel * in_width, out_width].
template <class T>
std::vector<T> filter_of(const ConvolutionShape& s, const T* filter, int64_t group) {
  const int64_t in = s.in_width(), out = s.out_width();
  std::vector<T> result(static_cast<size_t>(s.kernel * in * out));
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) {
      const T* const from = filter + ((group * out + o) * in + i) * s.kernel;
      for (int64_t place = 0; place < s.kernel; ++place) {
        result[static_cast<size_t>((place * in + i) * out + o)] = from[place];
      }
    }
  }
  return result;
}

template <class T>
void convolution_of(const Workers& workers, const ConvolutionShape& s, const T* x, const T* filter, T* y) {
  std::vector<std::vector<T>> filters(static_cast<size_t>(s.groups));
  parallel_for(workers, s.groups,
               [&](int64_t group) { filters[static_cast<size_t>(group)] = filter_of(s, filter, group); });
  parallel_for(workers, s.batch * s.groups, [&](int64_t index) {
    const int64_t row = index / s.groups, group = index % s.groups, in = s.in_width(), out = s.out_width();
    const std::vector<T> padded = group_of(s, x, row, group);
    std::vector<T> windows;
    std::vector<float> sums(static_cast<size_t>(s.out_frames * out));
    for (int64_t piece = 0; piece < pieces_of(s); ++piece) {
      const Places places = places_of(s, piece);
      copy_windows(s, padded, places, windows);
      const Gemm gemm{.m = s.out_frames,
                      .n = out,
                      .k = places.count * in,
                      .a = {s.type, places.count * in, 1},
                      .b = {s.type, out, 1},
                      .c = {DType::kFloat32, out, 1},
                      .accumulate = piece > 0};
      const T* const part = filters[static_cast<size_t>(group)].data() + places.begin * in * out;
      multiply(gemm, windows.data(), part, nullptr, sums.data());
    }
    for (int64_t frame = 0; frame < s.out_frames; ++frame) {
      std::transform(sums.data() + frame * out, sums.data() + (frame + 1) * out,
                     y + (row * s.out_frames + frame) * s.out + group * out,
                     [](float sum) { return from_float<T>(sum); });
    }
  });
}

template <class T>
void dfilter_of(const Workers& workers, const ConvolutionShape& s, const T* x, const T* dy, T* dfilter) {
  parallel_for(workers, s.groups * pieces_of(s), [&](int64_t index) {
    const int64_t group = index / pieces_of(s), in = s.in_width(), out = s.out_width();
    const Places places = places_of(s, index % pieces_of(s));
    const int64_t width = places.count * in;
    std::vector<T> windows;
    std::vector<float> sums(static_cast<size_t>(out * width));
    for (int64_t row = 0; row < s.batch; ++row) {
      copy_windows(s, group_of(s, x, row, group), places, windows);
      const Gemm gemm{.m = out,
                      .n = width,
                      .k = s.out_frames,
                      .a = {s.type, 1, s.out},
                      .b = {s.type, width, 1},
                      .c = {DType::kFloat32, width, 1},
                      .accumulate = row > 0};
      multiply(gemm, dy + row * s.out_frames * s.out + group * out, windows.data(), nullptr, sums.data());
    }
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t j = 0; j < width; ++j) {
        const int64_t place = places.begin + j / in, i = j % in;
        dfilter[((group * out + o) * in + i) * s.kernel + place] =
            from_float<T>(sums[static_cast<size_t>(o * width + j)]);
      }
    }
  });
}

}  // namespace

void convolution(const Workers& workers, const ConvolutionShape& shape, const void* x, const void* filter, void* y) {
  if (shape.type == DType::kBFloat16) {
    convolution_of(workers, shape, static_cast<const Bfloat16*>(x), static_cast<const Bfloat16*>(filter),
                   static_cast<Bfloat16*>(y));
  } else {
    convolution_of(workers, shape, static_cast<const float*>(x), static_cast<const float*>(filter),
                   static_cast<float*>(y));
  }
}

void convolution_dfilter(const Workers& workers, const ConvolutionShape& shape, const void* x, const void* dy,
                         void* dfilter) {
  if (shape.type == DType::kBFloat16) {
    dfilter_of(workers, shape, static_cast<const Bfloat16*>(x), static_cast<const Bfloat16*>(dy),
               static_cast<Bfloat16*>(dfilter));
  } else {
    dfilter_of(workers, shape, static_cast<const float*>(x), static_cast<const float*>(dy),
               static_cast<float*>(dfilter));
  }
}

}  // namespace portatune::kernels
