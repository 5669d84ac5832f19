// A plain model in place of an adapter and its base model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace portatune::hub {

/// Writes the model of an adapter: W + scale B A in place of each weight W that has an adapter, with the magnitudes
/// of DoRA as norms, and its own modules in place of those of the base model. Weights that change are float32; the
/// others keep their type.
/// output   a new or empty folder
/// others   names of further files of the adapter's folder to copy, if there are any
/// returns  number of layers with an adapter
/// errors   those of ModelFolder::open; UsageError for a folder without an adapter, and for `output`; CheckpointError
///          for an adapter that does not fit the base model
int64_t merge_adapter(const std::filesystem::path& adapter, const std::filesystem::path& output,
                      const std::vector<std::string>& others = {});

}  // namespace portatune::hub
