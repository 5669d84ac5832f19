// Values of the graph and the operations on them, for losses of tasks in Python: portatune.ops.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "portatune/error.h"
#include "portatune/ops.h"
#include "portatune/python/arrays.h"
#include "portatune/python/bindings.h"
#include "portatune/tasks/losses.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

// The other operand of an operator. Python's int comes before float, which would take it, too.
using Operand = std::variant<Value, int64_t, double>;
using Sizes = nb::typed<nb::tuple, int64_t, nb::ellipsis>;
using Axes = std::variant<std::monostate, int64_t, std::vector<int64_t>>;

bool is_wider(DType a, DType b) {
  if (is_float(a) != is_float(b)) return is_float(a);
  return size_of(a) > size_of(b);
}

// The type of a result from two types, as in NumPy: a float type before others, then the wider one.
DType common(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) && is_float(b) && size_of(a) == size_of(b)) return DType::kFloat32;  // float16 and bfloat16
  return is_wider(a, b) ? a : b;
}

Value scalar(const Value& like, double value) { return full({like.dtype(), {}}, value); }

// Truth values as whole numbers, as NumPy counts with them.
Value as_number(const Value& x) { return x.dtype() == DType::kBool ? convert(x, DType::kInt32) : x; }

// x and y in one type.
std::pair<Value, Value> matched(Value x, const Operand& other) {
  if (const auto* integer = std::get_if<int64_t>(&other)) {
    x = as_number(x);
    return {x, scalar(x, static_cast<double>(*integer))};
  }
  if (const auto* number = std::get_if<double>(&other)) {
    if (!is_float(x.dtype())) x = convert(x, DType::kFloat32);
    return {x, scalar(x, *number)};
  }
  const Value& y = std::get<Value>(other);
  const DType type = common(x.dtype(), y.dtype());
  return {convert(x, type), convert(y, type)};
}

using Binary = Value (*)(const Value&, const Value&);

template <Binary function>
Value apply(const Value& x, const Operand& y) {
  const auto [left, right] = matched(x, y);
  return function(left, right);
}
template <Binary function>
Value apply_reversed(const Value& y, const Operand& x) {
  const auto [right, left] = matched(y, x);
  return function(left, right);
}

// Division of whole numbers gives float32, as in Python.
Value true_divide(const Value& x, const Value& y) {
  if (is_float(x.dtype())) return divide(x, y);
  return divide(convert(x, DType::kFloat32), convert(y, DType::kFloat32));
}

template <Direction direction>
Value compared(const Value& x, const Value& y) {
  return compare(direction, x, y);
}

std::vector<int64_t> axes_of(const Value& x, const Axes& axes) {
  if (const auto* one = std::get_if<int64_t>(&axes)) return {*one};
  if (const auto* several = std::get_if<std::vector<int64_t>>(&axes)) return *several;
  std::vector<int64_t> all;
  for (int64_t axis = 0; axis < x.rank(); ++axis) all.push_back(axis);
  return all;
}

using Reduction = Value (*)(const Value&, std::vector<int64_t>, ReducedAxes);

template <Reduction function>
Value reduced(const Value& x, const Axes& axis, bool keepdims) {
  return function(x, axes_of(x, axis), keepdims ? ReducedAxes::kKeep : ReducedAxes::kDrop);
}

// The sum of truth values is their number, and the mean of whole numbers has a fraction, as in NumPy.
Value sum_of(const Value& x, std::vector<int64_t> axes, ReducedAxes kept) {
  return sum(as_number(x), std::move(axes), kept);
}
Value mean_of(const Value& x, std::vector<int64_t> axes, ReducedAxes kept) {
  return mean(is_float(x.dtype()) ? x : convert(x, DType::kFloat32), std::move(axes), kept);
}

