#include "portatune/cli/options/model_arguments.h"

#include <string>
#include <variant>

#include "portatune/base/replace_entries.h"
#include "portatune/cli/machine/hub.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/hub/find_model.h"
#include "portatune/run/output/output_folder.h"

namespace portatune::cli {
namespace {

using hub::Contents;

// The warnings are dropped here, because they appear when the run resumes.
bool has_checkpoint(const FitArguments& a) {
  finish_replacements(a.output);
  run::Events unobserved;
  return !(a.resume ? run::checkpoint_to_resume(a.output, unobserved) : a.resume_from_checkpoint).empty();
}

class Find {
 public:
  bool has_downloaded() const { return has_downloaded_; }

  void operator()(FitArguments& a) {
    if (!has_checkpoint(a)) find_for_training(a, a.talk);
  }
  void operator()(EvaluateArguments& a) {
    find(a.model, a.talk);
    find(a.adapters, a.talk);
  }
  void operator()(PredictArguments& a) {
    find(a.model, a.talk);
    find(a.adapters, a.talk);
  }
  void operator()(GenerateArguments& a) {
    find(a.model, Contents::kModel, "--model", a.talk);
    find(a.adapters, a.talk);
  }
  void operator()(BenchArguments& a) { find_for_training(a.run, {}); }
  void operator()(BenchInputArguments& a) { find(a.fit.model, a.fit.talk); }
  void operator()(PlanArguments& a) { find_for_training(a.fit, a.fit.talk); }
  void operator()(ParityArguments& a) {
    if (!a.fit.model.folder.empty()) find(a.fit.model, a.fit.talk);
  }
  void operator()(GrowArguments& a) { find(a.model, Contents::kModel, "--model", a.talk); }
  void operator()(MergeArguments& a) { find(a.model, Contents::kModel, "--model", a.talk); }
  void operator()(TokenizeArguments& a) { find(a.tokenizer, Contents::kTokenizer, "--tokenizer", a.talk); }
  void operator()(TfrecordWriteArguments& a) {
    if (!a.tokenizer.empty()) find(a.tokenizer, Contents::kTokenizer, "--tokenizer", a.talk);
  }
  template <class Arguments>
  void operator()(Arguments&) {}  // a command without a model

 private:
  void find_for_training(run::RunOptions& run, const Talk& talk) {
    find(run.model.folder, run.training.from_config ? Contents::kConfig : Contents::kModel, "--model", talk);
  }
  void find(run::ModelOptions& model, const Talk& talk) { find(model.folder, Contents::kModel, "--model", talk); }

  void find(std::vector<run::NamedAdapter>& adapters, const Talk& talk) {
    for (run::NamedAdapter& adapter : adapters) find(adapter.folder, Contents::kModel, "--adapter", talk);
  }

  // A run that was killed while it put its model in place, file by file, may have left a part of it.
  void find(std::filesystem::path& folder, Contents contents, const char* option, const Talk& talk) {
    finish_replacements(folder);
    const auto download = [&](const io::HubName& name) {
      has_downloaded_ = true;
      return download_from_hub(name, contents, talk);
    };
    const std::filesystem::path found = hub::find_model(folder, contents, option, download);
    if (found != folder && !has_downloaded_) {
      print_remark(talk, std::string(option) + " " + folder.string() + ": using " + found.string());
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
