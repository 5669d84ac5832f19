// Renders templates for tests/oracle/text/compare_chat_templates.py.
//   portatune_template_dump < REQUESTS > ANSWERS
// REQUESTS has one JSON object per line: {"template": ..., "variables": {...}}. ANSWERS has for each of them {"text":
// ..., "generations": [[begin, end], ...]} in code points, or {"error": ...}.
#include <iostream>

#include "chat/jinja/run.h"
#include "portatune/error.h"

namespace {

nlohmann::ordered_json answer(const nlohmann::ordered_json& request) {
  try {
    const portatune::jinja::Rendered rendered =
        portatune::jinja::run(request.at("template").get<std::string>(), request.at("variables"));
    return {{"text", rendered.text}, {"generations", portatune::jinja::in_code_points(rendered)}};
  } catch (const portatune::Error& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) std::cout << answer(nlohmann::ordered_json::parse(line)).dump() << "\n";
}
