#include "portatune/graph/ops/convolution.h"

#include <algorithm>
#include <string>

#include "portatune/error.h"
#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// The window along one axis, with zeros between neighbours of x if x_dilation is not 1.
struct Window {
  int64_t stride = 1, low = 0, high = 0, x_dilation = 1, dilation = 1;

  // Size of the result.
  int64_t windows(int64_t x, int64_t filter) const {
    const int64_t padded = (x - 1) * x_dilation + 1 + low + high, extent = (filter - 1) * dilation + 1;
    return padded < extent ? 0 : (padded - extent) / stride + 1;
  }
};

// The axes of an operand or of the result: batch and features of x and y; outputs and inputs of the filter.
struct ConvolutionAxes {
  int64_t first, second, spatial;  // of `spatial`, the first; the others follow it

  // "[b, 0, 1, f]" for the names b and f.
  std::string text(char first_name, char second_name, int64_t count) const {
    std::vector<std::string> names(static_cast<size_t>(count + 2));
    names[static_cast<size_t>(first)] = first_name;
    names[static_cast<size_t>(second)] = second_name;
    for (int64_t i = 0; i < count; ++i) names[static_cast<size_t>(spatial + i)] = std::to_string(i);
    std::string joined;
    for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
    return "[" + joined + "]";
  }
};

template <class Get>
std::string windows_text(const std::vector<Window>& windows, Get get) {
  std::vector<int64_t> values;
  for (const Window& window : windows) values.push_back(get(window));
  return stablehlo::array_text(values);
}

std::string padding_text(const std::vector<Window>& windows) {
  std::string rows;
  for (const Window& window : windows) {
    rows += (rows.empty() ? "[" : ", [") + std::to_string(window.low) + ", " + std::to_string(window.high) + "]";
  }
  return "dense<[" + rows + "]> : tensor<" + std::to_string(windows.size()) + "x2xi64>";
}

// The sums of products of a convolution or of one of its gradients, which differ by the roles of the axes.
//   lowering  stablehlo.convolution, or the kernels portatune.convolution and portatune.convolution_dfilter
struct WindowedProducts : Op {
  const std::vector<Window> windows;
  const int64_t groups, batch_groups;
  const ConvolutionAxes x_axes, filter_axes, y_axes;

  WindowedProducts(std::vector<Window> windows, int64_t groups, int64_t batch_groups, const ConvolutionAxes& x_axes,
                   const ConvolutionAxes& filter_axes, const ConvolutionAxes& y_axes)
      : windows(std::move(windows)),
        groups(groups),
        batch_groups(batch_groups),
        x_axes(x_axes),
        filter_axes(filter_axes),
        y_axes(y_axes) {}

  Types infer(std::span<const Value> inputs) const override {
    const Shape &x = inputs[0].shape(), &filter = inputs[1].shape();
    Shape y = x;
    y[y_axes.first] = x[x_axes.first] / batch_groups;
    y[y_axes.second] = filter[filter_axes.first];
    for (size_t i = 0; i < windows.size(); ++i) {
      const auto axis = static_cast<int64_t>(i);
      y[y_axes.spatial + axis] = windows[i].windows(x[x_axes.spatial + axis], filter[filter_axes.spatial + axis]);
    }
    return {{inputs[0].dtype(), y}};
  }

  // The kernels compute windows over time without gaps.
  bool has_kernel() const {
    const Window& w = windows[0];
    return windows.size() == 1 && w.stride == 1 && w.x_dilation == 1 && w.dilation == 1 && w.low >= 0 && w.high >= 0;
  }
  // The gradient of the filter is the one whose batch is not the first axis of x.
  KernelCall kernel() const {
    const bool is_of_filter = x_axes.first != 0;
    return {.target = is_of_filter ? "portatune.convolution_dfilter" : "portatune.convolution",
            .attributes = {{"groups", i64_attribute(is_of_filter ? batch_groups : groups)},
                           {"low", i64_attribute(windows[0].low)}}};
  }

