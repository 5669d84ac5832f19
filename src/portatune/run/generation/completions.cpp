#include "portatune/run/generation/completions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "portatune/io/text/json.h"
#include "portatune/run/remarks.h"

namespace portatune::run {

GenerationOptions generation_options(const Generator& generator, const std::filesystem::path& model,
                                     const generate::OptionTexts& texts, Events& events) {
  const GenerationOptions options = generate::with_texts(generator.defaults(), texts);
  if (!options.unknown.empty()) {
    events.notice(
        fmt::format("generation_config.json has keys that have no effect: {}", fmt::join(options.unknown, ", ")));
  }
  const auto is_given = [&](const char* name) { return texts.contains(name); };
  if (!options.do_sample && (is_given("temperature") || is_given("top_k") || is_given("top_p"))) {
    events.notice("--temperature, --top-k and --top-p have no effect without --do-sample");
  }
  for (const std::string& line : remarks_on_task_params(model)) {
    events.notice(line + " (begin prompts with the prefix; --num-beams)");
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

std::string json_of(const std::string& adapter, const std::string& prompt, const Completion& completion,
                    const GenerationTimes* times) {
  nlohmann::ordered_json line;
  if (!adapter.empty()) line["adapter"] = adapter;
  line["prompt"] = prompt;
  line["completion"] = completion.text;
  line["tokens"] = completion.ids.size();
  line["finish_reason"] = completion.stopped ? "stop" : "length";
  if (times != nullptr) {
    const double seconds = times->prefill_s + times->decode_s;
    line["seconds"] = seconds;
    line["tokens_per_second"] = seconds > 0 ? static_cast<double>(times->new_tokens) / seconds : 0;
  }
  return io::line_of(line);
}

}  // namespace portatune::run
