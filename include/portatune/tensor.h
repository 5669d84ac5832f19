// Element types, shapes and arrays in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// Element types, as StableHLO and safetensors define them.
enum class DType : uint8_t {
  kBool,
  kInt8,
  kUInt8,
  kInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64
};

/// Bytes of one element. A bool takes one byte.
int64_t size_of(DType dtype);
bool is_float(DType dtype);
/// The name in NumPy and torch: "float32", "bfloat16", "int64".
std::string_view name_of(DType dtype);

/// The sizes of an array's axes, outermost first. A scalar has rank 0.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}
  explicit Shape(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}

  int64_t rank() const { return static_cast<int64_t>(sizes_.size()); }
  /// Product of all sizes. A scalar has one element.
  int64_t elements() const;

  int64_t& operator[](int64_t axis) { return sizes_[static_cast<size_t>(axis)]; }
  int64_t operator[](int64_t axis) const { return sizes_[static_cast<size_t>(axis)]; }
  int64_t back() const { return sizes_.back(); }
  auto begin() const { return sizes_.begin(); }
  auto end() const { return sizes_.end(); }
  std::span<const int64_t> sizes() const { return sizes_; }

  void insert(int64_t axis, int64_t size) { sizes_.insert(sizes_.begin() + axis, size); }
  void erase(int64_t axis) { sizes_.erase(sizes_.begin() + axis); }
  void push_back(int64_t size) { sizes_.push_back(size); }

  bool operator==(const Shape&) const = default;

 private:
  std::vector<int64_t> sizes_;
};

/// The shape as text: "[8, 128, 768]".
std::string to_string(const Shape& shape);

/// Element type and shape of an array on a host or on a device.
struct TensorType {
  DType dtype = DType::kFloat32;
  Shape shape;

  int64_t bytes() const { return shape.elements() * size_of(dtype); }
  bool operator==(const TensorType&) const = default;
};

/// The type as text: "float32[8, 128, 768]".
std::string to_string(const TensorType& type);

/// The element type of the C++ type T (float, double, int32_t, int64_t, uint8_t, ...).
template <class T>
DType dtype_of();

/// A row-major array in host memory, not owned.
struct TensorView {
  TensorType type;
  const std::byte* data = nullptr;

  /// The elements as T. UsageError if T is not the element type.
  template <class T>
  std::span<const T> as() const;
};

/// An array and its name in a checkpoint.
struct NamedTensorView {
  std::string name;
  TensorView view;
};

/// A row-major array in host memory. It owns its elements, copies them by value, and aligns them to 64 bytes, so that
/// PJRT's CPU plugin takes them without a copy.
class Tensor {
 public:
  Tensor() = default;
  /// An array of zeros.
  explicit Tensor(TensorType type);
  template <class T>
  Tensor(Shape shape, std::span<const T> values);
  template <class T>
  Tensor(Shape shape, std::initializer_list<T> values) : Tensor(std::move(shape), std::span<const T>(values)) {}

  Tensor(const Tensor& other);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor& other);
  Tensor& operator=(Tensor&&) noexcept = default;

  const TensorType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Shape& shape() const { return type_.shape; }

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  TensorView view() const { return {type_, data_.get()}; }

  /// The elements as T. UsageError if T is not the element type.
  template <class T>
  std::span<T> as();
  template <class T>
  std::span<const T> as() const {
    return view().as<T>();
  }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  TensorType type_;
  std::unique_ptr<std::byte[], Free> data_;
};

/// An array with one axis.
template <class T>
Tensor vector_of(const std::vector<T>& values) {
  return Tensor({std::ssize(values)}, std::span<const T>(values));
}

/// The elements as float32, from any float type. UsageError for other types.
std::vector<float> to_floats(const TensorView& view);

/// bfloat16 is the upper half of a float32. Rounds to nearest even; NaN stays NaN.
uint16_t to_bfloat16(float value);
float from_bfloat16(uint16_t bits);
/// IEEE 754 binary16. Rounds to nearest even.
uint16_t to_float16(float value);
float from_float16(uint16_t bits);

}  // namespace portatune
