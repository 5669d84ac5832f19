// A training run whose model stays in memory: portatune.Trainer.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <optional>

#include "portatune/error.h"
#include "portatune/python/arrays.h"
#include "portatune/python/bindings.h"
#include "portatune/python/calling_thread.h"
#include "portatune/python/computed_metrics.h"
#include "portatune/python/freed_memory.h"
#include "portatune/python/in_use.h"
#include "portatune/python/row_map.h"
#include "portatune/python/run_events.h"
#include "portatune/python/training_calls.h"
#include "portatune/run/session.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

using NamedTypes = std::vector<std::pair<std::string, TensorType>>;

std::vector<std::string> names_of(const NamedTypes& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, type] : arrays) names.push_back(name);
  return names;
}

// Types of results for the stub.
using Numbers = nb::typed<nb::dict, nb::str, double>;
using NamedArrays = nb::typed<nb::dict, nb::str, nb::any>;

Numbers as_dict(const Scores& scores) {
  nb::dict result;
  for (const auto& [name, value] : scores) result[name.c_str()] = value;
  return result;
}

class Training {
 public:
  Training(const Words& words, nb::object map) : row_map_(std::move(map)) {
    CallingThread caller;
    caller.run([&] {
      const RowMap::Calls calls_of_map(row_map_, caller);
      arguments_ = arguments_of_run(words);
      events_.emplace(arguments_.reporting);
      session_.emplace(arguments_, *events_);
    });
  }
  // Threads that prepare batches end here.
  ~Training() {
    const nb::gil_scoped_release unlocked;
    session_.reset();
  }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  // returns  as fit() of the module
  std::pair<std::optional<std::string>, std::string> fit(const nb::object& observer,
                                                         const nb::object& compute_metrics) {
    const InUse in_use(is_used_, "Trainer");
    CallingThread caller;
    std::optional<run::Outcome> outcome;
    std::filesystem::path checkpoint;
    const auto train = [&] {
      const RowMap::Calls calls_of_map(row_map_, caller);
      const ComputedMetrics metrics(compute_metrics, caller);
      const std::unique_ptr<TrainingCalls> calls = calls_of(observer, caller);
      outcome = session_->fit(caller.stop(), calls.get());
      checkpoint = events_->checkpoint();
    };
    run_naming_checkpoint(caller, train, checkpoint);
    return {json_of(outcome), checkpoint.string()};
  }

  Numbers evaluate(const std::optional<Words>& files, const nb::object& compute_metrics) {
    Scores scores;
    work([&](CallingThread& caller) {
      const ComputedMetrics metrics(compute_metrics, caller);
      scores = files ? session_->evaluate(*files) : session_->evaluate();
    });
    return as_dict(scores);
  }

  // A program for a shape is built once: that of a prediction also has the outputs that the metrics need.
  void predict(const Words& files, const Words& texts, const std::string& output, const nb::object& compute_metrics) {
    work([&](CallingThread& caller) {
      const ComputedMetrics metrics(compute_metrics, caller);
      write_predictions(output, session_->model(), files,
                        [&](const run::OpenSink& open) { session_->predict(files, texts, open); });
    });
  }

  StepResult step(const data::Example& batch, std::optional<double> learning_rate) {
    std::optional<StepResult> result;
    work([&](CallingThread&) { result = session_->trainer().step(batch, learning_rate); });
    return std::move(*result);
  }

  std::pair<double, NamedArrays> gradients(const data::Example& batch) {
    Gradients gradients;
    work([&](CallingThread&) { gradients = session_->trainer().gradients(batch); });
    nb::dict arrays;
    for (auto& [name, tensor] : gradients.by_parameter) arrays[name.c_str()] = to_numpy(std::move(tensor));
    return {gradients.loss, arrays};
  }

  StepResult apply_gradients(const NamedArrays& arrays, double loss, std::optional<double> learning_rate) {
    Gradients gradients{.loss = loss, .by_parameter = {}};
    for (const auto& [name, array] : arrays) {
      gradients.by_parameter.emplace_back(nb::cast<std::string>(name), to_tensor(nb::cast<Array>(array)));
    }
    std::optional<StepResult> result;
    work([&](CallingThread&) { result = session_->trainer().apply_gradients(gradients, learning_rate); });
    return std::move(*result);
  }

  std::vector<std::string> weights() const { return names_of(session_->trainer().parameters()); }
  nb::object weight(const std::string& name) {
    Tensor value;
    work([&](CallingThread&) { value = session_->trainer().weight(name); });
    return to_numpy(std::move(value));
  }
  void set_weight(const std::string& name, const Array& array) {
    Tensor value = to_tensor(array);
    work([&](CallingThread&) { session_->trainer().set_weight(name, std::move(value)); });
  }

