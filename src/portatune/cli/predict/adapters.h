// The models of a command with --adapter.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "portatune/cli/options/commands.h"
#include "portatune/hub/rebased_adapter.h"

namespace portatune::cli {

/// The model of a command, or that model with one of its adapters.
struct UsedModel {
  std::string name;              ///< name of the adapter; empty: there is none
  std::filesystem::path folder;  ///< exists as long as `adapter`
  std::unique_ptr<const hub::RebasedAdapter> adapter;
};

/// The model without adapters, or with each of them.
/// errors  those of hub::RebasedAdapter
std::vector<UsedModel> used_models(const std::filesystem::path& model, const std::vector<NamedAdapter>& adapters);

}  // namespace portatune::cli