DType dtype_called(const std::string& name) {
  for (const DType dtype : {DType::kBool, DType::kInt32, DType::kUInt32, DType::kInt64, DType::kFloat16,
                            DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
    if (name_of(dtype) == name) return dtype;
  }
  throw UsageError({.where = "astype", .given = "\"" + name + "\"", .expected = "a type such as \"float32\""});
}

// [..., k] @ [k, n], or [..., m, k] @ [..., k, n] with the same leading axes.
Value matrix_product(const Value& x, const Value& y) {
  const int64_t rank = x.rank();
  if (y.rank() == 2 && y.dtype() == DType::kFloat32) return matmul(x, y);
  if (y.rank() != rank || rank < 2) {
    throw ShapeError({.where = "matmul",
                      .given = to_string(x.type()) + " @ " + to_string(y.type()),
                      .expected = "[..., k] @ [k, n] with float32 [k, n], or [..., m, k] @ [..., k, n]",
                      .fix = "reshape an operand, or convert it with astype(\"float32\")"});
  }
  const auto [left, right] = matched(x, y);
  DotDimensions dims{.lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {rank - 1}, .rhs_contracting = {rank - 2}};
  for (int64_t axis = 0; axis < rank - 2; ++axis) {
    dims.lhs_batch.push_back(axis);
    dims.rhs_batch.push_back(axis);
  }
  return dot_general(left, right, dims);
}

// ---- x[...]

int64_t bound(const nb::object& given, int64_t by_default, int64_t size) {
  if (given.is_none()) return by_default;
  const auto value = nb::cast<int64_t>(given);
  return std::clamp<int64_t>(value < 0 ? value + size : value, 0, size);
}

Value sliced(const Value& x, int64_t axis, const nb::slice& range) {
  const nb::object step = range.attr("step");
  if (!step.is_none() && nb::cast<int64_t>(step) != 1) throw nb::index_error("slices of values have step 1");
  const int64_t size = x.shape()[axis], begin = bound(range.attr("start"), 0, size);
  const int64_t end = std::max(begin, bound(range.attr("stop"), size, size));
  return begin == 0 && end == size ? x : slice(x, axis, {begin, end});
}

// The element `index` along an axis, which is dropped.
Value picked(const Value& x, int64_t axis, int64_t index) {
  const int64_t size = x.shape()[axis], at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) throw nb::index_error("index out of range");
  Shape rest = x.shape();
  rest.erase(axis);
  return reshape(slice(x, axis, {at, at + 1}), rest);
}

Value item(Value x, const nb::object& index) {
  const nb::tuple parts = nb::isinstance<nb::tuple>(index) ? nb::cast<nb::tuple>(index) : nb::make_tuple(index);
  int64_t indexed = 0;
  for (const nb::handle part : parts) indexed += part.is_none() || part.is(Py_Ellipsis) ? 0 : 1;
  int64_t axis = 0;
  for (const nb::handle part : parts) {
    if (part.is_none()) {
      x = expand_dims(x, axis++);
    } else if (part.is(Py_Ellipsis)) {
      axis += std::max<int64_t>(0, x.rank() - axis - indexed);
    } else if (axis >= x.rank()) {
      throw nb::index_error("too many indices");
    } else if (nb::isinstance<nb::slice>(part)) {
      x = sliced(x, axis++, nb::cast<nb::slice>(part));
      --indexed;
    } else {
      x = picked(x, axis, nb::cast<int64_t>(part));
      --indexed;
    }
  }
  return x;
}

std::vector<int64_t> shape_of(const Value& x) { return {x.shape().begin(), x.shape().end()}; }

Value transposed(const Value& x, const std::optional<std::vector<int64_t>>& axes) {
  if (axes) return transpose(x, *axes);
  std::vector<int64_t> reversed;
  for (int64_t axis = x.rank() - 1; axis >= 0; --axis) reversed.push_back(axis);
  return transpose(x, reversed);
}

Value converted(const Value& x, const std::string& dtype) { return convert(x, dtype_called(dtype)); }

// forward() runs before the device computes anything, so Python cannot decide by an element.
bool truth_of(const Value& x) {
  throw nb::type_error(("the truth value of " + to_string(x.type()) +
                        " is unknown while forward() builds the program: use portatune.ops.where()")
                           .c_str());
}

void bind_value(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Value> value(module, "Value",
                          "An array of the graph: its type is known, its elements are computed by the device. "
                          "Operators broadcast and choose types as NumPy does.");
  value.attr("__array_ufunc__") = nb::none();  // functions of NumPy refuse a value, as they would loop over it
  value.def("__bool__", truth_of)
      .def_prop_ro("shape", [](const Value& x) { return Sizes(nb::cast(shape_of(x))); })
      .def_prop_ro("dtype", [](const Value& x) { return std::string(name_of(x.dtype())); })
      .def_prop_ro("ndim", &Value::rank)
      .def("__add__", apply<add>)
      .def("__radd__", apply_reversed<add>)
      .def("__sub__", apply<subtract>)
      .def("__rsub__", apply_reversed<subtract>)
      .def("__mul__", apply<multiply>)
      .def("__rmul__", apply_reversed<multiply>)
      .def("__truediv__", apply<true_divide>)
      .def("__rtruediv__", apply_reversed<true_divide>)
      .def("__pow__", apply<power>)
      .def("__matmul__", matrix_product)
      .def("__neg__", neg)
      .def("__lt__", apply<compared<Direction::kLess>>)
      .def("__le__", apply<compared<Direction::kLessEqual>>)
      .def("__gt__", apply<compared<Direction::kGreater>>)
      .def("__ge__", apply<compared<Direction::kGreaterEqual>>)
      // The stub has Any, because those of `object` return a bool.
      .def("__eq__", apply<compared<Direction::kEqual>>, nb::sig("def __eq__(self, arg: object, /) -> typing.Any"))
      .def("__ne__", apply<compared<Direction::kNotEqual>>, nb::sig("def __ne__(self, arg: object, /) -> typing.Any"))
      .def("__getitem__", item, "index"_a)
      .def("astype", converted, "dtype"_a, "The same numbers in another type: \"float32\", \"int32\", ...")
      .def("sum", reduced<sum_of>, "axis"_a = nb::none(), "keepdims"_a = false)
      .def("mean", reduced<mean_of>, "axis"_a = nb::none(), "keepdims"_a = false)
      .def("max", reduced<max>, "axis"_a = nb::none(), "keepdims"_a = false)
      .def(
          "reshape", [](const Value& x, const std::vector<int64_t>& shape) { return reshape(x, Shape(shape)); },
          "shape"_a, "The same elements in another shape; one size may be -1.")
      .def("transpose", transposed, "axes"_a = nb::none(), "Axis i of the result is axis axes[i]; by default reversed.")
      .def("__repr__", [](const Value& x) { return "Value(" + to_string(x.type()) + ")"; });
}