  void lower(const Node& node, Lowering& out) const override {
    if (has_kernel() && out.call_kernel(node, kernel())) return;
    const auto count = static_cast<int64_t>(windows.size());
    const std::string numbers = "#stablehlo.conv<" + x_axes.text('b', 'f', count) + "x" +
                                filter_axes.text('o', 'i', count) + "->" + y_axes.text('b', 'f', count) + ">";
    // See dot_general: at default precision, float32 operands would be rounded.
    const std::string precision = node.input(0).dtype() == DType::kFloat32 ? "HIGHEST" : "DEFAULT";
    const std::string both = "#stablehlo<precision " + precision + ">, #stablehlo<precision " + precision + ">";
    out.write(node, "stablehlo.convolution",
              {{"window_strides", windows_text(windows, [](const Window& w) { return w.stride; })},
               {"padding", padding_text(windows)},
               {"lhs_dilation", windows_text(windows, [](const Window& w) { return w.x_dilation; })},
               {"rhs_dilation", windows_text(windows, [](const Window& w) { return w.dilation; })},
               {"dimension_numbers", numbers},
               {"feature_group_count", i64_attribute(groups)},
               {"batch_group_count", i64_attribute(batch_groups)},
               {"precision_config", "[" + both + "]"}});
  }
};

// A gradient of a convolution.
//   gradient  none: an error
struct ConvolutionGrad final : WindowedProducts {
  using WindowedProducts::WindowedProducts;

  std::string_view name() const override { return "convolution_grad"; }
  Values gradient(const Node&, std::span<const Value>) const override {
    throw UsageError({.where = "convolution",
                      .given = "a gradient of its gradient",
                      .expected = "first derivatives",
                      .fix = "put stop_gradient() around the gradient"});
  }
};

// reverse(x, axes): the elements along these axes in reverse order.
//   shape     that of x
//   gradient  dy, reversed
//   lowering  stablehlo.reverse
struct Reverse final : Op {
  const std::vector<int64_t> axes;
  explicit Reverse(std::vector<int64_t> axes) : axes(std::move(axes)) {}

  std::string_view name() const override { return "reverse"; }
  Types infer(std::span<const Value> inputs) const override { return {inputs[0].type()}; }
  Values gradient(const Node&, std::span<const Value> dresults) const override {
    return {make_node<Reverse>({dresults[0]}, axes)};
  }
  void lower(const Node& node, Lowering& out) const override {
    out.write(node, "stablehlo.reverse", {{"dimensions", stablehlo::array_text(axes)}});
  }
};

// The filter as the gradient of x uses it: reversed, [in, out / groups, spatial axes...].
Value reversed_filter(const Value& filter, int64_t groups) {
  const Shape& shape = filter.shape();
  const int64_t out = shape[0], in = shape[1];
  std::vector<int64_t> split{groups, out / groups, in}, swapped{0, 2, 1}, joined{groups * in, out / groups}, spatial;
  for (int64_t axis = 2; axis < shape.rank(); ++axis) {
    split.push_back(shape[axis]);
    swapped.push_back(axis + 1);
    joined.push_back(shape[axis]);
    spatial.push_back(axis);
  }
  const Value by_group = transpose(reshape(filter, Shape(split)), swapped);
  return make_node<Reverse>({reshape(by_group, Shape(joined))}, spatial);
}

// convolution(x, filter): see ops.h.
//   shape     that of x, with the number of windows along each spatial axis and the features of the filter
//   gradient  dx: dy with zeros between its elements, convolved with the reversed filter;
//             dfilter: x convolved with dy, with the batch in the role of the features
//   lowering  see WindowedProducts
struct Convolution final : WindowedProducts {
  using WindowedProducts::WindowedProducts;

  std::string_view name() const override { return "convolution"; }

