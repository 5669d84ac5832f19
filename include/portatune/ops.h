// The operations of the graph. Names and meaning are StableHLO's unless said otherwise.
//
// Binary operations broadcast as NumPy does. Both operands have one element type: convert() one of them otherwise.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "portatune/graph.h"
#include "portatune/mesh.h"

namespace portatune {

// ---- sources

/// A constant array.
Value constant(Tensor values);
/// An array filled with one number.
Value full(TensorType type, double value);
/// 0, 1, 2, ... along `axis`.
Value iota(TensorType type, int64_t axis);

// ---- elementwise

Value neg(const Value& x);
Value abs(const Value& x);
Value exp(const Value& x);
Value expm1(const Value& x);
Value log(const Value& x);
Value log1p(const Value& x);
Value sqrt(const Value& x);
Value rsqrt(const Value& x);
Value tanh(const Value& x);
Value logistic(const Value& x);
Value erf(const Value& x);
Value sin(const Value& x);
Value cos(const Value& x);
Value logical_not(const Value& x);

Value add(const Value& x, const Value& y);
Value subtract(const Value& x, const Value& y);
Value multiply(const Value& x, const Value& y);
Value divide(const Value& x, const Value& y);
Value maximum(const Value& x, const Value& y);
Value minimum(const Value& x, const Value& y);
Value power(const Value& x, const Value& y);
Value bitwise_and(const Value& x, const Value& y);
Value bitwise_or(const Value& x, const Value& y);
Value bitwise_xor(const Value& x, const Value& y);
Value shift_left(const Value& x, const Value& y);
Value shift_right_logical(const Value& x, const Value& y);

inline Value operator-(const Value& x) { return neg(x); }
inline Value operator+(const Value& x, const Value& y) { return add(x, y); }
inline Value operator-(const Value& x, const Value& y) { return subtract(x, y); }
inline Value operator*(const Value& x, const Value& y) { return multiply(x, y); }
inline Value operator/(const Value& x, const Value& y) { return divide(x, y); }
Value operator+(const Value& x, double y);
Value operator-(const Value& x, double y);
Value operator*(const Value& x, double y);
Value operator/(const Value& x, double y);
Value operator+(double x, const Value& y);
Value operator-(double x, const Value& y);
Value operator*(double x, const Value& y);
Value operator/(double x, const Value& y);

enum class Direction { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
/// Elementwise comparison; gives bool.
Value compare(Direction direction, const Value& x, const Value& y);
/// Elementwise: where `condition` (bool) is true `x`, else `y`.
Value select(const Value& condition, const Value& x, const Value& y);
/// The same numbers in another element type. Returns `x` itself if it has that type.
Value convert(const Value& x, DType dtype);
/// The same numbers, but no gradient flows back.
Value stop_gradient(const Value& x);

// ---- shape

/// The same elements in another shape; one size may be -1 and is worked out.
Value reshape(const Value& x, Shape shape);
/// x with an axis of size 1 put in before `axis`; a negative one counts from the end of the result.
Value expand_dims(const Value& x, int64_t axis);
/// Axis i of the result is axis permutation[i] of x.
Value transpose(const Value& x, std::vector<int64_t> permutation);
/// Repeats x along new leading axes and along axes of size 1, as NumPy's broadcast_to.
Value broadcast_to(const Value& x, const Shape& shape);
struct Range {
  int64_t begin, end;
};
/// Elements begin..end-1 along `axis`. A negative axis counts from the end.
Value slice(const Value& x, int64_t axis, Range range);
/// `size` elements along `axis` from `start` on, a number known at run time: an int32 scalar, clamped so that they fit.
Value dynamic_slice(const Value& x, int64_t axis, const Value& start, int64_t size);
/// x with `update` written over it along `axis` from `start` on, which is clamped likewise.
Value dynamic_update_slice(const Value& x, const Value& update, int64_t axis, const Value& start);
/// Zeros around x: `low` before and `high` after along `axis`.
Value pad(const Value& x, int64_t axis, int64_t low, int64_t high);
/// The inputs side by side along `axis`.
Value concatenate(const Values& inputs, int64_t axis);

// ---- reductions

/// Whether a reduced axis vanishes or stays with size 1.
enum class ReducedAxes { kDrop, kKeep };
Value sum(const Value& x, std::vector<int64_t> axes, ReducedAxes reduced = ReducedAxes::kDrop);
Value max(const Value& x, std::vector<int64_t> axes, ReducedAxes reduced = ReducedAxes::kDrop);
Value mean(const Value& x, std::vector<int64_t> axes, ReducedAxes reduced = ReducedAxes::kDrop);
/// Over all axes.
Value sum(const Value& x);
/// Index of the largest element along `axis`, of the first if there are several; int32.
Value argmax(const Value& x, int64_t axis);
/// Sums of the elements up to and including each along the last axis; in float32 inside, so exact for integers below
/// 2^24. Its cost is the square of the axis.
Value cumulative_sum(const Value& x);
/// The k largest along the last axis, in falling order, and their indices (int32). No gradient flows back.
struct TopK {
  Value values, indices;
};
TopK top_k(const Value& x, int64_t k);

// ---- contractions and indexing

/// How dot_general pairs the axes of its operands.
struct DotDimensions {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
};
/// Sums products over the contracting axes. Result axes: batch, free axes of lhs, free axes of rhs; its element type is
/// that of the operands unless `result` says otherwise (float32 sums of bfloat16 products).
Value dot_general(const Value& lhs, const Value& rhs, const DotDimensions& dims, std::optional<DType> result = {});

/// Rows of a table (an embedding): result[i..., :] = table[ids[i...], :]. Ids outside the table are clamped into it.
/// table [rows, width], ids an integer type of any shape; returns [ids..., width]
Value gather_rows(const Value& table, const Value& ids);
/// Zeros [rows, width] to which updates[i..., :] are added at row ids[i...]. Ids outside are ignored.
Value scatter_add_rows(const Value& ids, const Value& updates, int64_t rows);

// ---- loops

/// Applies `body` to the values as long as `condition` of them (a bool scalar) holds, at first to `initial`; returns
/// the last ones. Types do not change on the way. Both functions may use values from outside. UsageError when a
/// gradient is asked for.
Values while_loop(const Values& initial, const std::function<Value(const Values&)>& condition,
                  const std::function<Values(const Values&)>& body);

/// The sums of `terms` over index = 0, 1, ..., count - 1, computed one after the other.
/// index  an int32 scalar that parameter() has made; the terms depend on it
Values loop_sum(const Values& terms, const Value& index, int64_t count);

// ---- collectives, which all devices of a mesh compute together; a gradient through them is that of the sum of what
// the devices compute. Over axes along which there is one device, each gives x itself.

/// The sum over the devices that differ along `axes` alone, on each of them.
Value all_reduce(const Value& x, const Mesh& mesh, const MeshAxes& axes);
/// The arrays of these devices side by side along `axis`, in the order of the places, on each of them.
/// sent_as  a float type that x is rounded to before it is sent, and back after it, as half as much crosses the links
///          then; gradients are neither rounded nor sent so. By default the type of x
Value all_gather(const Value& x, int64_t axis, const Mesh& mesh, const MeshAxes& axes,
                 std::optional<DType> sent_as = {});
/// The sum over these devices divided into equal parts along `axis`, of which each gets that of its place.
Value reduce_scatter(const Value& x, int64_t axis, const Mesh& mesh, const MeshAxes& axes);
/// Mesh::place() of the device that computes it; an int32 scalar.
Value place_of_device(const Mesh& mesh, const MeshAxes& axes);

// ---- what is computed again

/// The same values, of which none is there before all are, and through which the compiler does not look: what is
/// computed from them is not merged with what was computed from x. On CPUs this holds with kernels alone, and without
/// booleans or float64 among x.
Values optimization_barrier(const Values& x);

/// What the backward pass computes again, in place of keeping it from the forward pass.
enum class Remat {
  kNone,    ///< nothing
  kLayers,  ///< all that is between a layer's input and its output
  kDots     ///< the same but results of linear() and matmul(), which are kept
};
/// y, where gradients go back to x by values between the two that are computed again from x.
/// y       computed from x, and from whatever else
/// source  Chen et al. 2016, arXiv:1604.06174; the policies are among those of jax.checkpoint
Value remat(const Value& x, const Value& y, Remat policy);

// ---- composites: each is a decomposition into the above, and a kernel where the platform has one

/// x w^T + bias over the last axis, computed in the type of x, summed in float32.
/// x [..., in], weight float32 [out, in], bias float32 [out] or absent; returns [..., out] in the type of x
Value linear(const Value& x, const Value& weight, const Value& bias = {});

/// x w over the last axis, likewise; for weights that lie the other way round.
/// x [..., in], weight float32 [in, out]; returns [..., out] in the type of x
Value matmul(const Value& x, const Value& weight);

/// (x - mean) / sqrt(variance + eps) * gamma + beta over the last axis, in float32 inside.
/// x [..., size], gamma and beta float32 [size]; returns the type of x
/// source: Ba et al. 2016, arXiv:1607.06450
Value layer_norm(const Value& x, const Value& gamma, const Value& beta, double eps);

/// x / sqrt(mean(x^2) + eps) * weight over the last axis, in float32 inside; rounded to the type of x before the weight
/// too, as Llama does it.
/// x [..., size], weight float32 [size]; returns the type of x
/// source: Zhang and Sennrich 2019, arXiv:1910.07467
Value rms_norm(const Value& x, const Value& weight, double eps);

enum class GeluForm { kErf, kTanh };
/// x * Phi(x), exactly or by tanh. source: Hendrycks and Gimpel 2016, arXiv:1606.08415
Value gelu(const Value& x, GeluForm form = GeluForm::kErf);

/// Sets elements to zero with probability `rate` and scales the others by 1 / (1 - rate). The mask is a function of
/// `key` and the element's index: it is computed again where it is needed and never stored.
/// key   uint32 [2]: keys whose first halves differ give independent masks
/// rate  in [0, 1)
Value dropout(const Value& x, const Value& key, double rate);

/// 32 random bits for every element: a hash of (key, index), the same on every machine.
/// index  uint32 [...]; key uint32 [2]; returns uint32 [...]
Value random_bits(const Value& index, const Value& key);
/// The key under which element i gets the bits that element first + i gets under `key`. For parts of an array.
/// first  a uint32 scalar
Value key_from(const Value& key, const Value& first);

/// Which keys a query may see by their places: query i sees key j where -before <= j - (i + kv - query) <= after; the
/// last query stands at the last key. {.after = 0} is causal; a sliding window of w is {.before = w - 1, .after = 0}.
struct Band {
  std::optional<int64_t> before = {}, after = {};  ///< at least 0; absent: no limit
};
struct AttentionOptions {
  int64_t heads;
  double scale;              ///< of q k^T; usually 1 / sqrt(head_size)
  double dropout = 0;        ///< on the attention weights, in [0, 1)
  Value key = {};            ///< uint32 [2]; needed where dropout is not 0
  Band band = {};            ///< keys outside get no weight and, on the CPU, cost nothing
  int64_t kv_heads = heads;  ///< heads of k and v; each serves heads / kv_heads consecutive heads of q
  /// Whose number decides about dropout where these heads are a part of all, the first part under `key`, the second
  /// under key_from(key, heads * query * kv), and so on: each weight is dropped as it is among all heads.
  int64_t dropout_heads = heads;
};
/// Scaled dot-product attention: softmax(scale q k^T + bias) v, for each head.
/// q [batch, query, heads * head_size]; k, v [batch, kv, kv_heads * head_size]; one float type
/// mask     float32 [batch, 1, 1, kv], a bias added to the scores: 0 keeps, very negative hides. Or int32 [batch, kv],
///          with query = kv: segments of rows that hold several texts, whose tokens stand side by side under one
///          number, from 1 on. A query sees the keys of its own text alone; on the CPU the others cost nothing. 0 is
///          padding.
/// returns  like q. A query all of whose keys are hidden gets finite numbers (zeros if the band or the segments leave
///          none) and passes no gradient back. Nothing may depend on these: cuDNN gives it the mean of v, and v a part
///          of its gradient.
/// source   Vaswani et al. 2017, arXiv:1706.03762, equation 1
Value attention(const Value& q, const Value& k, const Value& v, const Value& mask, const AttentionOptions& options);

/// Rotary position embedding: in each head, element j of the first half and element j of the second are turned by the
/// angle whose cos and sin the tables hold: (x1 cos - x2 sin, x2 cos + x1 sin), in float32 inside.
/// x [batch, seq, heads * head_size]; cos, sin float32 [seq, head_size / 2] or [batch, seq, head_size / 2], which get
/// no gradient; returns the type of x source: Su et al. 2021, arXiv:2104.09864, with the halves in place of neighbours,
/// as transformers has it
Value rotary(const Value& x, const Value& cos, const Value& sin, int64_t heads);

/// Sum of the squares of all elements, a float32 scalar.
Value sum_of_squares(const Value& x);

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
};
struct AdamWState {
  Value parameter, m, v;
};
/// One step of Adam with decoupled weight decay (weight_decay 0: Adam), all float32 and of one shape.
/// hyper    float32 [5]: learning rate, 1 / (1 - beta1^t), 1 / (1 - beta2^t), factor of the gradient (clipping); 1, or
/// 0
///          to leave the state as it is, whatever the gradient
/// source   Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2, as torch.optim.AdamW has it
AdamWState adamw(const AdamWState& state, const Value& gradient, const Value& hyper, const AdamWOptions& options);

// ---- made of the above

Value softmax(const Value& x, int64_t axis);
Value log_softmax(const Value& x, int64_t axis);
Value relu(const Value& x);

}  // namespace portatune
