// portatune generate: continues prompts.
#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "portatune/base/text/number.h"
#include "portatune/base/threads/stop.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/hang.h"
#include "portatune/cli/process/processes.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/result_file.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/generation.h"
#include "portatune/process_group.h"
#include "portatune/run/generation/completions.h"
#include "portatune/run/inputs/batches/divided_batches.h"
#include "portatune/run/predictions/used_models.h"

namespace portatune::cli {
namespace {

// Reports compilations, shows the text of a single prompt while it grows, and stops at a signal.
class Watcher final : public GenerationCallback {
 public:
  Watcher(const Reporting& reporting, bool shows_text) : reporting_(reporting), shows_text_(shows_text) {}

  void on_compile(const std::string& what, double seconds, bool from_cache) override {
    if (!from_cache) print_remark(reporting_, fmt::format("compiled {} in {:.1f} s", what, seconds));
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
  const Reporting& reporting_;
  const bool shows_text_;
  bool in_line_ = false;
};

std::string describe(const GenerationTimes& times, size_t texts) {
  const double decoded = static_cast<double>(times.new_tokens) - static_cast<double>(texts);
  std::string text = fmt::format("read {} tokens in {:.2f} s, made {}", grouped(times.prompt_tokens), times.prefill_s,
                                 grouped(times.new_tokens));
  if (times.decode_s > 0)
    text += fmt::format(" in {:.2f} s ({:.1f} a second)", times.decode_s, decoded / times.decode_s);
  return text;
}

// The prompts in the form of each model.
std::vector<std::vector<run::Prompt>> prompts_of(const std::vector<run::UsedModel>& models,
                                                 const GenerateArguments& a) {
  std::vector<std::vector<run::Prompt>> prompts;
  for (const run::UsedModel& model : models) {
    prompts.push_back(run::read_prompts(a, model.folder));
    run::require_same_prompts(a.device.processes.get(), prompts.back());
  }
  return prompts;
}

// Writes what the model appends to the prompts.
// file  that of the first process; null in the others
void continue_prompts(const run::UsedModel& model, const std::vector<run::Prompt>& prompts, const GenerateArguments& a,
                      const Device& device, run::Events& events, ResultFile* file) {
  Generator generator(device, model.folder, {.dtype = a.dtype, .batch_size = a.batch_size});
  const GenerationOptions options = run::generation_options(generator, model.folder, a.generation, events);
  const auto each = static_cast<size_t>(options.num_return_sequences);
  const bool is_single = a.adapters.size() < 2 && prompts.size() == 1 && each == 1;
  const bool as_text = is_single && a.output == "-" && a.input.empty() && !a.reporting.json;
  // Processes inspect the texts after the same tokens, and only one may have a terminal.
  const bool shows_text = as_text && a.device.processes == nullptr && isatty(STDOUT_FILENO) != 0;
  Watcher watcher(a.reporting, shows_text);
  const std::vector<Completion> completions = run::complete(generator, prompts, options, a.chat, watcher);
  if (file == nullptr) return;
  const std::string adapter = a.adapters.size() < 2 ? "" : model.name;
  if (as_text) {
    file->write(watcher.has_shown() ? "\n" : completions[0].text + "\n");
  } else {
    const GenerationTimes* const times = is_single && a.reporting.json ? &generator.times() : nullptr;
    for (size_t i = 0; i < completions.size(); ++i) {
      file->write(run::json_of(adapter, prompts[i / each].shown, completions[i], times));
    }
  }
  print_remark(a.reporting, describe(generator.times(), completions.size()));
}

}  // namespace

int execute(const GenerateArguments& given, Processes& processes) {
  const GenerateArguments a = processes.arguments_of(given);
  const std::unique_ptr<Watchdog> watchdog = watch_for_hangs(a.hang_timeout_s, a.device, processes);
  const bool is_first = portatune::is_first(a.device.processes.get());
  run::require_files_for_all(a.device, "input", a.input);
  const std::vector<run::UsedModel> models = run::used_models(a.model, a.adapters);
  const std::vector<std::vector<run::Prompt>> prompts = prompts_of(models, a);
  catch_signals();  // before the file exists, so that no half-written file remains
  std::optional<ResultFile> file;
  if (is_first) file.emplace(a.output, a.input);
  TerminalEvents events(a.reporting);
  const Device device(run::with_warnings(a.device, events));
  for (size_t i = 0; i < models.size(); ++i) {
    continue_prompts(models[i], prompts[i], a, device, events, file ? &*file : nullptr);
  }
  if (file) file->finish();
  return kOk;
}

}  // namespace portatune::cli
