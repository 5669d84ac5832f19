// The command `portatune`: parses, runs one command, turns errors into a message and an exit code.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/threads/stop.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/cli/options/model_arguments.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/processes.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/signals.h"
#include "portatune/cli/terminal/standard_streams.h"
#include "portatune/run/probes/memory_advice.h"

namespace {

using namespace portatune;

// Runs a command that prints text for people. Its reader may leave when it has seen enough (`| head`); only the exit
// code then shows this, as with other filters.
int until_reader_leaves(const std::function<int()>& command) {
  try {
    return command();
  } catch (const cli::ReaderLeft&) {
    return cli::kSignal + SIGPIPE;
  }
}

template <class Arguments>
run::Workload inference(const Arguments& arguments) {
  return {.batch_size = arguments.batch_size, .is_on_cpu = arguments.device.device == "cpu"};
}

run::Workload training(const cli::FitArguments& arguments) {
  run::Workload workload = inference(arguments);
  workload.gradient_accumulation_steps = arguments.training.gradient_accumulation_steps;
  workload.remat = arguments.training.remat != Remat::kNone;
  return workload;
}

struct Run {
  cli::Processes& processes;

  int operator()(const cli::Text& text) const {
    return until_reader_leaves([&] {
      cli::print_result(text.text);
      return cli::kOk;
    });
  }
  int operator()(const cli::FitArguments& arguments) const {
    return run::with_memory_advice(training(arguments), [&] { return cli::fit(arguments, processes); });
  }
  int operator()(const cli::EvaluateArguments& arguments) const {
    return run::with_memory_advice(inference(arguments), [&] { return cli::evaluate(arguments, processes); });
  }
  int operator()(const cli::PredictArguments& arguments) const {
    return run::with_memory_advice(inference(arguments), [&] { return cli::predict(arguments, processes); });
  }
  int operator()(const cli::GenerateArguments& arguments) const {
    return run::with_memory_advice(inference(arguments), [&] { return cli::generate(arguments, processes); });
  }
  int operator()(const cli::TokenizeArguments& arguments) const {
    return until_reader_leaves([&] { return cli::tokenize(arguments); });
  }
  int operator()(const cli::TokenizerTrainArguments& arguments) const { return cli::tokenizer_train(arguments); }
  int operator()(const cli::GrowArguments& arguments) const { return cli::grow(arguments); }
  int operator()(const cli::MergeArguments& arguments) const { return cli::merge(arguments); }
  int operator()(const cli::TfrecordWriteArguments& arguments) const { return cli::tfrecord_write(arguments); }
  int operator()(const cli::TfrecordInspectArguments& arguments) const {
    return until_reader_leaves([&] { return cli::tfrecord_inspect(arguments); });
  }
  int operator()(const cli::TfrecordIndexArguments& arguments) const { return cli::tfrecord_index(arguments); }
  int operator()(const cli::DevicesArguments& arguments) const {
    return until_reader_leaves([&] { return cli::devices(arguments); });
  }
  int operator()(const cli::PluginListArguments& arguments) const {
    return until_reader_leaves([&] { return cli::plugin_list(arguments); });
  }
  int operator()(const cli::PluginInstallArguments& arguments) const { return cli::plugin_install(arguments); }
  int operator()(const cli::DownloadArguments& arguments) const { return cli::download(arguments); }
  int operator()(const cli::CacheListArguments& arguments) const {
    return until_reader_leaves([&] { return cli::cache_list(arguments); });
  }
  int operator()(const cli::CacheRemoveArguments& arguments) const { return cli::cache_remove(arguments); }
  int operator()(const cli::RecipesArguments& arguments) const {
    return until_reader_leaves([&] { return cli::recipes(arguments); });
  }
  int operator()(const cli::BenchArguments& arguments) const { return cli::bench(arguments); }
  int operator()(const cli::BenchInputArguments& arguments) const { return cli::bench_input(arguments); }
  int operator()(const cli::PlanArguments& arguments) const { return cli::plan(arguments, processes); }
  int operator()(const cli::ParityArguments& arguments) const {
    return run::with_memory_advice(training(arguments.fit), [&] { return cli::parity(arguments); });
  }
  int operator()(const cli::SweepArguments& arguments) const {
    return run::with_memory_advice(training(arguments.fit), [&] { return cli::sweep(arguments, processes); });
  }
  int operator()(const cli::ReportArguments& arguments) const { return cli::report(arguments); }
  int operator()(const cli::RunScriptArguments& arguments) const { return cli::run_script(arguments); }
  int operator()(const cli::DoctorArguments& arguments) const {
    return until_reader_leaves([&] { return cli::doctor(arguments); });
  }
};

template <class... Arguments>
bool is_one_of(const cli::Command& command) {
  return (std::holds_alternative<Arguments>(command) || ...);
}

// The exception of std::thread says no more than "Resource temporarily unavailable".
constexpr const char* kNoThread =
    "start a thread\n"
    "  given     a refusal of the system: there are too many threads, or no memory for another stack\n"
    "  fix       raise the limit on processes (ulimit -u, pids of the container) or on memory (ulimit -v, ulimit -s)";

// Allows commands that do not work together only in a single process, because containers of operators set the
// variables of a launch for every program that runs there. Commands that only look something up or install something
// do not disturb the other processes and are exempt. A plan that writes objects makes this check itself.
void require_fitting_launch(const cli::Command& command, cli::Processes& processes) {
  if (is_one_of<cli::Text, cli::FitArguments, cli::EvaluateArguments, cli::PredictArguments, cli::GenerateArguments,
                cli::DevicesArguments, cli::PluginListArguments, cli::PluginInstallArguments, cli::DownloadArguments,
                cli::CacheListArguments, cli::CacheRemoveArguments, cli::RecipesArguments,
                cli::TfrecordInspectArguments, cli::PlanArguments, cli::DoctorArguments, cli::RunScriptArguments>(
          command)) {
    return;
  }
  processes.require_one("portatune");
}

// The commands that may run in several processes.
constexpr std::array<std::string_view, 4> kWorkTogether = {"fit", "evaluate", "predict", "generate"};

}  // namespace

