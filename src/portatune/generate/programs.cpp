#include "portatune/generate/programs.h"

#include "portatune/generate/text_loop.h"
#include "portatune/nn/program_parameters.h"

namespace portatune::generate {
namespace {

void append(Values& values, const Values& more) { values.insert(values.end(), more.begin(), more.end()); }

Values flat(const GrowingTexts& texts) {
  Values values = texts.state.flat();
  append(values, texts.context);
  return values;
}

// The sizes of the arrays on each device.
Sizes on_device(Sizes sizes, const Mesh& mesh) {
  sizes.prompts /= mesh.size(kBatchAxes);
  return sizes;
}

// prefilled  results of the prefill program, which determine the parameters of both programs
GenerationProgram finish(const nn::Context& context, const Values& prefilled, const Values& inputs,
                         const Values& results) {
  GenerationProgram program;
  program.function.mesh = context.options().mesh;
  program.parameters = nn::parameters_of(context, prefilled);
  program.function.parameters = nn::inputs_of(nn::arguments_of(program.parameters));
  append(program.function.parameters, inputs);
  program.function.results = results;
  for (const Value& result : results) {
    program.function.result_shardings.push_back(result.rank() == 0 ? Sharding() : kPromptSharding);
  }
  return program;
}

// What the two programs of a model have in common.
struct Parts {
  Parts(const models::TextModel& text_model, const SearchKind& kind, const Sizes& whole, DType dtype,
        const std::optional<Lora>& lora, const Mesh& mesh)
      : model(token_model(text_model)),
        sizes(on_device(whole, mesh)),
        prompts{.ids = parameter("ids", {DType::kInt32, {sizes.prompts, sizes.prompt}}),
                .padding = parameter("padding", {DType::kInt32, {sizes.prompts}})},
        settings_in(settings_parameters(kind, sizes.prompts, text_model.written_vocab_size())),
        settings(settings_of(kind, settings_in)),
        context({.compute_dtype = dtype, .matrix_dtype = dtype, .mesh = mesh, .lora = lora}),
        texts(begin_texts(*model, nn::Scope(context), kind, prompts, sizes.length, settings)) {}

  const std::unique_ptr<TokenModel> model;
  const Sizes sizes;
  const Prompts prompts;
  const Values settings_in;
  const Settings settings;
  nn::Context context;
  const GrowingTexts texts;  // after the first token
};

}  // namespace

GenerationProgram prefill_program(const models::TextModel& model, const SearchKind& kind, const Sizes& sizes,
                                  DType dtype, const std::optional<Lora>& lora, const Mesh& mesh) {
  const Parts parts(model, kind, sizes, dtype, lora, mesh);
  Values inputs{parts.prompts.ids, parts.prompts.padding};
  append(inputs, parts.settings_in);
  const Values results = flat(parts.texts);
  return finish(parts.context, results, inputs, results);
}

GenerationProgram decode_program(const models::TextModel& model, const SearchKind& kind, const Sizes& sizes,
                                 DType dtype, const std::optional<Lora>& lora, const Mesh& mesh) {
  Parts parts(model, kind, sizes, dtype, lora, mesh);  // its texts are the results of the other program
  Values state, context;
  for (const Value& x : parts.texts.state.flat()) state.push_back(parameter("state", x.type()));
  for (const Value& x : parts.texts.context) context.push_back(parameter("context", x.type()));
  const GrowingTexts texts{.state = parts.texts.state.with(state), .context = context};
  const State last = add_tokens(*parts.model, nn::Scope(parts.context), kind, texts, parts.settings);

  const Values carried = flat(texts);
  Values inputs = carried;
  append(inputs, parts.settings_in);
  GenerationProgram program =
      finish(parts.context, flat(parts.texts), inputs, flat({.state = last, .context = context}));
  const size_t weights = nn::arguments_of(program.parameters).size();
  for (size_t i = 0; i < carried.size(); ++i) program.function.aliases.emplace_back(weights + i, i);
  return program;
}

}  // namespace portatune::generate
