// The models of a command with --adapter: its model with each of the adapters.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "portatune/hub/adapters/rebased_adapter.h"
#include "portatune/run.h"

namespace portatune::run {

/// An adapter for a model.
struct NamedAdapter {
  std::string name;
  std::filesystem::path folder;
};

/// The model of a command, or that model with one of its adapters.
struct UsedModel {
  std::string name;              ///< name of the adapter; empty: there is none
  std::filesystem::path folder;  ///< exists as long as `adapter`
  std::unique_ptr<const hub::RebasedAdapter> adapter;
};

/// The model without adapters, or with each of them.
/// errors  those of hub::RebasedAdapter
std::vector<UsedModel> used_models(const std::filesystem::path& model, const std::vector<NamedAdapter>& adapters);

/// An evaluation and the name of its adapter.
struct NamedEvaluation {
  std::string name;
  Evaluation evaluation;
};

/// Evaluates the model without adapters, or with each of them.
/// errors  those of used_models() and evaluate()
std::vector<NamedEvaluation> evaluate(const EvaluateOptions& options, const std::vector<NamedAdapter>& adapters,
                                      Events& events);

}  // namespace portatune::run