int main(int argc, char** argv) {
  cli::prepare_standard_streams();
  const StopScope scope(cli::stop_at_signal());
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool works_together = !words.empty() && std::ranges::find(kWorkTogether, words.front()) != kWorkTogether.end();
  cli::Processes processes;
  // A process of a group also ends the other processes of the group.
  const auto fail = [&](int exit_code, const std::string& message) {
    if (works_together) processes.end(exit_code, message.c_str());
    cli::print_message(fmt::format("portatune: {}\n", message));
    return exit_code;
  };
  bool is_parsed = false;
  try {
    cli::Command command = cli::parse(words);
    is_parsed = true;
    require_fitting_launch(command, processes);
    command = cli::with_model_folders(std::move(command), words);
    const int exit_code = std::visit(Run{processes}, command);
    processes.leave();
    return exit_code;
  } catch (UsageError& error) {
    // The library names what it refuses; to the parser, "grow" is a command.
    if (is_parsed) error.set_where(cli::as_option(error.report().where));
    return fail(cli::kUsage, error.what());
  } catch (const Error& error) {
    return fail(cli::exit_code_of(error), error.what());
  } catch (const Stopped&) {
    const int signal = cli::caught_signal();
    // A process without a signal was stopped by another one, and ends with its exit code.
    if (works_together && signal != 0) {
      processes.end(cli::kSignal + signal, fmt::format("stopped by {}", cli::name_of_signal(signal)).c_str());
    }
    processes.leave();
    return cli::kSignal + signal;
  } catch (const std::bad_alloc&) {
    return fail(cli::kFailed, "out of memory");
  } catch (const std::system_error& error) {  // includes the errors of std::filesystem
    if (error.code() == std::errc::resource_unavailable_try_again) return fail(cli::kFailed, kNoThread);
    return fail(error.code() == std::errc::permission_denied ? cli::kNoPermission : cli::kIo, printable(error.what()));
  } catch (const std::exception& error) {
    return fail(cli::kInternal, printable(error.what()));
  }
}
