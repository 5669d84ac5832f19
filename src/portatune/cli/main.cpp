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
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/threads/stop.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/cli/options/model_arguments.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/processes.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/process/standard_streams.h"
#include "portatune/cli/terminal/report.h"
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
run::Workload inference(const Arguments& a) {
  return {.batch_size = a.batch_size, .is_on_cpu = a.device.device == "cpu"};
}

// The work of a command that may need more memory than there is.
run::Workload workload_of(const cli::FitArguments& a) {
  run::Workload workload = inference(a);
  workload.gradient_accumulation_steps = a.training.gradient_accumulation_steps;
  workload.remat = a.training.remat != Remat::kNone;
  return workload;
}
run::Workload workload_of(const cli::EvaluateArguments& a) { return inference(a); }
run::Workload workload_of(const cli::PredictArguments& a) { return inference(a); }
run::Workload workload_of(const cli::GenerateArguments& a) { return inference(a); }
run::Workload workload_of(const cli::ParityArguments& a) { return workload_of(a.fit); }
run::Workload workload_of(const cli::SweepArguments& a) { return workload_of(a.fit); }

template <class Type, class... Types>
constexpr bool kIsOneOf = (std::is_same_v<Type, Types> || ...);

// Whether a command prints text for people.
template <class Arguments>
constexpr bool kPrintsText =
    kIsOneOf<Arguments, cli::TokenizeArguments, cli::TfrecordInspectArguments, cli::DevicesArguments,
             cli::PluginListArguments, cli::CacheListArguments, cli::RecipesArguments, cli::DoctorArguments>;

struct Run {
  cli::Processes& processes;

  int operator()(const cli::Text& text) const {
    return until_reader_leaves([&] {
      cli::print_result(text.text);
      return cli::kOk;
    });
  }
  template <class Arguments>
  int operator()(const Arguments& a) const {
    const auto command = [&] {
      if constexpr (requires { cli::execute(a, processes); }) {
        return cli::execute(a, processes);
      } else {
        return cli::execute(a);
      }
    };
    if constexpr (requires { workload_of(a); }) {
      return run::with_memory_advice(workload_of(a), command);
    } else {
      return kPrintsText<Arguments> ? until_reader_leaves(command) : command();
    }
  }
};

// The exception of std::thread says no more than "Resource temporarily unavailable".
constexpr const char* kNoThread =
    "start a thread\n"
    "  given     a refusal of the system: there are too many threads, or no memory for another stack\n"
    "  fix       raise the limit on processes (ulimit -u, pids of the container) or on memory (ulimit -v, ulimit -s)";

// Allows commands that do not work together only in a single process, because containers of operators set the
// variables of a launch for every program that runs there. Commands that only look something up or install something
// do not disturb the other processes and are exempt. A plan that writes objects makes this check itself.
void require_fitting_launch(const cli::Command& command, cli::Processes& processes) {
  const auto works_in_any = []<class Arguments>(const Arguments&) {
    return kIsOneOf<Arguments, cli::Text, cli::FitArguments, cli::EvaluateArguments, cli::PredictArguments,
                    cli::GenerateArguments, cli::DevicesArguments, cli::PluginListArguments,
                    cli::PluginInstallArguments, cli::DownloadArguments, cli::CacheListArguments,
                    cli::CacheRemoveArguments, cli::RecipesArguments, cli::TfrecordInspectArguments, cli::PlanArguments,
                    cli::DoctorArguments, cli::RunScriptArguments>;
  };
  if (std::visit(works_in_any, command)) return;
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
