// The compiled programs of training: one step, and one batch of evaluation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "portatune/nn.h"
#include "portatune/ops.h"
#include "portatune/tasks.h"
#include "portatune/train.h"

namespace portatune::train {

/// The arrays of a batch: names and types, in the order of Task::inputs().
using Signature = std::vector<std::pair<std::string, TensorType>>;

/// How devices hold the arrays of a batch: each has some of its rows.
inline const Sharding kBatchSharding{.axis = 0, .over = kBatchAxes};

struct StepOptions {
  DType compute_dtype = DType::kFloat32;
  AdamWOptions adam;
  int64_t gradient_accumulation_steps = 1;  ///< micro-batches that the rows of a batch are worked off in, see below
  Remat remat = Remat::kNone;
  Mesh mesh = {};
  double max_grad_norm = 1.0;  ///< the gradient is scaled down to this norm; 0: it is left as it is
  bool dropout = true;         ///< whether the model's dropout drops
  bool decay_vectors = false;  ///< whether weight decay is for biases and the scales of norms, too
  OnNonFinite on_non_finite = OnNonFinite::kStop;
};

/// Forward, loss, backward, clipping and update in one program. On a mesh each device works on its part of the rows,
/// and on that in micro-batches, of n rows each, one after the other. The update is that of the whole batch, but for
/// what is drawn at random (dropout, the tokens that masked-lm hides), anew in each micro-batch; and for losses that
/// are no sum over examples, such as that of next sentence prediction.
/// Where loss or gradient are not finite there is no update (see judge()); Adam's t counts updates.
///   parameters  the n weights, by the shardings of `parameters`; their n first and n second moments, by those of
///               SharedUpdate; the two arrays of Progress; the arrays of the batch, by kBatchSharding; learning rate, a
///               float32 scalar; uint32 [2]: the step's random key
///   results     the updated weights, moments and progress, in the memory of the old; then float32 scalars: mean loss
///               (NaN after a step that has ended the training), sum of the weights that it is the mean over, norm of
///               the gradient before clipping, scale of the loss
/// batch       of all devices together
/// errors      UsageError if the batch cannot be divided into the devices' micro-batches, or is packed in another number
struct StepProgram {
  Function function;
  std::vector<nn::Parameter> parameters;
};
StepProgram step_program(const Task& task, const Signature& batch, const StepOptions& options);

/// Loss and gradient of a step, to find what is not finite in it.
///   parameters  the n weights; the scale of the loss; the arrays of the batch; the step's random key
///   results     mean loss, float32; sums of squares of the gradients of each weight, float32 [n]
/// errors        as step_program()
struct DiagnosisProgram {
  Function function;
  std::vector<nn::Parameter> parameters;
};
DiagnosisProgram diagnosis_program(const Task& task, const Signature& batch, const StepOptions& options);

/// The forward pass without dropout.
///   parameters  the n weights, the arrays of the batch, as of a step
///   results     float32 scalars: sum of weighted losses, sum of weights; then the task's outputs
/// errors      UsageError if the batch cannot be divided over the devices
struct EvaluationProgram {
  Function function;
  std::vector<nn::Parameter> parameters;
  std::vector<std::string> outputs;
};
EvaluationProgram evaluation_program(const Task& task, const Signature& batch, DType compute_dtype,
                                     const Mesh& mesh = {});

}  // namespace portatune::train