  std::vector<std::string> optimizer_state() const { return names_of(session_->trainer().optimizer_state()); }
  nb::object optimizer_array(const std::string& name) {
    Tensor value;
    work([&](CallingThread&) { value = session_->trainer().optimizer_array(name); });
    return to_numpy(std::move(value));
  }
  void set_optimizer_array(const std::string& name, const Array& array) {
    Tensor value = to_tensor(array);
    work([&](CallingThread&) { session_->trainer().set_optimizer_array(name, std::move(value)); });
  }
  int64_t updates() {
    int64_t updates = 0;
    work([&](CallingThread&) { updates = session_->trainer().updates(); });
    return updates;
  }
  void set_updates(int64_t updates) {
    work([&](CallingThread&) { session_->trainer().set_updates(updates); });
  }

  void save(const std::string& folder, bool is_checkpoint) {
    work([&](CallingThread&) {
      is_checkpoint ? session_->trainer().save_checkpoint(folder) : session_->trainer().save(folder);
    });
  }

  int64_t steps() const { return session_->trainer().steps(); }
  int64_t total_steps() const { return session_->total_steps(); }
  const RowMap& row_map() const { return row_map_; }
  int64_t steps_left() const { return session_->steps_left(); }
  int64_t steps_per_epoch() const { return session_->steps_per_epoch(); }

  data::Cursor batches() {
    std::optional<data::Cursor> cursor;
    work([&](CallingThread&) { cursor.emplace(session_->batches()); });
    return std::move(*cursor);
  }

 private:
  template <class Work>
  void work(const Work& work) {
    const InUse in_use(is_used_, "Trainer");
    CallingThread caller;
    caller.run([&] {
      const RowMap::Calls calls_of_map(row_map_, caller);
      work(caller);
    });
  }

  const KeptMemory memory_;  // the first member, whose end comes after that of the others
  const RowMap row_map_;
  cli::FitArguments arguments_;
  std::optional<Events> events_;
  std::optional<run::Session> session_;
  std::atomic<bool> is_used_ = false;
};

// The batches of the steps that are left, for one pass.
class Batches {
 public:
  explicit Batches(Training& training)
      : left_(training.steps_left()), row_map_(training.row_map()), cursor_(training.batches()) {}
  ~Batches() {
    const nb::gil_scoped_release unlocked;
    cursor_.reset();
  }
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  std::optional<data::Example> next() {
    std::optional<data::Example> batch;
    if (left_-- <= 0) return batch;
    CallingThread caller;
    caller.run([&] {
      const RowMap::Calls calls_of_map(row_map_, caller);
      batch = cursor_->next();
    });
    return batch;
  }

 private:
  int64_t left_;
  const RowMap& row_map_;
  std::optional<data::Cursor> cursor_;
};

data::Example batch_of(const NamedArrays& columns) {
  data::Example batch;
  for (const auto& [name, array] : columns) batch.set(nb::cast<std::string>(name), to_tensor(nb::cast<Array>(array)));
  if (batch.columns().empty() || batch.has(data::kExampleWeight)) return batch;
  const Tensor& first = std::get<Tensor>(batch.columns().front().value);
  const std::vector<float> ones(first.shape().rank() > 0 ? static_cast<size_t>(first.shape()[0]) : 0, 1);
  return batch.set(data::kExampleWeight, vector_of(ones));
}

nb::object column_of(const data::Example& batch, const std::string& name) {
  if (!batch.has(name)) throw nb::key_error(name.c_str());
  if (const auto* tensor = std::get_if<Tensor>(&batch.column(name))) return to_numpy(*tensor);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&batch.column(name))) return nb::cast(*texts);
  return nb::cast(batch.text(name));
}

std::vector<std::string> columns_of(const data::Example& batch) {
  std::vector<std::string> names;
  for (const data::Example::Entry& column : batch.columns()) names.push_back(column.name);
  return names;
}

std::vector<std::string> origins_of(const data::Example& batch) {
  std::vector<std::string> origins;
  for (const data::Origin& origin : batch.row_origins()) origins.push_back(to_string(origin));
  return origins;
}

nb::list values_of(const data::Example& batch) {
  nb::list arrays;
  for (const std::string& name : columns_of(batch)) arrays.append(column_of(batch, name));
  return arrays;
}

nb::list items_of(const data::Example& batch) {
  nb::list items;
  for (const std::string& name : columns_of(batch)) items.append(nb::make_tuple(name, column_of(batch, name)));
  return items;
}

