#include "portatune/text/read/metaspace_json.h"

#include "portatune/text/unicode/utf8.h"

namespace portatune::text {

std::string read_character(const Json& json) {
  const std::string_view text = json.string();
  if (count_code_points(text) != 1) json.fail("one character");
  return std::string(text);
}

MetaspaceOptions read_metaspace(const Json& json) {
  const std::string_view scheme = json.string_or("prepend_scheme", "always");
  MetaspaceOptions options{.replacement = read_character(json.at("replacement")),
                           .split = json.boolean_or("split", true)};
  if (scheme == "first") {
    options.prepend_scheme = PrependScheme::kFirst;
  } else if (scheme == "never") {
    options.prepend_scheme = PrependScheme::kNever;
  } else if (scheme != "always") {
    json.at("prepend_scheme").fail("always, first or never");
  }
  // Older files have this field in place of the scheme.
  if (!json.boolean_or("add_prefix_space", true)) {
    if (json.find("prepend_scheme") && options.prepend_scheme != PrependScheme::kNever) {
      json.at("add_prefix_space").fail("true, because prepend_scheme is not never");
    }
    options.prepend_scheme = PrependScheme::kNever;
  }
  return options;
}

}  // namespace portatune::text
