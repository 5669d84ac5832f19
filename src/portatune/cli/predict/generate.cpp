// portatune generate: continues prompts.
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "portatune/base/number.h"
#include "portatune/base/stop.h"
#include "portatune/cli/options/commands.h"
#include "portatune/cli/predict/adapters.h"
#include "portatune/cli/predict/chat_prompts.h"
#include "portatune/cli/predict/completions.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/processes.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/result_file.h"
#include "portatune/cli/terminal/signals.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/error.h"
#include "portatune/generation.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/process_group.h"
#include "portatune/run/inputs/batches/divided_batches.h"
#include "portatune/run/remarks.h"

namespace portatune::cli {
namespace {

// Reports compilations, shows the text of a single prompt while it grows, and stops at a signal.
class Watcher final : public GenerationCallback {
 public:
  Watcher(const Talk& talk, bool shows_text) : talk_(talk), shows_text_(shows_text) {}

  void on_compile(const std::string& what, double seconds, bool from_cache) override {
    if (!from_cache) print_remark(talk_, fmt::format("compiled {} in {:.1f} s", what, seconds));
  }
  bool streams() const override { return shows_text_; }
  void on_text(size_t, std::string_view text) override {
    if (!shows_text_) return;
    print_result(text);
    in_line_ = true;
  }
  void on_pause() override {
    if (caught_signal() != 0 && in_line_) print_result("\n");
    stop_if_requested();
  }
  bool has_shown() const { return in_line_; }

 private:
  const Talk& talk_;
  const bool shows_text_;
  bool in_line_ = false;
};

// adapter  the name of one of several adapters, or empty
std::string line_of(const std::string& adapter, const std::string& prompt, const Completion& completion) {
  nlohmann::ordered_json line;
  if (!adapter.empty()) line["adapter"] = adapter;
  line["prompt"] = prompt;
  line["completion"] = completion.text;
  line["tokens"] = completion.ids.size();
  line["finish_reason"] = completion.stopped ? "stop" : "length";
  return cli::line_of(line);
}

// Each process continues some prompts of a batch, so all must have read the same ones.
void require_same_prompts(ProcessGroup* processes, const std::vector<Prompt>& prompts) {
  std::string all;
  for (const Prompt& prompt : prompts) all += prompt.shown + '\0';
  const std::optional<int64_t> other = first_with_another(processes, io::hash_of(all));
  if (!other) return;
  throw DataError({.where = "prompts",
                   .given = fmt::format("different ones in process {} and process 0", *other),
                   .expected = "the same in all processes"});
}

std::string describe(const GenerationTimes& times, size_t texts) {
  const double decoded = static_cast<double>(times.new_tokens) - static_cast<double>(texts);
  std::string text = fmt::format("read {} tokens in {:.2f} s, made {}", grouped(times.prompt_tokens), times.prefill_s,
                                 grouped(times.new_tokens));
  if (times.decode_s > 0)
    text += fmt::format(" in {:.2f} s ({:.1f} a second)", times.decode_s, decoded / times.decode_s);
  return text;
}

// The prompts in the form of each model.
std::vector<std::vector<Prompt>> prompts_of(const std::vector<UsedModel>& models, GenerateArguments a) {
  std::vector<std::vector<Prompt>> prompts;
  for (const UsedModel& model : models) {
    a.model = model.folder;
    prompts.push_back(read_prompts(a));
    require_same_prompts(a.device.processes.get(), prompts.back());
  }
  return prompts;
}

// Writes what the model appends to the prompts.
// file  that of the first process; null in the others
void continue_prompts(const UsedModel& model, const std::vector<Prompt>& prompts, const GenerateArguments& a,
                      const Device& device, ResultFile* file) {
  Generator generator(device, model.folder, {.dtype = a.dtype, .batch_size = a.batch_size});
  const GenerationOptions options = options_of(a, generator);
  for (const std::string& line : run::remarks_on_task_params(model.folder)) {
    print_remark(a.talk, line + " (begin prompts with the prefix; --num-beams)");
  }
  const auto each = static_cast<size_t>(options.num_return_sequences);
  const bool is_single = a.adapters.size() < 2 && prompts.size() == 1 && each == 1;
  const bool as_text = is_single && a.output == "-" && a.input.empty() && !a.talk.json;
  // Processes inspect the texts after the same tokens, and only one may have a terminal.
  const bool shows_text = as_text && a.device.processes == nullptr && isatty(STDOUT_FILENO) != 0;
  Watcher watcher(a.talk, shows_text);
  const std::vector<Completion> completions = complete(generator, prompts, options, a.chat, watcher);
  if (file == nullptr) return;
  const std::string adapter = a.adapters.size() < 2 ? "" : model.name;
  if (as_text) {
    file->write(watcher.has_shown() ? "\n" : completions[0].text + "\n");
  } else {
    for (size_t i = 0; i < completions.size(); ++i) {
      file->write(line_of(adapter, prompts[i / each].shown, completions[i]));
    }
  }
  print_remark(a.talk, describe(generator.times(), completions.size()));
}

}  // namespace

GenerationOptions options_of(const GenerateArguments& a, const Generator& generator) {
  const GenerationOptions options = generate::with_texts(generator.defaults(), a.generation);
  if (!options.unknown.empty()) {
    print_remark(a.talk, fmt::format("generation_config.json has keys that have no effect: {}",
                                     fmt::join(options.unknown, ", ")));
  }
  const auto is_given = [&](const char* name) { return a.generation.contains(name); };
  if (!options.do_sample && (is_given("temperature") || is_given("top_k") || is_given("top_p"))) {
    print_remark(a.talk, "--temperature, --top-k and --top-p have no effect without --do-sample");
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

int generate(const GenerateArguments& given, Processes& processes) {
  const GenerateArguments a = processes.arguments_of(given);
  const bool is_first = portatune::is_first(a.device.processes.get());
  run::require_files_for_all(a.device, a.input);
  const std::vector<UsedModel> models = used_models(a.model, a.adapters);
  const std::vector<std::vector<Prompt>> prompts = prompts_of(models, a);
  catch_signals();  // before the file exists, so that no half-written file remains
  std::optional<ResultFile> file;
  if (is_first) file.emplace(a.output);
  TerminalEvents events(a.talk);
  const Device device(run::with_warnings(a.device, events));
  for (size_t i = 0; i < models.size(); ++i) {
    continue_prompts(models[i], prompts[i], a, device, file ? &*file : nullptr);
  }
  if (file) file->finish();
  return kOk;
}

}  // namespace portatune::cli
