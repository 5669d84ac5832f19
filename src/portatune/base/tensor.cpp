#include "portatune/tensor.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "portatune/error.h"

namespace portatune {
namespace {

struct DTypeFacts {
  std::string_view name;
  int64_t bytes;
  bool is_float;
};

// In the order of DType.
constexpr std::array<DTypeFacts, 12> kFacts{{{"bool", 1, false},
                                             {"int8", 1, false},
                                             {"uint8", 1, false},
                                             {"int16", 2, false},
                                             {"int32", 4, false},
                                             {"uint32", 4, false},
                                             {"int64", 8, false},
                                             {"uint64", 8, false},
                                             {"float16", 2, true},
                                             {"bfloat16", 2, true},
                                             {"float32", 4, true},
                                             {"float64", 8, true}}};

const DTypeFacts& facts_of(DType dtype) { return kFacts[static_cast<size_t>(dtype)]; }

constexpr size_t kAlignment = 64;
// Larger arrays are aligned to huge pages and request them from the system, because weights are then read faster.
constexpr size_t kHugePage = size_t{2} << 20;

std::byte* allocate(int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  const size_t alignment = size >= kHugePage ? kHugePage : kAlignment;
  const size_t rounded = std::max((size + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
  void* data = std::aligned_alloc(alignment, rounded);
  if (data == nullptr) throw std::bad_alloc();
  // A refusal affects only speed.
  if (alignment == kHugePage) madvise(data, rounded, MADV_HUGEPAGE);
  return static_cast<std::byte*>(data);
}

void require_element_type(DType found, DType wanted) {
  if (found == wanted) return;
  throw UsageError({.where = "tensor elements",
                    .given = "an array of " + std::string(name_of(found)),
                    .expected = "an array of " + std::string(name_of(wanted))});
}

}  // namespace

int64_t size_of(DType dtype) { return facts_of(dtype).bytes; }
bool is_float(DType dtype) { return facts_of(dtype).is_float; }
std::string_view name_of(DType dtype) { return facts_of(dtype).name; }

int64_t Shape::elements() const {
  int64_t product = 1;
  for (const int64_t size : sizes_) product *= size;
  return product;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

std::string to_string(const TensorType& type) { return std::string(name_of(type.dtype)) + to_string(type.shape); }

void Tensor::Free::operator()(std::byte* data) const { std::free(data); }

Tensor::Tensor(TensorType type) : type_(std::move(type)), data_(allocate(type_.bytes())) {
  std::memset(data_.get(), 0, static_cast<size_t>(type_.bytes()));
}

Tensor::Tensor(const Tensor& other) : type_(other.type_) {
  if (!other.data_) return;
  data_.reset(allocate(type_.bytes()));
  std::memcpy(data_.get(), other.data_.get(), static_cast<size_t>(type_.bytes()));
}

Tensor& Tensor::operator=(const Tensor& other) {
  *this = Tensor(other);
  return *this;
}

template <class T>
Tensor::Tensor(Shape shape, std::span<const T> values) : Tensor(TensorType{dtype_of<T>(), std::move(shape)}) {
  if (static_cast<int64_t>(values.size()) != type_.shape.elements()) {
    throw UsageError({.where = "tensor",
                      .given = std::to_string(values.size()) + " values for shape " + to_string(type_.shape),
                      .expected = std::to_string(type_.shape.elements()) + " values"});
  }
  if (!values.empty()) std::memcpy(data_.get(), values.data(), values.size_bytes());
}

template <class T>
std::span<const T> TensorView::as() const {
  require_element_type(type.dtype, dtype_of<T>());
  return {reinterpret_cast<const T*>(data), static_cast<size_t>(type.shape.elements())};
}

template <class T>
std::span<T> Tensor::as() {
  require_element_type(type_.dtype, dtype_of<T>());
  return {reinterpret_cast<T*>(data_.get()), static_cast<size_t>(type_.shape.elements())};
}

#define PORTATUNE_ELEMENT_TYPE(T, D)                     \
  template <>                                            \
  DType dtype_of<T>() {                                  \
    return DType::D;                                     \
  }                                                      \
  template Tensor::Tensor(Shape, std::span<const T>);    \
  template std::span<const T> TensorView::as<T>() const; \
  template std::span<T> Tensor::as<T>();
PORTATUNE_ELEMENT_TYPE(int8_t, kInt8)
PORTATUNE_ELEMENT_TYPE(uint8_t, kUInt8)
PORTATUNE_ELEMENT_TYPE(int16_t, kInt16)
PORTATUNE_ELEMENT_TYPE(int32_t, kInt32)
PORTATUNE_ELEMENT_TYPE(uint32_t, kUInt32)
PORTATUNE_ELEMENT_TYPE(int64_t, kInt64)
PORTATUNE_ELEMENT_TYPE(uint64_t, kUInt64)
PORTATUNE_ELEMENT_TYPE(float, kFloat32)
PORTATUNE_ELEMENT_TYPE(double, kFloat64)
#undef PORTATUNE_ELEMENT_TYPE

uint16_t to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>((bits >> 16) | 0x40);  // the quiet bit keeps a NaN from becoming an infinity
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

float from_bfloat16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t to_float16(float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }
float from_float16(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

std::vector<float> to_floats(const TensorView& view) {
  std::vector<float> floats(static_cast<size_t>(view.type.shape.elements()));
  const auto convert = [&]<class T>(const T*, auto widen) {
    for (size_t i = 0; i < floats.size(); ++i) {
      T element;  // the bytes of a mapped file need not be aligned
      std::memcpy(&element, view.data + i * sizeof(T), sizeof(T));
      floats[i] = widen(element);
    }
  };
  switch (view.type.dtype) {
    case DType::kFloat32:
      convert(static_cast<const float*>(nullptr), [](float x) { return x; });
      break;
    case DType::kFloat64:
      convert(static_cast<const double*>(nullptr), [](double x) { return static_cast<float>(x); });
      break;
    case DType::kBFloat16:
      convert(static_cast<const uint16_t*>(nullptr), from_bfloat16);
      break;
    case DType::kFloat16:
      convert(static_cast<const uint16_t*>(nullptr), from_float16);
      break;
    default:
      throw UsageError({.where = "to_floats", .given = to_string(view.type), .expected = "an array of a float type"});
  }
  return floats;
}

}  // namespace portatune
