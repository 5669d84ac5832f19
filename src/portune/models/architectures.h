// The architectures, one file each: what `model_type` of a config.json leads to in the registry.
#pragma once

#include <memory>

#include "portune/models.h"

namespace portune::models {

// CheckpointError for a value out of range and for a variant that is not built.

/// BERT. Devlin et al. 2018, arXiv:1810.04805
std::unique_ptr<TextModel> bert(const io::JsonObject& config);

/// GPT-2. Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"
std::unique_ptr<TextModel> gpt2(const io::JsonObject& config);

/// OPT, with the norm before each half of a layer or, as in opt-350m, after. Zhang et al. 2022, arXiv:2205.01068
std::unique_ptr<TextModel> opt(const io::JsonObject& config);

/// Llama. Touvron et al. 2023, arXiv:2302.13971 and 2307.09288; Grattafiori et al. 2024, arXiv:2407.21783
std::unique_ptr<TextModel> llama(const io::JsonObject& config);

/// Mistral: Llama with a sliding window. Jiang et al. 2023, arXiv:2310.06825
std::unique_ptr<TextModel> mistral(const io::JsonObject& config);

/// Qwen2: Llama with biases for queries, keys and values, and windows in the upper layers. Yang et al. 2024,
/// arXiv:2407.10671
std::unique_ptr<TextModel> qwen2(const io::JsonObject& config);

/// Qwen3: Qwen2 with norms of queries and keys, and without the biases. Yang et al. 2025, arXiv:2505.09388
std::unique_ptr<TextModel> qwen3(const io::JsonObject& config);

}  // namespace portune::models
