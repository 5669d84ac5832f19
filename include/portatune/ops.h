// The operations of the graph. Names and meanings are StableHLO's unless stated otherwise.
//
// Binary operations broadcast as NumPy does. Both operands must have the same element type; use convert() if not.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "portatune/graph.h"

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
/// Elementwise comparison; returns bool.
Value compare(Direction direction, const Value& x, const Value& y);
/// Elementwise choice: `x` where `condition` (bool) is true, else `y`.
Value select(const Value& condition, const Value& x, const Value& y);
/// The same numbers in another element type. Returns `x` itself if it has that type.
Value convert(const Value& x, DType dtype);
/// The same numbers, but no gradient flows back.
Value stop_gradient(const Value& x);

// ---- shape

/// The same elements in another shape; one size may be -1 and is then inferred.
Value reshape(const Value& x, Shape shape);
/// x with a new axis of size 1 before `axis`; a negative axis counts from the end of the result.
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
/// `size` elements along `axis` from index `start`, which is known at run time.
/// start  an int32 scalar, clamped so that the slice fits
Value dynamic_slice(const Value& x, int64_t axis, const Value& start, int64_t size);
/// x with `update` written over it along `axis` from index `start`.
/// start  an int32 scalar, clamped so that the update fits
Value dynamic_update_slice(const Value& x, const Value& update, int64_t axis, const Value& start);
/// x with zeros around it: `low` before and `high` after along `axis`.
Value pad(const Value& x, int64_t axis, int64_t low, int64_t high);
/// The inputs side by side along `axis`.
Value concatenate(const Values& inputs, int64_t axis);

// ---- reductions

/// A reduced axis is dropped, or kept with size 1.
enum class ReducedAxes { kDrop, kKeep };
Value sum(const Value& x, std::vector<int64_t> axes, ReducedAxes reduced = ReducedAxes::kDrop);
Value max(const Value& x, std::vector<int64_t> axes, ReducedAxes reduced = ReducedAxes::kDrop);
Value mean(const Value& x, std::vector<int64_t> axes, ReducedAxes reduced = ReducedAxes::kDrop);
/// Sum over all axes.
Value sum(const Value& x);
/// Index of the largest element along `axis`, the first if there are several; int32.
Value argmax(const Value& x, int64_t axis);
/// Inclusive cumulative sums along the last axis, computed in float32 and therefore exact for integers below 2^24. The
/// cost is quadratic in the size of the axis.
Value cumulative_sum(const Value& x);
/// The k largest elements along the last axis, in falling order, and their indices (int32). No gradient flows back.
struct TopK {
  Value values, indices;
};
TopK top_k(const Value& x, int64_t k);

// ---- contractions and indexing

/// The axes that dot_general pairs.
struct DotDimensions {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
};
/// Sums products over the contracting axes. The result's axes are batch, free axes of lhs, free axes of rhs. Its
/// element type is that of the operands unless `result` gives another one (float32 sums of bfloat16 products).
Value dot_general(const Value& lhs, const Value& rhs, const DotDimensions& dims, std::optional<DType> result = {});

/// Rows of a table (an embedding): result[i..., :] = table[ids[i...], :]. Ids outside the table are clamped into it.
/// table [rows, width], ids an integer type of any shape; returns [ids..., width]
Value gather_rows(const Value& table, const Value& ids);
/// Zeros [rows, width] to which updates[i..., :] are added at row ids[i...]. Ids outside 0..rows-1 are ignored.
Value scatter_add_rows(const Value& ids, const Value& updates, int64_t rows);

// ---- loops

/// Applies `body` to the values while `condition` of them (a bool scalar) is true, starting with `initial`, and returns
/// the last values. Types do not change between iterations. Both functions may use values from outside the loop.
/// errors  UsageError if a gradient through the loop is requested
Values while_loop(const Values& initial, const std::function<Value(const Values&)>& condition,
                  const std::function<Values(const Values&)>& body);

/// Sums of `terms` over index = 0, 1, ..., count - 1, computed one after the other.
/// index  an int32 scalar from parameter(); the terms depend on it
Values loop_sum(const Values& terms, const Value& index, int64_t count);

// ---- collectives: all devices of a mesh compute them together. A collective works within groups of devices that
// differ only along `axes`; a group of one device returns x. The gradient is that of the sum of the devices' results.

/// The sum of x over each group; all its devices get it.
Value all_reduce(const Value& x, const Mesh& mesh, const MeshAxes& axes);
/// The arrays of each group, concatenated along `axis` in the order of Mesh::index(); all its devices get the result.
/// sent_as  a float type to which x is rounded before it is sent, to halve the traffic; the result is converted back to
///          the type of x. Gradients are neither rounded nor sent so. By default the type of x
Value all_gather(const Value& x, int64_t axis, const Mesh& mesh, const MeshAxes& axes,
                 std::optional<DType> sent_as = {});
