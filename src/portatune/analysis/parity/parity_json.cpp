#include <nlohmann/json.hpp>

#include "portatune/analysis/parity/parity.h"
#include "portatune/io/text/json.h"

namespace portatune::parity {
namespace {

using Json = nlohmann::ordered_json;

Json object_of(const Comparison& c) {
  return {{"kind", c.kind},
          {"tensor", c.tensor},
          {"shape", std::vector<int64_t>(c.shape.begin(), c.shape.end())},
          {"max_abs_error", c.max_abs_error},
          {"max_rel_error", c.max_rel_error},
          {"allowed", c.allowed},
          {"elements_beyond", c.strays},
          {"passed", c.passed}};
}

}  // namespace

std::string json_of(const ParityResult& result, const ReferenceCase& reference, DType dtype) {
  Json tensors = Json::array();
  for (const Comparison& c : result.comparisons) tensors.push_back(object_of(c));
  return io::line_of({{"case", reference.path().string()},
                      {"architecture", reference.architecture()},
                      {"dtype", name_of(dtype)},
                      {"passed", result.passed()},
                      {"tensors", tensors}});
}

}  // namespace portatune::parity