  Types infer(std::span<const Value> inputs) const override {
    const Shape &x = inputs[0].shape(), &filter = inputs[1].shape();
    const auto rank = static_cast<int64_t>(windows.size()) + 2;
    require(rank > 2 && x.rank() == rank && filter.rank() == rank, name(), inputs,
            "x [batch, spatial axes..., in] and a filter [out, in / groups, spatial axes...], with " +
                std::to_string(rank - 2) + " spatial axes");
    require(is_float(inputs[0].dtype()) && inputs[0].dtype() == inputs[1].dtype(), name(), inputs, "one float type", "",
            "convert() one of them");
    require(groups > 0 && x.back() == filter[1] * groups && filter[0] % groups == 0, name(), inputs,
            "in / groups features in the filter, and a multiple of the groups as its outputs",
            " in " + std::to_string(groups) + " groups");
    const bool positive = std::ranges::all_of(
        windows, [](const Window& w) { return w.stride > 0 && w.dilation > 0 && w.low >= 0 && w.high >= 0; });
    require(positive, name(), inputs, "positive strides and dilations, and no negative padding");
    Types types = WindowedProducts::infer(inputs);
    for (int64_t axis = 1; axis + 1 < rank; ++axis) {
      require(types[0].shape[axis] > 0, name(), inputs, "a filter that is not longer than x with its padding",
              " on spatial axis " + std::to_string(axis - 1));
    }
    return types;
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value &x = node.input(0), &filter = node.input(1), &dy = dresults[0];
    std::vector<Window> of_x, of_filter;
    for (size_t i = 0; i < windows.size(); ++i) {
      const Window& w = windows[i];
      const auto axis = static_cast<int64_t>(i);
      const int64_t extent =
          (filter.shape()[axis + 2] - 1) * w.dilation;  // from the filter's first element to its last
      // Elements of the padded x behind the last window.
      const int64_t rest = x.shape()[axis + 1] + w.low + w.high - extent - 1 - (dy.shape()[axis + 1] - 1) * w.stride;
      of_x.push_back({1, extent - w.low, extent - w.high + rest, w.stride, w.dilation});
      of_filter.push_back({w.dilation, w.low, w.high - rest, 1, w.stride});
    }
    const int64_t features = x.rank() - 1;
    const Value dx =
        make_node<ConvolutionGrad>({dy, reversed_filter(filter, groups)}, of_x, groups, 1, x_axes, filter_axes, y_axes);
    const Value dfilter = make_node<ConvolutionGrad>({x, dy}, of_filter, 1, groups, ConvolutionAxes{features, 0, 1},
                                                     ConvolutionAxes{features, 0, 1}, ConvolutionAxes{1, 0, 2});
    return {dx, dfilter};
  }
};

}  // namespace

double convolution_flops(const Node& node) {
  const auto* products = dynamic_cast<const WindowedProducts*>(&node.op());
  if (products == nullptr) return 0;
  const Shape& filter = node.input(1).shape();
  const int64_t per_output = filter.elements() / std::max<int64_t>(filter[products->filter_axes.first], 1);
  double flops = 2 * static_cast<double>(node.types()[0].shape.elements()) * static_cast<double>(per_output);
  // Products with the zeros between elements are not counted.
  for (const Window& window : products->windows) flops /= static_cast<double>(window.x_dilation);
  return flops;
}

Value convolution(const Value& x, const Value& filter, const ConvolutionOptions& options) {
  std::vector<Window> windows;
  for (const ConvolutionAxis& axis : options.axes) {
    windows.push_back({axis.stride, axis.low, axis.high, 1, axis.dilation});
  }
  const int64_t features = static_cast<int64_t>(windows.size()) + 1;
  const ConvolutionAxes channels_last{0, features, 1};
  return make_node<Convolution>({x, filter}, std::move(windows), options.groups, int64_t{1}, channels_last,
                                ConvolutionAxes{0, 1, 2}, channels_last);
}

}  // namespace portatune
