#include "portatune/run/generation/completions.h"

#include <fmt/format.h>

#include <string>

namespace portatune::run {

GenerationOptions generation_options(const Generator& generator, const generate::OptionTexts& texts, Events& events) {
  const GenerationOptions options = generate::with_texts(generator.defaults(), texts);
  if (!options.unknown.empty()) {
    events.notice(
        fmt::format("generation_config.json has keys that have no effect: {}", fmt::join(options.unknown, ", ")));
  }
  const auto is_given = [&](const char* name) { return texts.contains(name); };
  if (!options.do_sample && (is_given("temperature") || is_given("top_k") || is_given("top_p"))) {
    events.notice("--temperature, --top-k and --top-p have no effect without --do-sample");
  }
  return options;
}

std::vector<Completion> complete(Generator& generator, const std::vector<Prompt>& prompts,
                                 const GenerationOptions& options, bool is_chat, GenerationCallback& callback) {
  std::vector<std::string> texts;
  std::vector<std::vector<int32_t>> ids;
  for (const Prompt& prompt : prompts) {
    texts.push_back(prompt.shown);
    ids.push_back(prompt.ids);
  }
  return is_chat ? generator.generate_ids(ids, options, &callback) : generator.generate(texts, options, &callback);
}

}  // namespace portatune::run
