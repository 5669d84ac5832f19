#include "portatune/cli/model_arguments.h"

#include <string>
#include <variant>

#include "portatune/base/replace_entries.h"
#include "portatune/cli/report.h"
#include "portatune/hub/find_model.h"
#include "portatune/run/output/output_folder.h"

namespace portatune::cli {
namespace {

using hub::Contents;

// A run that was killed while it put its model in place, file by file, may have left a part of it.
void find(std::filesystem::path& folder, Contents contents, const char* option, const Talk& talk) {
  finish_replacements(folder);
  const std::filesystem::path found = hub::find_model(folder, contents, option);
  if (found != folder) print_remark(talk, std::string(option) + " " + folder.string() + ": using " + found.string());
  folder = found;
}

void find_model(std::filesystem::path& folder, const Talk& talk) { find(folder, Contents::kModel, "--model", talk); }

void find_model(run::ModelOptions& model, const Talk& talk) { find_model(model.folder, talk); }

// The warnings are dropped here, because they appear when the run resumes.
bool has_checkpoint(const FitArguments& a) {
  finish_replacements(a.output);
  run::Events unobserved;
  return !(a.resume ? run::checkpoint_to_resume(a.output, unobserved) : a.resume_from_checkpoint).empty();
}

struct Find {
  void operator()(FitArguments& a) const {
    if (!has_checkpoint(a)) find_model(a.model, a.talk);
  }
  void operator()(EvaluateArguments& a) const { find_model(a.model, a.talk); }
  void operator()(PredictArguments& a) const { find_model(a.model, a.talk); }
  void operator()(GenerateArguments& a) const { find_model(a.model, a.talk); }
  void operator()(BenchArguments& a) const { find_model(a.model.folder, {}); }
  void operator()(BenchInputArguments& a) const { find_model(a.fit.model, a.fit.talk); }
  void operator()(PlanArguments& a) const { find_model(a.fit.model, a.fit.talk); }
  void operator()(ParityArguments& a) const {
    if (!a.fit.model.folder.empty()) find_model(a.fit.model, a.fit.talk);
  }
  void operator()(MergeArguments& a) const { find_model(a.model, a.talk); }
  void operator()(TokenizeArguments& a) const { find(a.tokenizer, Contents::kTokenizer, "--tokenizer", a.talk); }
  void operator()(TfrecordWriteArguments& a) const {
    if (!a.tokenizer.empty()) find(a.tokenizer, Contents::kTokenizer, "--tokenizer", a.talk);
  }
  template <class Arguments>
  void operator()(Arguments&) const {}  // a command without a model
};

}  // namespace

Command with_model_folders(Command command) {
  std::visit(Find(), command);
  return command;
}

}  // namespace portatune::cli
