// Layers and models for forward passes of Python: portatune.nn and portatune.Task.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "portatune/error.h"
#include "portatune/nn.h"
#include "portatune/python/bindings.h"
#include "portatune/python/tasks/python_task.h"
#include "portatune/python/tasks/traced_model.h"

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

UsageError no_model_of(const char* inputs) {
  return UsageError({.where = "encode",
                     .given = std::string(inputs) + " and a model of the other kind",
                     .expected = "texts for a text model, images for an image model"});
}

Values states_of_text(const TracedModel& model, const TextInputs& text) {
  if (model.text == nullptr) throw no_model_of("a text");
  return model.states_for(text.input_ids, [&] { return model.text->body().hidden_states(model, text); });
}

Values states_of_images(const TracedModel& model, const Value& pixels) {
  if (model.image == nullptr) throw no_model_of("an image");
  return model.states_for(pixels, [&] { return model.image->hidden_states(model, pixels); });
}

Value last_state_of_text(const TracedModel& model, const TextInputs& text) {
  return states_of_text(model, text).back();
}

Value last_state_of_images(const TracedModel& model, const Value& pixels) {
  const Value x = states_of_images(model, pixels).back();
  return model.image->last_hidden_state(model, x);
}

nb::tuple last_states_of_texts(const TracedModel& model, const nb::args& given) {
  std::vector<TextInputs> texts;
  for (const nb::handle text : given) texts.push_back(nb::cast<TextInputs>(text));
  if (texts.empty()) throw UsageError({.where = "encode", .given = "no text", .expected = "a text of the batch"});
  const Value x = last_state_of_text(model, joined(texts));
  const int64_t rows = texts.front().input_ids.shape()[0];
  nb::list states;
  for (int64_t i = 0; i < std::ssize(texts); ++i) states.append(slice(x, 0, {i * rows, (i + 1) * rows}));
  return nb::tuple(states);
}

Value pooler_output(const TracedModel& model, const Value& x) {
  const Value pooled = model.text != nullptr ? model.text->body().pooler_output(model, x) : Value();
  if (pooled) return pooled;
  throw UsageError({.where = "pooler_output",
                    .given = "a model without a pooler, or of images",
                    .expected = "a text model such as BERT",
                    .fix = "use the vector of the first token, x[:, 0], or a mean over the tokens"});
}

int64_t hidden_size(const TracedModel& model) {
  return model.text != nullptr ? model.text->facts().hidden_size : model.image->facts().hidden_size;
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
      .def("encode", last_state_of_text, "text"_a, "The last hidden states of a text, [batch, length, hidden].")
      .def("encode", last_state_of_images, "images"_a,
           "Those of images, [batch, 1 or 2 + patches, hidden]; the vector of the whole image comes first.")
      .def("encode", last_states_of_texts, nb::sig("def encode(self, *texts: Tokens) -> tuple[Value, ...]"),
           "Those of several texts, which pass through the encoder as one batch.")
      .def("hidden_states", states_of_text, "text"_a,
           "The outputs of the embeddings and of each layer, as hidden_states of transformers.")
      .def("hidden_states", states_of_images, "images"_a, "The same for images.")
      .def("pooler_output", pooler_output, "x"_a, "The output of a text model's pooler for the last hidden states.")
      .def_prop_ro("hidden_size", hidden_size);
  bind_layers(module);
  using Text = std::tuple<std::string, std::vector<std::string>, bool, std::string>;
  using Image = std::tuple<std::string, std::string>;
  using Numbers = std::tuple<std::string, std::vector<std::string>>;
  using Classes = std::tuple<std::string, std::string, std::vector<std::string>>;
  module.def(
      "add_task",
      [](const std::string& name, const std::string& architecture, const std::vector<Text>& texts,
         const std::vector<Image>& images, const std::vector<Numbers>& numbers, const std::vector<Classes>& classes,
         nb::object object) {
        TaskInputs inputs;
        for (const auto& [of, columns, separate, kind] : texts) inputs.texts.push_back({of, columns, separate, kind});
        for (const auto& [of, column] : images) inputs.images.push_back({of, column});
        for (const auto& [of, columns] : numbers) inputs.numbers.push_back({of, columns});
        for (const auto& [of, column, names] : classes) inputs.classes.push_back({of, column, names});
        add_task(name, architecture, inputs, std::move(object));
      },
      "name"_a, "architecture"_a, "texts"_a, "images"_a, "numbers"_a, "classes"_a, "task"_a,
      "Adds a task to the program, or replaces the one of this name.");
}

}  // namespace portatune::python
