#include "portatune/cli/terminal/score_names.h"

#include <map>

namespace portatune::cli {

std::string display_name(const std::string& score) {
  static const std::map<std::string, std::string> kShort = {{"roc_auc", "AUC"},
                                                            {"f1", "F1"},
                                                            {"f1_micro", "micro F1"},
                                                            {"f1_macro", "macro F1"},
                                                            {"roc_auc_macro", "macro AUC"},
                                                            {"mse", "MSE"},
                                                            {"mae", "MAE"},
                                                            {"r2", "R2"},
                                                            {"ece", "ECE"},
                                                            {"brier_score", "Brier score"},
                                                            {"matthews_correlation", "MCC"}};
  const auto found = kShort.find(score);
  return found == kShort.end() ? score : found->second;
}

}  // namespace portatune::cli
