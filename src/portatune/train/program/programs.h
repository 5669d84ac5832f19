// The compiled programs of training: one step, and one batch of evaluation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/nn.h"
#include "portatune/ops.h"
#include "portatune/tasks.h"
#include "portatune/train.h"
#include "portatune/train/optim/adamw.h"
#include "portatune/train/program/parameter_groups.h"
#include "portatune/train/program/step_layout.h"

namespace portatune::train {

/// Sharding of a batch's arrays: each device has some of the rows.
inline const Sharding kBatchSharding{.axis = 0, .over = kBatchAxes};

struct StepOptions {
  DType compute_dtype = DType::kFloat32;
  /// A shared_ptr because copies of the options share the optimizer, which does not change.
  std::shared_ptr<const optim::Optimizer> optimizer = optim::adamw({});
  int64_t gradient_accumulation_steps = 1;  ///< micro-batches of a batch, see step_program()
  Remat remat = Remat::kNone;
  Mesh mesh = {};
  double max_grad_norm = 1.0;  ///< the gradient is scaled down to this norm; 0: no clipping
  double max_grad_value = 0;   ///< each element of the scaled gradient is clipped to it; 0: no clipping
  bool dropout = true;         ///< whether dropout is active
  OnNonFinite on_non_finite = OnNonFinite::kStop;
  bool decays = false;                   ///< whether the weight decay of `optimizer` is an input of the step
  std::vector<StepGroup> groups = {};    ///< parameters with values of their own
  double layer_decay = 1;                ///< see TrainingOptions
  std::vector<std::string> frozen = {};  ///< see nn::ContextOptions
  std::optional<Lora> lora = {};         ///< see nn::ContextOptions
};

/// Forward, loss, backward, clipping and update in one program. On a mesh each device processes its part of the rows in
/// micro-batches of n rows each, one after the other. The update is that of the whole batch, except for random draws
/// (dropout, the tokens that masked-lm masks), which differ in each micro-batch, and for losses that are not a sum over
/// examples, such as that of next sentence prediction.
/// A step with a non-finite loss or gradient makes no update (see judge()); the optimizer counts updates.
/// StepLayout has the order of arguments and results:
///   arguments  the weights, in the shardings of `parameters`; the optimizer's slots, in theirs; Progress; the arrays
///              of the batch, in kBatchSharding; learning rates and weight decays, of StepRates::type(); the step's
///              random key, uint32 [2]; dropout_rule() of each dropout, so that no dropout rate above 0 is part of
///              the program
///   results    mean loss (NaN after a step that has stopped training), sum of weights as its denominator, norm of the
///              gradient before clipping, loss scale
/// batch       arrays of all devices together
/// errors      UsageError if the batch cannot be divided into the devices' micro-batches, or is packed in another
///             number of parts; if a pattern in StepOptions::frozen matches no parameter, or all are frozen; if a group
///             has no trained parameter; if a target of StepOptions::lora is no linear layer
struct StepProgram {
  Function function;
  std::vector<nn::Parameter> parameters;
  StepLayout layout;
  StepRates rates;
  std::vector<double> dropout_rates;
};
StepProgram step_program(const Task& task, const Signature& batch, const StepOptions& options);

/// Loss and gradient of a step, for the search of its first non-finite value.
///   parameters  the n weights; the loss scale and the number of updates before the step, float32; the arrays of the
///               batch; the step's random key; the rules of dropouts
///   results     mean loss, float32; sums of squares of the gradients of each trainable weight, float32
/// errors        those of step_program()
struct DiagnosisProgram {
  Function function;
  std::vector<std::string> trainable;  ///< names of the weights with a gradient, in the order of the squares
  std::vector<double> dropout_rates;
};
DiagnosisProgram diagnosis_program(const Task& task, const Signature& batch, const StepOptions& options);

/// The gradients of a step before clipping, for users who want to see them. Arguments are those of diagnosis_program().
///   results     mean loss, float32; its gradients with respect to each trainable weight, in the shardings of the step
/// errors        those of step_program()
struct GradientProgram {
  Function function;
  std::vector<nn::Parameter> parameters;
  std::vector<double> dropout_rates;
};
GradientProgram gradient_program(const Task& task, const Signature& batch, const StepOptions& options);

/// The forward pass without dropout.
///   parameters  the n weights, the arrays of the batch, as in a step
///   results     float32 scalars: sum of weighted losses, sum of weights; then the task's outputs
/// options     of the step: the compute type, the mesh and the frozen parameters count
/// errors      UsageError if the batch cannot be divided over the devices
struct EvaluationProgram {
  Function function;
  std::vector<nn::Parameter> parameters;
  std::vector<std::string> outputs;
};
EvaluationProgram evaluation_program(const Task& task, const Signature& batch, const StepOptions& options);

}  // namespace portatune::train
