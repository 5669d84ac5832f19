// The weights of a language of a CTC model (MMS): its adapters within the layers, and its head.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "portatune/hub.h"
#include "portatune/nn.h"

namespace portatune::tasks {

/// The file of a language in the folder of a model or of an adapter's model: "adapter.eng.safetensors".
std::filesystem::path language_file(const std::filesystem::path& model, const std::string& language);

/// The size of the vocabulary of a language_file().
/// errors  CheckpointError for a file without the weight of a head
int64_t vocab_size_of_language(const std::filesystem::path& file);

/// Replaces the weights of the language in `weights`, which belong to `parameters`, by those of a language_file().
/// errors  CheckpointError unless the file has exactly these weights
void read_language(const std::filesystem::path& file, std::span<const nn::Parameter> parameters,
                   InitialWeights& weights);

/// Replaces the weights of the language by new ones.
void draw_language(std::span<const nn::Parameter> parameters, uint64_t seed, InitialWeights& weights);

}  // namespace portatune::tasks