/// The sum of x over each group, divided into equal shards along `axis`; each device gets the shard of its index.
Value reduce_scatter(const Value& x, int64_t axis, const Mesh& mesh, const MeshAxes& axes);
/// Mesh::index() of the device that runs the program; an int32 scalar.
Value place_of_device(const Mesh& mesh, const MeshAxes& axes);

// ---- gradient checkpointing

/// The same values, none of which is available before all are. The compiler does not merge computations before and
/// after the barrier. On CPUs this holds only with kernels, and only if x has no booleans and no float64.
Values optimization_barrier(const Values& x);

/// Values that the backward pass computes again, in place of storing them in the forward pass.
enum class Remat {
  kNone,    ///< none
  kLayers,  ///< all values between a layer's input and its output
  kDots     ///< the same except results of linear() and matmul(), which are stored
};
/// y, such that the backward pass from y to x computes the values between them again from x.
/// y       computed from x, and perhaps from other values
/// source  Chen et al. 2016, arXiv:1604.06174; the policies are among those of jax.checkpoint
Value remat(const Value& x, const Value& y, Remat policy);

// ---- composites: each is a decomposition into the ops above, and a kernel where the platform has one

/// x w^T + bias over the last axis, computed in the type of x, summed in float32.
/// x [..., in], weight float32 [out, in], bias float32 [out] or absent; returns [..., out] in the type of x
Value linear(const Value& x, const Value& weight, const Value& bias = {});

/// x w over the last axis, as linear() without bias, but with the weight transposed.
/// x [..., in], weight float32 [in, out]; returns [..., out] in the type of x
Value matmul(const Value& x, const Value& weight);

/// (x - mean) / sqrt(variance + eps) * gamma + beta over the last axis, computed in float32.
/// x [..., size], gamma and beta float32 [size]; returns the type of x
/// source: Ba et al. 2016, arXiv:1607.06450
Value layer_norm(const Value& x, const Value& gamma, const Value& beta, double eps);

/// Where rms_norm() rounds to the type of x, besides its result.
enum class RmsNormRounding {
  kBeforeWeight,  ///< before the product with the weight, as in Llama
  kNone           ///< nowhere, as in Gemma
};
/// x / sqrt(mean(x^2) + eps) * weight over the last axis, computed in float32.
/// x [..., size], weight float32 [size]; returns the type of x
/// source: Zhang and Sennrich 2019, arXiv:1910.07467
Value rms_norm(const Value& x, const Value& weight, double eps,
               RmsNormRounding rounding = RmsNormRounding::kBeforeWeight);

enum class GeluForm { kErf, kTanh };
/// x * Phi(x), exactly or by tanh. source: Hendrycks and Gimpel 2016, arXiv:1606.08415
Value gelu(const Value& x, GeluForm form = GeluForm::kErf);

/// Sets elements to zero with probability `rate` and scales the others by 1 / (1 - rate). The mask is a function of
/// `key` and the element's index: it is recomputed where it is needed and never stored.
/// key   uint32 [2]: keys whose first halves differ give independent masks
/// rate  in [0, 1)
Value dropout(const Value& x, const Value& key, double rate);
/// The same for a rate that the program gets as an input, so that it does not depend on the rate.
/// rule  dropout_rule() of the rate, float32 [2]
Value dropout(const Value& x, const Value& key, const Value& rule);
/// What dropout computes with, float32 [2]: 2^32 times the rate, and the factor 1 / (1 - rate).
Tensor dropout_rule(double rate);

/// 32 random bits for every element: a hash of (key, index), the same on every machine.
/// index  uint32 [...]; key uint32 [2]; returns uint32 [...]
Value random_bits(const Value& index, const Value& key);
/// The key with which element i gets the bits that element first + i gets with `key`; for shards of an array.
/// first  a uint32 scalar
Value key_from(const Value& key, const Value& first);

/// The keys that a query may see, by position: query i sees key j if -before <= j - (i + kv - query) <= after. The last
/// query is at the position of the last key. {.after = 0} is causal; a sliding window of w is
/// {.before = w - 1, .after = 0}.
struct Band {
  std::optional<int64_t> before = {}, after = {};  ///< at least 0; absent: no limit
};
struct AttentionOptions {
  int64_t heads;
  double scale;              ///< factor of q k^T; usually 1 / sqrt(head_size)
  double dropout = 0;        ///< dropout probability of the attention weights, in [0, 1)
  Value key = {};            ///< random key, uint32 [2]; required if dropout is not 0
  Value dropout_rule = {};   ///< see dropout(): the rate as an input, if dropout is not 0; absent: it is a constant
  Band band = {};            ///< keys outside the band get no weight and, on the CPU, cost nothing
  int64_t kv_heads = heads;  ///< heads of k and v; each serves heads / kv_heads consecutive heads of q
  /// Total number of heads across devices; makes dropout masks independent of how heads are sharded. The first shard of
  /// the heads uses `key`, the second key_from(key, heads * query * kv), and so on.
  int64_t dropout_heads = heads;
  /// Bound c of the scores before the bias, which become c tanh(scale q k^T / c); 0: none. cuDNN does not have it.
  /// source: Gemma Team 2024, arXiv:2408.00118, section 2
  double softcap = 0;
};
/// Scaled dot-product attention: softmax(scale q k^T + bias) v, for each head.
/// q [batch, query, heads * head_size]; k, v [batch, kv, kv_heads * head_size]; one float type
/// mask     float32, a bias added to the scores, which can be broadcast to [batch, heads, query, kv]: 0 keeps, very
///          negative hides. It gets a gradient. On the CPU it is fastest if it can be broadcast to [batch, 1, 1, kv].
///          Or int32 [batch, kv], with query = kv, for packed rows: the number of each token's segment, from 1; 0 is
///          padding. The tokens of a segment are adjacent. A query sees only the keys of its segment; on the CPU the
///          others cost nothing.
/// returns  the type of q. A query without visible keys gets finite numbers (zeros if the band or the segments leave no
///          key) and passes no gradient back. Nothing may depend on these numbers: cuDNN returns the mean of v, and
///          passes a part of the gradient to v.
/// source   Vaswani et al. 2017, arXiv:1706.03762, equation 1
Value attention(const Value& q, const Value& k, const Value& v, const Value& mask, const AttentionOptions& options);

