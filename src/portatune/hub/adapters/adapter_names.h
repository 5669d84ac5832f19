// The names of tensors in the files of adapters, which PEFT takes from its modules in memory.
#pragma once

#include <span>
#include <string>

namespace portatune::hub {

/// What all names in an adapter's file start with.
inline constexpr const char* kAdapterPrefix = "base_model.model.";

/// The name of a module in the memory of transformers. It differs from the one in files of models for ViT and DeiT:
/// "vit.encoder.layer.0.attention.attention.query" is "vit.layers.0.attention.q_proj".
std::string module_in_transformers(std::string module);

/// The name of a parameter in the adapter's file, where the bias of a layer with an adapter is that of its
/// "base_layer".
/// parameters  names of the model's parameters
std::string name_in_adapter(const std::string& parameter, std::span<const std::string> parameters);
/// The reverse, for a name that starts with kAdapterPrefix. Adapters of older versions of transformers have the names
/// of the model's files.
std::string parameter_in_adapter(const std::string& name);

}  // namespace portatune::hub
