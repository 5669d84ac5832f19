// Low-rank adapters of a model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace portatune {

class OptionFields;

/// Target of an adapter for every linear layer, except those in Lora::modules_to_save and the output embedding.
inline constexpr const char* kAllLinear = "all-linear";

/// Modules of heads, which PEFT trains and saves beside its adapters.
inline constexpr const char* kHeadModules[] = {"classifier", "score", "qa_outputs"};

/// Low-rank adapters (LoRA). The weights of the model stay as they are. A target layer returns y + scale x A^T B^T with
/// two weights of its own, A [rank, in] and B [out, rank]. B starts at 0, so the model is unchanged at first.
///
/// A module is named by the end of its path: "query" and "self.query" both name "encoder.layer.0.attention.self.query".
/// source  Hu et al. 2021, arXiv:2106.09685
struct Lora {
  int64_t rank = 8;
  double alpha = 16;        ///< the scale is alpha / rank
  bool use_rslora = false;  ///< the scale is alpha / sqrt(rank). Kalajdzievski 2023, arXiv:2312.03732
  double dropout = 0;       ///< dropout probability of x before A, in [0, 1)
  std::vector<std::string> target_modules = {};  ///< linear layers with an adapter, or kAllLinear
  /// Modules that are trained and saved as a whole. As in PEFT any ending of a path counts, also within a name:
  /// "classifier" is "pre_classifier", too.
  std::vector<std::string> modules_to_save = {};
  std::map<std::string, int64_t> rank_pattern = {};  ///< modules with another rank
  std::map<std::string, double> alpha_pattern = {};  ///< modules with another alpha

  bool operator==(const Lora&) const = default;

  /// Ranks and alphas of single modules are not described.
  void describe(OptionFields& fields);
};

}  // namespace portatune
