// Layers and models for forward passes of Python: portatune.nn and portatune.Task.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "portatune/error.h"
#include "portatune/nn.h"
#include "portatune/python/bindings.h"
#include "portatune/python/python_task.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

using models::TextInputs;
using nn::Scope;

nn::Initializer initializer_of(const Scope& s, const std::string& name) {
  using Kind = nn::Initializer::Kind;
  if (name == "zeros") return {.kind = Kind::kZeros};
  if (name == "ones") return {.kind = Kind::kOnes};
  if (name == "normal") return {.kind = Kind::kNormal, .stddev = s.options().initializer_range};
  throw UsageError({.where = "init", .given = "\"" + name + "\"", .expected = "\"zeros\", \"ones\" or \"normal\""});
}

Value new_parameter(const Scope& s, const std::string& name, const std::vector<int64_t>& shape,
                    const std::string& init) {
  return s.parameter(name, Shape(shape), initializer_of(s, init));
}

Value linear(const Scope& s, const Value& x, int64_t size, bool bias) { return nn::linear(s, x, size, {.bias = bias}); }

Value embedding(const Scope& s, const Value& ids, int64_t rows, int64_t width) {
  return nn::embedding(s, ids, rows, width);
}

Value layer_norm(const Scope& s, const Value& x, double eps) { return nn::layer_norm(s, x, eps); }

// Several texts pass through the encoder as one batch.
TextInputs joined(const std::vector<TextInputs>& texts) {
  const auto all = [&](Value TextInputs::*column) {
    Values values;
    for (const TextInputs& text : texts) values.push_back(text.*column);
    return values.front() ? concatenate(values, 0) : Value();
  };
  if (texts.size() == 1) return texts.front();
  return {.input_ids = all(&TextInputs::input_ids),
          .attention_mask = all(&TextInputs::attention_mask),
          .token_type_ids = all(&TextInputs::token_type_ids)};
}

Value last_hidden_state(const TracedModel& model, const TextInputs& text) {
  return model.checkpoint.model().body().hidden_states(model, text).back();
}

nb::tuple last_hidden_states(const TracedModel& model, const nb::args& given) {
  std::vector<TextInputs> texts;
  for (const nb::handle text : given) texts.push_back(nb::cast<TextInputs>(text));
  if (texts.empty()) throw UsageError({.where = "encode", .given = "no text", .expected = "a text of the batch"});
  const Value x = last_hidden_state(model, joined(texts));
  const int64_t rows = texts.front().input_ids.shape()[0];
  nb::list states;
  for (int64_t i = 0; i < std::ssize(texts); ++i) states.append(slice(x, 0, {i * rows, (i + 1) * rows}));
  return nb::tuple(states);
}

Value pooler_output(const TracedModel& model, const Value& x) {
  if (const Value pooled = model.checkpoint.model().body().pooler_output(model, x)) return pooled;
  throw UsageError({.where = "pooler_output",
                    .given = "a model without a pooler",
                    .expected = "a model such as BERT",
                    .fix = "use the vector of the first token, x[:, 0], or a mean over the tokens"});
}

void bind_layers(nb::module_& module) {
  using namespace nb::literals;
  nb::module_ layers = module.def_submodule("nn", "Layers, whose parameters have the names of torch.");
  layers.def("linear", linear, "scope"_a, "x"_a, "size"_a, "bias"_a = true,
             "x W^T + b with new parameters \"weight\" [size, in] and \"bias\" [size]");
  layers.def("layer_norm", layer_norm, "scope"_a, "x"_a, "eps"_a = 1e-5,
             "normalisation over the last axis with new parameters \"weight\" and \"bias\"");
  layers.def("dropout", nn::dropout, "scope"_a, "x"_a, "rate"_a, "Dropout in training; otherwise x.");
  layers.def("embedding", embedding, "scope"_a, "ids"_a, "rows"_a, "width"_a,
             "rows of the new parameter \"weight\" [rows, width] by int32 ids");
  layers.def("parameter", new_parameter, "scope"_a, "name"_a, "shape"_a, "init"_a = "normal",
             "a new float32 parameter; `init`: \"normal\", \"zeros\" or \"ones\"");
}

}  // namespace

void bind_tasks(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Scope>(module, "Scope", "A module of the model: scope / \"head\" is the one called head inside of it.")
      .def(
          "__truediv__", [](const Scope& s, const std::string& name) { return s / name; }, "name"_a)
      .def(
          "__truediv__", [](const Scope& s, int64_t index) { return s / index; }, "index"_a)
      .def_prop_ro(
          "path", [](const Scope& s) { return s.path(); }, "the prefix of its parameters' names");
  nb::class_<TextInputs>(module, "Tokens", "The tokens of a text, int32 [batch, length] each.")
      .def_prop_ro("input_ids", [](const TextInputs& text) { return text.input_ids; })
      .def_prop_ro(
          "attention_mask", [](const TextInputs& text) { return text.attention_mask; }, "1 for tokens, 0 for padding");
  nb::class_<TracedModel, Scope>(module, "Model", "The model of a forward pass, and the scope of its new parameters.")
      .def("encode", last_hidden_state, "text"_a, "The last hidden states of a text, [batch, length, hidden].")
      .def("encode", last_hidden_states, nb::sig("def encode(self, *texts: Tokens) -> tuple[Value, ...]"),
           "Those of several texts, which pass through the encoder as one batch.")
      .def("pooler_output", pooler_output, "x"_a, "The output of the model's pooler for the last hidden states.")
      .def_prop_ro("hidden_size",
                   [](const TracedModel& model) { return model.checkpoint.model().facts().hidden_size; });
  bind_layers(module);
  using Text = std::tuple<std::string, std::vector<std::string>, bool, std::string>;
  using Numbers = std::tuple<std::string, std::vector<std::string>>;
  using Classes = std::tuple<std::string, std::string, std::vector<std::string>>;
  module.def(
      "add_task",
      [](const std::string& name, const std::string& architecture, const std::vector<Text>& texts,
         const std::vector<Numbers>& numbers, const std::vector<Classes>& classes, nb::object object) {
        TaskInputs inputs;
        for (const auto& [of, columns, separate, kind] : texts) inputs.texts.push_back({of, columns, separate, kind});
        for (const auto& [of, columns] : numbers) inputs.numbers.push_back({of, columns});
        for (const auto& [of, column, names] : classes) inputs.classes.push_back({of, column, names});
        add_task(name, architecture, inputs, std::move(object));
      },
      "name"_a, "architecture"_a, "texts"_a, "numbers"_a, "classes"_a, "task"_a,
      "Adds a task to the program, or replaces the one of this name.");
}

}  // namespace portatune::python
