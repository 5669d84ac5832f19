// A model in memory that predicts rows: portatune.load().
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/python/arguments.h"
#include "portatune/python/bindings.h"
#include "portatune/python/calling_thread.h"
#include "portatune/python/freed_memory.h"
#include "portatune/python/in_use.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

// The columns of a row, all of them texts.
using Row = std::vector<std::pair<std::string, std::string>>;

class Predictor {
 public:
  explicit Predictor(const Words& words) {
    CallingThread caller;
    caller.run([&] {
      cli::PredictArguments a = arguments_of<cli::PredictArguments>(words);
      events_.emplace(a.reporting);
      predictor_.emplace(
          run::PredictorOptions{
              .model = std::move(a.model), .batch_size = a.batch_size, .dtype = a.dtype, .device = a.device},
          *events_);
    });
  }
  ~Predictor() {
    const nb::gil_scoped_release unlocked;
    predictor_.reset();
  }
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  std::vector<std::string> predict(const std::vector<Row>& rows) {
    const InUse in_use(is_used_, "Predictor");
    std::vector<data::Example> examples;
    for (const Row& row : rows) {
      data::Example& example = examples.emplace_back();
      for (const auto& [column, text] : row) example.set(column, text);
    }
    std::vector<std::string> lines;
    CallingThread caller;
    caller.run([&] { lines = predictor_->predict(examples); });
    return lines;
  }

 private:
  const KeptMemory memory_;  // the first member, whose end comes after that of the others
  std::optional<cli::TerminalEvents> events_;
  std::optional<run::Predictor> predictor_;
  std::atomic<bool> is_used_ = false;
};

}  // namespace

void bind_predictor(nb::module_& module) {
  nb::class_<Predictor>(module, "Predictor", "A model in memory that predicts rows.")
      .def(nb::init<const Words&>(), nb::arg("words"))
      .def("predict", &Predictor::predict, nb::arg("rows"),
           "A JSON object for each row, whose columns are pairs of a name and a text.");
}

}  // namespace portatune::python