void bind_functions(nb::module_& module) {
  using namespace nb::literals;
  module.def("exp", exp, "x"_a);
  module.def("log", log, "x"_a);
  module.def("log1p", log1p, "x"_a);
  module.def("sqrt", sqrt, "x"_a);
  module.def("rsqrt", rsqrt, "x"_a, "1 / sqrt(x)");
  module.def("abs", abs, "x"_a);
  module.def("tanh", tanh, "x"_a);
  module.def("sigmoid", logistic, "x"_a);
  module.def("relu", relu, "x"_a);
  module.def(
      "gelu", [](const Value& x, bool tanh) { return gelu(x, tanh ? GeluForm::kTanh : GeluForm::kErf); }, "x"_a,
      "tanh"_a = false, "x Phi(x); `tanh`: by the approximation with tanh");
  module.def("maximum", apply<maximum>, "x"_a, "y"_a);
  module.def("minimum", apply<minimum>, "x"_a, "y"_a);
  module.def("equal", apply<compared<Direction::kEqual>>, "x"_a, "y"_a);
  module.def(
      "where",
      [](const Value& condition, const Value& x, const Operand& y) {
        const auto [left, right] = matched(x, y);
        return select(condition, left, broadcast_to(right, left.shape()));
      },
      "condition"_a, "x"_a, "y"_a, "x where the condition is true, else y; x has the shape of the condition");
  module.def("stop_gradient", stop_gradient, "x"_a, "The same numbers, to which no gradient flows back.");
  module.def("matmul", matrix_product, "x"_a, "y"_a, "[..., k] @ [k, n], or [..., m, k] @ [..., k, n]");
  module.def("softmax", softmax, "x"_a, "axis"_a = -1);
  module.def("log_softmax", log_softmax, "x"_a, "axis"_a = -1);
  module.def(
      "concatenate", [](const Values& inputs, int64_t axis) { return concatenate(inputs, axis); }, "inputs"_a,
      "axis"_a = 0);
  module.def("gather", gather_rows, "table"_a, "ids"_a, "table[ids]: rows of [rows, width] by int32 ids of any shape");
  module.def("pick", label_logits, "x"_a, "index"_a, "x[..., index[...]]: an element of the last axis for each index");
  module.def("argmax", argmax, "x"_a, "axis"_a = -1, "the index of the largest element, int32");
  module.def(
      "broadcast_to", [](const Value& x, const std::vector<int64_t>& s) { return broadcast_to(x, Shape(s)); }, "x"_a,
      "shape"_a);
  module.def(
      "constant", [](const Array& array) { return constant(to_tensor(array)); }, "array"_a,
      nb::sig("def constant(array: typing.Any) -> portatune.lib._core.Value"),
      "The elements of a NumPy array, which do not change.");
  module.def("softmax_cross_entropy", softmax_cross_entropy, "logits"_a, "labels"_a,
             "-log softmax(logits)[label]; logits float32 [..., classes], labels int32 [...]");
  module.def("sigmoid_cross_entropy", sigmoid_cross_entropy, "logits"_a, "targets"_a,
             "binary cross-entropy of sigmoid(logits); targets in [0, 1] of the same shape");
}

}  // namespace

void bind_values(nb::module_& module) {
  bind_value(module);
  nb::module_ functions = module.def_submodule("ops", "Operations on values of the graph.");
  bind_functions(functions);
}

}  // namespace portatune::python
