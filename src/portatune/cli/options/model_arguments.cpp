#include "portatune/cli/options/model_arguments.h"

#include <algorithm>
#include <string>
#include <variant>

#include "portatune/base/files/replace_entries.h"
#include "portatune/cli/terminal/download_line.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/download/find_model.h"
#include "portatune/media_models.h"
#include "portatune/models.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/tasks/registry.h"

namespace portatune::cli {
namespace {

using hub::Contents;

// The checkpoint that a run continues; empty if there is none. The warnings are dropped here, because they appear when
// the run resumes.
std::filesystem::path checkpoint_of(const FitArguments& a) {
  finish_replacements(a.output);
  run::Events unobserved;
  return a.resume ? run::checkpoint_to_resume(a, unobserved) : a.resume_from_checkpoint;
}

bool reads_files(const io::JsonObject& config) {
  return models::is_image_model(config) || models::is_audio_model(config) || models::is_speech_model(config) ||
         models::is_color_model(config);
}

// Sets the task of a model of images or recordings, whose class says what it learns. A model of texts of any class
// may learn several tasks. The run reports a faulty folder.
void choose_task(run::ModelOptions& model, const std::filesystem::path& folder) {
  if (std::ranges::find(model.given, "--task", &run::GivenOption::name) != model.given.end()) return;
  try {
    if (reads_files(hub::read_config(folder))) model.task = tasks::task_of(folder).name;
  } catch (const Error&) {
  }
}

class Find {
 public:
  bool has_downloaded() const { return has_downloaded_; }

  void operator()(FitArguments& a) {
    const std::filesystem::path checkpoint = checkpoint_of(a);
    if (checkpoint.empty()) return find_for_training(a, a.reporting);
    choose_task(a.model, checkpoint);
  }
  void operator()(EvaluateArguments& a) {
    find(a.model, a.reporting);
    find(a.adapters, a.reporting);
  }
  void operator()(PredictArguments& a) {
    find(a.model, a.reporting);
    find(a.adapters, a.reporting);
  }
  void operator()(GenerateArguments& a) {
    find(a.model, Contents::kModel, "--model", a.reporting);
    find(a.adapters, a.reporting);
  }
  void operator()(BenchArguments& a) { find_for_training(a.run, {}); }
  void operator()(BenchInputArguments& a) { find_for_training(a.fit, a.fit.reporting); }
  void operator()(PlanArguments& a) { find_for_training(a.fit, a.fit.reporting); }
  void operator()(ParityArguments& a) {
    if (!a.fit.model.folder.empty()) find_for_training(a.fit, a.fit.reporting);
  }
  void operator()(GrowArguments& a) { find(a.model, Contents::kModel, "--model", a.reporting); }
  void operator()(MergeArguments& a) { find(a.model, Contents::kModel, "--model", a.reporting); }
  void operator()(TokenizeArguments& a) { find(a.tokenizer, Contents::kTokenizer, "--tokenizer", a.reporting); }
  void operator()(TfrecordWriteArguments& a) {
    if (!a.tokenizer.empty()) find(a.tokenizer, Contents::kTokenizer, "--tokenizer", a.reporting);
  }
  template <class Arguments>
  void operator()(Arguments&) {}  // a command without a model

 private:
  void find_for_training(run::RunOptions& run, const Reporting& reporting) {
    find(run.model.folder, run.training.from_config ? Contents::kConfig : Contents::kModel, "--model", reporting);
    choose_task(run.model, run.model.folder);
  }
  void find(run::ModelOptions& model, const Reporting& reporting) {
    find(model.folder, Contents::kModel, "--model", reporting);
  }

  void find(std::vector<run::NamedAdapter>& adapters, const Reporting& reporting) {
    for (run::NamedAdapter& adapter : adapters) find(adapter.folder, Contents::kModel, "--adapter", reporting);
  }

  // A run that was killed while it put its model in place, file by file, may have left a part of it.
  void find(std::filesystem::path& folder, Contents contents, const char* option, const Reporting& reporting) {
    finish_replacements(folder);
    const auto download = [&](const io::HubName& name) {
      has_downloaded_ = true;
      return download_from_hub(name, contents, reporting);
    };
    const std::filesystem::path found = hub::find_model(folder, contents, option, download);
    if (found != folder && !has_downloaded_) {
      print_remark(reporting, std::string(option) + " " + folder.string() + ": using " + found.string());
    }
    folder = found;
  }

  bool has_downloaded_ = false;
};

}  // namespace

Command with_model_folders(Command command, const std::vector<std::string>& words) {
  Find find;
  std::visit(find, command);
  return find.has_downloaded() ? with_model_folders(parse(words), words) : command;
}

}  // namespace portatune::cli
