#include "portatune/generate/programs.h"

#include "portatune/generate/processors.h"

namespace portatune::generate {
namespace {

// The logits of the token after the last one of each row. Adds the row's tokens to the cache.
Value next_logits(const models::TextModel& model, const nn::Scope& root, const models::TextInputs& in,
                  models::KeyValueCache& cache, const Value& start) {
  const Value x = model.decoder()->next_hidden_state(root, in, cache, start);
  const int64_t last = x.shape()[1] - 1;
  const Value of_last = reshape(slice(x, 1, {last, last + 1}), {x.shape()[0], x.shape()[2]});
  return model.logits(models::HeadKind::kCausalLM, root, {.x = of_last});
}

// The logits after the last token of the state, which is not in the cache yet.
Value decode_logits(const models::TextModel& model, const nn::Scope& root, State& state) {
  const int64_t rows = state.tokens.shape()[0];
  const Value last = state.position - scalar(1), padding = expand_dims(state.padding, -1);
  const Value position = iota({DType::kInt32, {1, state.tokens.shape()[1]}}, 1);
  const Value is_text = bitwise_and(compare(Direction::kGreaterEqual, position, padding),
                                    compare(Direction::kLessEqual, broadcast_to(position, state.tokens.shape()), last));
  const models::TextInputs in{.input_ids = dynamic_slice(state.tokens, 1, last, 1),
                              .attention_mask = convert(is_text, DType::kInt32),
                              .position_ids = broadcast_to(last, {rows, 1}) - padding};
  return next_logits(model, root, in, state.cache, last);
}

void append(Values& values, const Values& more) { values.insert(values.end(), more.begin(), more.end()); }

// The sizes of the arrays on each device.
Sizes on_device(Sizes sizes, const Mesh& mesh) {
  sizes.prompts /= mesh.size(kBatchAxes);
  return sizes;
}

// A condition of the texts of this device: true if it holds for any device.
Value on_any_device(const Value& condition, const Mesh& mesh) {
  if (mesh.size(kBatchAxes) == 1) return condition;
  const Value devices = all_reduce(convert(condition, DType::kFloat32), mesh, kBatchAxes);
  return compare(Direction::kGreater, devices, full({DType::kFloat32, {}}, 0));
}

Value on_all_devices(const Value& condition, const Mesh& mesh) {
  return mesh.size(kBatchAxes) == 1 ? condition : logical_not(on_any_device(logical_not(condition), mesh));
}

GenerationProgram finish(const nn::Context& context, const Values& inputs, const Values& results) {
  GenerationProgram program;
  program.function.mesh = context.options().mesh;
  program.parameters.assign(context.parameters().begin(), context.parameters().end());
  for (const nn::Parameter& parameter : program.parameters) program.function.parameters.push_back(parameter.input);
  append(program.function.parameters, inputs);
  program.function.results = results;
  for (const Value& result : results) {
    program.function.result_shardings.push_back(result.rank() == 0 ? Sharding() : kPromptSharding);
  }
  return program;
}

void repeat_cache(models::KeyValueCache& cache, int64_t n) {
  for (Values* part : {&cache.keys, &cache.values}) {
    for (Value& x : *part) x = repeat_rows(x, n);
  }
}

// An empty cache for these prompts. A device along `tensor` has the keys and values of its heads.
models::KeyValueCache empty_cache(const models::TextModel& model, const Sizes& sizes, DType dtype, const Mesh& mesh) {
  models::KeyValueCache cache = model.decoder()->empty_cache(sizes.prompts, sizes.length, dtype);
  if (mesh.size({MeshAxis::kTensor}) == 1) return cache;
  for (Values* part : {&cache.keys, &cache.values}) {
    for (Value& x : *part) x = full(part_of(x.type(), {.axis = 2, .over = {MeshAxis::kTensor}}, mesh), 0);
  }
  return cache;
}

// The state before the first token is chosen. The cache is empty and has one row for each prompt.
State initial_state(const models::TextModel& model, const SearchKind& kind, const Sizes& sizes, DType dtype,
                    const Mesh& mesh, const Value& ids, const Value& padding) {
  const std::unique_ptr<Search> search = make_search(kind);
  const int64_t n = search->rows_per_prompt(), prompt = ids.shape()[1];
  // Rows that only fill the batch consist of padding.
  const Value is_text = compare(Direction::kLess, padding, scalar(prompt));
  State state{.position = scalar(prompt),
              .tokens = repeat_rows(pad(ids, 1, 0, sizes.length - prompt), n),
              .finite = full({DType::kBool, {}}, 1),
              .padding = repeat_rows(padding, n),
              .seen = {},
              .search = search->start(is_text, sizes.length),
              .cache = empty_cache(model, sizes, dtype, mesh)};
  if (kind.penalises) {
    const Value position = iota(ids.type(), 1);
    const Value mask = compare(Direction::kGreaterEqual, position, expand_dims(padding, -1));
    state.seen = repeat_rows(token_set(ids, mask, model.facts().vocab_size), n);
  }
  return state;
}

// Creates the parameters of a program that hold a state.
State state_parameters(const models::TextModel& model, const SearchKind& kind, const Sizes& sizes, DType dtype,
                       const Mesh& mesh) {
  State form = initial_state(model, kind, sizes, dtype, mesh, full({DType::kInt32, {sizes.prompts, 1}}, 0),
                             full({DType::kInt32, {sizes.prompts}}, 0));
  repeat_cache(form.cache, make_search(kind)->rows_per_prompt());
  Values parameters;
  for (const Value& x : form.flat()) parameters.push_back(parameter("state", x.type()));
  return form.with(parameters);
}

}  // namespace

GenerationProgram prefill_program(const models::TextModel& model, const SearchKind& kind, const Sizes& whole,
                                  DType dtype, const std::optional<Lora>& lora, const Mesh& mesh) {
  const Sizes sizes = on_device(whole, mesh);
  const Value ids = parameter("ids", {DType::kInt32, {sizes.prompts, sizes.prompt}});
  const Value padding = parameter("padding", {DType::kInt32, {sizes.prompts}});
  const Values settings = settings_parameters(kind, sizes.prompts, model.facts().vocab_size);
  const std::unique_ptr<Search> search = make_search(kind);
  nn::Context context({.compute_dtype = dtype, .matrix_dtype = dtype, .mesh = mesh, .lora = lora});

  State state = initial_state(model, kind, sizes, dtype, mesh, ids, padding);
  const Value position = iota(ids.type(), 1), first = expand_dims(padding, -1);
  const Value mask = convert(compare(Direction::kGreaterEqual, position, first), DType::kInt32);
  const models::TextInputs in{
      .input_ids = ids, .attention_mask = mask, .position_ids = maximum(position - first, scalar(0))};
  const Value logits = next_logits(model, nn::Scope(context), in, state.cache, {});
  state.finite = on_all_devices(all_finite(logits), mesh);
  const int64_t n = search->rows_per_prompt();
  repeat_cache(state.cache, n);
  state = search->add_token(state, repeat_rows(logits, n), settings_of(kind, settings));
  Values inputs{ids, padding};
  append(inputs, settings);
  return finish(context, inputs, state.flat());
}

GenerationProgram decode_program(const models::TextModel& model, const SearchKind& kind, const Sizes& whole,
                                 DType dtype, const std::optional<Lora>& lora, const Mesh& mesh) {
  const Sizes sizes = on_device(whole, mesh);
  const std::unique_ptr<Search> search = make_search(kind);
  const Values settings_in = settings_parameters(kind, sizes.prompts, model.facts().vocab_size);
  const Settings settings = settings_of(kind, settings_in);
  const State form = state_parameters(model, kind, sizes, dtype, mesh);
  const Values inputs = form.flat();

  nn::Context context({.compute_dtype = dtype, .matrix_dtype = dtype, .mesh = mesh, .lora = lora});
  const nn::Scope root(context);
  const auto unfinished = [&](const Values& values) {
    const State state = form.with(values);
    return bitwise_and(compare(Direction::kLess, state.position, settings.pause),
                       on_any_device(search->unfinished(state), mesh));
  };
  const auto add_token = [&](const Values& values) {
    State state = form.with(values);
    const Value logits = decode_logits(model, root, state);
    state.finite = bitwise_and(state.finite, all_finite(logits));
    return search->add_token(state, logits, settings).flat();
  };
  Values results = while_loop(inputs, unfinished, add_token);
  results[State::kFinite] = on_all_devices(results[State::kFinite], mesh);
  Values arguments = inputs;
  append(arguments, settings_in);
  GenerationProgram program = finish(context, arguments, results);
  const size_t weights = program.parameters.size();
  for (size_t i = 0; i < inputs.size(); ++i) program.function.aliases.emplace_back(weights + i, i);
  return program;
}

}  // namespace portatune::generate
