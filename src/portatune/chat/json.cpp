#include "portatune/chat/json.h"

#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::chat {

using Json = nlohmann::ordered_json;

Json parse_json(std::string_view text, const char* what, const char* expected) {
  const auto refuse = [&](const char* wanted) {
    return DataError({.where = what, .given = shortened(text, 60), .expected = wanted});
  };
  const auto not_too_deep = [&](int depth, Json::parse_event_t, Json&) {
    constexpr int kMaxDepth = 64;  // limits the use of the stack
    return depth <= kMaxDepth ? true : throw refuse("JSON of at most 64 levels");
  };
  try {
    return Json::parse(text, not_too_deep);
  } catch (const Json::exception&) {
    throw refuse(expected);
  }
}

}  // namespace portatune::chat