void bind_batch(nb::module_& module) {
  nb::class_<data::Example>(module, "Batch", "The arrays of a batch by name, as NumPy arrays with an axis of rows.")
      .def(nb::new_([](const NamedArrays& columns) { return batch_of(columns); }), nb::arg("columns"))
      .def("__getitem__", column_of, nb::arg("name"), nb::sig("def __getitem__(self, name: str) -> typing.Any"))
      .def("__contains__", [](const data::Example& batch, const std::string& name) { return batch.has(name); })
      .def("__iter__",
           [](const data::Example& batch) -> nb::typed<nb::iterator, nb::str> {
             return nb::iter(nb::cast(columns_of(batch)));
           })
      .def("__len__", [](const data::Example& batch) { return batch.columns().size(); })
      .def("keys", columns_of, "The names of the arrays.")
      .def("values", values_of, "The arrays.", nb::sig("def values(self) -> list[typing.Any]"))
      .def("items", items_of, "The names with their arrays.",
           nb::sig("def items(self) -> list[tuple[str, typing.Any]]"))
      .def_prop_ro("origins", origins_of, "file and line of each row, without those that only fill the batch")
      .def("__repr__", [](const data::Example& batch) {
        std::string text;
        for (const std::string& name : columns_of(batch)) text += (text.empty() ? "" : ", ") + name;
        return "Batch(" + text + ")";
      });
}

void bind_step(nb::module_& module) {
  const nb::call_guard<nb::gil_scoped_release> unlocked;
  nb::class_<StepResult>(module, "Step",
                         "A step that has begun. Its numbers wait for its end: read them every few steps, so that the "
                         "device need not wait for Python.")
      .def_prop_ro("step", &StepResult::step, "number of the step, from 1")
      .def_prop_ro("learning_rate", &StepResult::learning_rate)
      .def_prop_ro(
          "tokens", [](const StepResult& step) { return step.tokens().real; }, "tokens without padding")
      .def_prop_ro("loss", &StepResult::loss, unlocked, "mean loss of the batch")
      .def_prop_ro("grad_norm", &StepResult::grad_norm, unlocked, "norm of the gradient before clipping")
      .def_prop_ro("skipped", &StepResult::skipped, unlocked,
                   "whether loss or gradient were not finite, so that the step has changed nothing")
      .def("__float__", &StepResult::loss, unlocked)
      .def("__repr__", [](const StepResult& step) { return "Step(step=" + std::to_string(step.step()) + ")"; });
}

}  // namespace

void bind_training(nb::module_& module) {
  using namespace nb::literals;
  bind_batch(module);
  bind_step(module);
  nb::class_<Training>(module, "Training", "A training run whose model stays in memory.")
      .def(nb::init<const Words&, nb::object>(), "words"_a, "map"_a.none())
      .def("fit", &Training::fit, "observer"_a.none(), "compute_metrics"_a.none())
      .def("evaluate", &Training::evaluate, "files"_a.none(), "compute_metrics"_a.none())
      .def("predict", &Training::predict, "files"_a, "texts"_a, "output"_a, "compute_metrics"_a.none())
      .def("step", &Training::step, "batch"_a, "learning_rate"_a.none(), nb::keep_alive<0, 1>())
      .def("gradients", &Training::gradients, "batch"_a)
      .def("apply_gradients", &Training::apply_gradients, "arrays"_a, "loss"_a, "learning_rate"_a.none(),
           nb::keep_alive<0, 1>())
      .def("weights", &Training::weights)
      .def("weight", &Training::weight, "name"_a, nb::sig("def weight(self, name: str) -> typing.Any"))
      .def("set_weight", &Training::set_weight, "name"_a, "value"_a,
           nb::sig("def set_weight(self, name: str, value: numpy.typing.NDArray[typing.Any]) -> None"))
      .def("optimizer_state", &Training::optimizer_state)
      .def("optimizer_array", &Training::optimizer_array, "name"_a,
           nb::sig("def optimizer_array(self, name: str) -> typing.Any"))
      .def("set_optimizer_array", &Training::set_optimizer_array, "name"_a, "value"_a,
           nb::sig("def set_optimizer_array(self, name: str, value: numpy.typing.NDArray[typing.Any]) -> None"))
      .def_prop_rw("updates", &Training::updates, &Training::set_updates)
      .def("save", &Training::save, "folder"_a, "is_checkpoint"_a)
      .def_prop_ro("steps", &Training::steps)
      .def_prop_ro("total_steps", &Training::total_steps)
      .def_prop_ro("steps_per_epoch", &Training::steps_per_epoch);
  nb::class_<Batches>(module, "Batches", "The batches of the steps that are left.")
      .def(nb::init<Training&>(), "training"_a, nb::keep_alive<1, 2>())
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __iter__(self) -> Batches"))
      .def("__next__", [](Batches& batches) {
        std::optional<data::Example> batch = batches.next();
        if (!batch) throw nb::stop_iteration();
        return std::move(*batch);
      });
}

}  // namespace portatune::python