/// Rotary position embedding: in each head, element j and element j + pairs are rotated by the angle whose cos and sin
/// are in the tables: (x1 cos - x2 sin, x2 cos + x1 sin), computed in float32. Elements from 2 pairs on stay as they
/// are.
/// x         [batch, seq, heads * head_size]
/// cos, sin  float32 [seq, pairs] or [batch, seq, pairs], with at most head_size / 2 pairs; they get no gradient
/// returns   the type of x
/// source    Su et al. 2021, arXiv:2104.09864; pairs are taken from two halves, not from neighbours, as in
///           transformers; a part of the head: Black et al. 2022, arXiv:2204.06745, section 2.1
Value rotary(const Value& x, const Value& cos, const Value& sin, int64_t heads);

/// Sum of the squares of all elements, a float32 scalar.
Value sum_of_squares(const Value& x);

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
};
struct AdamWState {
  Value parameter, m, v;
};
/// One step of Adam with decoupled weight decay (weight_decay 0: Adam). All arrays are float32 and have the same shape.
/// hyper    float32 [5]: learning rate, 1 / (1 - beta1^t), 1 / (1 - beta2^t), factor of the gradient (clipping), and 1
///          to update the state or 0 to leave it as it is for any gradient
/// source   Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2, as in torch.optim.AdamW
AdamWState adamw(const AdamWState& state, const Value& gradient, const Value& hyper, const AdamWOptions& options);

// ---- compositions of the ops above

Value softmax(const Value& x, int64_t axis);
Value log_softmax(const Value& x, int64_t axis);
Value relu(const Value& x);

// ---- convolution

/// The window of a convolution along one axis.
struct ConvolutionAxis {
  int64_t stride = 1;
  int64_t low = 0, high = 0;  ///< zeros before and after x
  int64_t dilation = 1;       ///< distance of neighbours of the filter in x
};
struct ConvolutionOptions {
  std::vector<ConvolutionAxis> axes;  ///< one for each spatial axis
  int64_t groups = 1;                 ///< x and the result have this number of equal blocks of features, without
                                      ///< products between different blocks
};
/// Sums of products of the filter with each window of x: the cross-correlation of torch.nn.Conv1d and Conv2d, but with
/// the features as the last axis of x and of the result.
/// x       [batch, spatial axes..., in]
/// filter  [out, in / groups, spatial axes...], of the type of x
/// returns [batch, spatial axes..., out], of the type of x
/// errors  ShapeError if the filter does not fit x or its groups
Value convolution(const Value& x, const Value& filter, const ConvolutionOptions& options);

// ---- connectionist temporal classification

struct CtcOptions {
  int64_t blank = 0;  ///< class of the blank, which is no label
  /// What a row gets whose labels have no alignment with its frames: a loss of 0 without a gradient. By default its
  /// loss is infinite and its gradient NaN, as in torch.
  bool zero_infinity = false;
};
/// Minus the logarithm of the probability of the labels: the sum over all alignments of labels and blanks with frames.
/// log_probs      float32 or float64 [batch, frames, classes], the result of log_softmax(), finite
/// labels         int32 [batch, labels], at least one, each in [0, classes) and not the blank; behind label_lengths
///                anything, such as -100
/// frame_lengths  int32 [batch]: number of frames that count in each row, at least 1
/// label_lengths  int32 [batch]: number of labels of each row
/// returns        [batch], of the type of log_probs
/// source         Graves et al. 2006, "Connectionist Temporal Classification", equations 5 to 16
Value ctc_loss(const Value& log_probs, const Value& labels, const Value& frame_lengths, const Value& label_lengths,
               const CtcOptions& options = {});

/// Minimal number of frames with which labels have an alignment: one for each label, and one for a blank between equal
/// neighbours.
int64_t min_ctc_frames(std::span<const int32_t> labels);

}  // namespace portatune
