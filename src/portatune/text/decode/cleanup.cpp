#include "portatune/text/decode/cleanup.h"

#include <array>
#include <utility>

#include "portatune/text/decode/pieces.h"

namespace portatune::text {

std::string clean_up(std::string_view text, Cleanup rules) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRules{{{" .", "."},
                                                                                  {" ?", "?"},
                                                                                  {" !", "!"},
                                                                                  {" ,", ","},
                                                                                  {" ' ", "'"},
                                                                                  {" n't", "n't"},
                                                                                  {" 'm", "'m"},
                                                                                  {" do not", " don't"},
                                                                                  {" 's", "'s"},
                                                                                  {" 've", "'ve"},
                                                                                  {" 're", "'re"}}};
  std::string result(text);
  for (const auto& [from, to] : kRules) {
    if (rules == Cleanup::kTransformers && from == " do not") continue;
    result = replaced(result, from, to);
  }
  return result;
}

}  // namespace portatune::text
