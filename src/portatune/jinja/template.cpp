#include "portatune/jinja/template.h"

#include "portatune/error.h"

namespace portatune::jinja {

Template::Template(std::string_view source, std::string where)
    : where_(std::move(where)), source_(parse(source, where_)) {}

Rendered Template::render(const Value& variables, const std::tm& now) const {
  Renderer r(variables, now);
  const auto where = [&] { return where_ + ", line " + std::to_string(r.line()); };
  try {
    run_all(source_.body, r);
  } catch (const Fault& fault) {
    throw DataError({.where = where(), .given = fault.given, .expected = fault.expected});
  } catch (const Unsupported& unsupported) {
    throw CheckpointError(
        {.where = where(), .given = unsupported.what, .expected = "a construct of Jinja that Portatune supports"});
  }
  return {.text = r.text(), .generations = r.spans()};
}

}  // namespace portatune::jinja
