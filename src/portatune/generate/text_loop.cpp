#include "portatune/generate/text_loop.h"

#include "portatune/generate/search/processors.h"

namespace portatune::generate {
namespace {

// A condition of the texts of this device: true if it holds for any device.
Value on_any_device(const Value& condition, const Mesh& mesh) {
  if (mesh.size(kBatchAxes) == 1) return condition;
  const Value devices = all_reduce(convert(condition, DType::kFloat32), mesh, kBatchAxes);
  return compare(Direction::kGreater, devices, full({DType::kFloat32, {}}, 0));
}

Value on_all_devices(const Value& condition, const Mesh& mesh) {
  return mesh.size(kBatchAxes) == 1 ? condition : logical_not(on_any_device(logical_not(condition), mesh));
}

// Repeats the cache of prompts for n texts each. The texts may then exchange the rows that they read.
void repeat_cache(models::KeyValueCache& cache, int64_t n) {
  if (n == 1) return;
  for (Values* part : {&cache.keys, &cache.values}) {
    for (Value& x : *part) x = repeat_rows(x, n);
  }
  const Shape& shape = cache.keys.front().shape();
  cache.rows = iota({DType::kInt32, {shape[0], shape[1]}}, 0);
}

// An empty cache for these prompts. A device along `tensor` has the keys and values of its heads.
models::KeyValueCache empty_cache(const TokenModel& model, int64_t prompts, int64_t length,
                                  const nn::ContextOptions& options) {
  models::KeyValueCache cache = model.empty_cache(prompts, length, options.compute_dtype);
  if (options.mesh.size({MeshAxis::kTensor}) == 1) return cache;
  for (Values* part : {&cache.keys, &cache.values}) {
    for (Value& x : *part) x = full(part_of(x.type(), {.axis = 2, .over = {MeshAxis::kTensor}}, options.mesh), 0);
  }
  return cache;
}

// The state before the first token is chosen, with an empty cache.
State state_before(const FirstTokens& first, const Search& search, int64_t length) {
  const int64_t n = search.rows_per_prompt(), size = first.ids.shape()[1];
  // Rows that only fill the batch consist of padding.
  const Value is_text = compare(Direction::kLess, first.padding, scalar(size));
  return {.position = scalar(size),
          .tokens = repeat_rows(pad(first.ids, 1, 0, length - size), n),
          .finite = full({DType::kBool, {}}, 1),
          .padding = repeat_rows(first.padding, n),
          .seen = {},
          .logprob = {},
          .search = search.start(is_text, length),
          .cache = {}};
}

// The tokens of the texts, without padding: bool [prompts, vocab].
Value seen_in(const FirstTokens& first, int64_t vocab_size) {
  const Value position = iota(first.ids.type(), 1);
  return token_set(first.ids, compare(Direction::kGreaterEqual, position, expand_dims(first.padding, -1)), vocab_size);
}

}  // namespace

Value logits_of_first(const TokenModel& model, const nn::Scope& root, const Prompts& prompts, const Value& start) {
  const FirstTokens first = model.first_tokens(prompts, start);
  const Shape& shape = first.ids.shape();
  models::KeyValueCache cache = empty_cache(model, shape[0], shape[1], root.options());
  return model.first_logits(root, first, cache, model.prompt_context(root, prompts));
}

GrowingTexts begin_texts(const TokenModel& model, const nn::Scope& root, const SearchKind& kind, const Prompts& prompts,
                         int64_t length, const Settings& settings) {
  const std::unique_ptr<Search> search = make_search(kind);
  const int64_t n = search->rows_per_prompt();
  const FirstTokens first = model.first_tokens(prompts, settings.start);
  models::KeyValueCache cache = empty_cache(model, first.ids.shape()[0], length, root.options());
  const Values context = model.prompt_context(root, prompts);
  const Value logits = model.first_logits(root, first, cache, context);
  State state = state_before(first, *search, length);
  if (kind.penalises) state.seen = repeat_rows(seen_in(first, logits.shape()[1]), n);
  if (kind.scores && n == 1) state.logprob = full({DType::kFloat32, {logits.shape()[0]}}, 0);
  state.finite = on_all_devices(all_finite(logits), root.options().mesh);
  repeat_cache(cache, n);
  state.cache = cache;
  return {.state = search->add_token(state, repeat_rows(logits, n), settings), .context = context};
}

State add_tokens(const TokenModel& model, const nn::Scope& root, const SearchKind& kind, const GrowingTexts& texts,
                 const Settings& settings) {
  const Mesh& mesh = root.options().mesh;
  const std::unique_ptr<Search> search = make_search(kind);
  const State& form = texts.state;
  const auto unfinished = [&](const Values& values) {
    const State state = form.with(values);
    return bitwise_and(compare(Direction::kLess, state.position, settings.pause),
                       on_any_device(search->unfinished(state), mesh));
  };
  const auto add_token = [&](const Values& values) {
    State state = form.with(values);
    const Value logits = model.next_logits(root, state, texts.context);
    state.finite = bitwise_and(state.finite, all_finite(logits));
    return search->add_token(state, logits, settings).flat();
  };
  State last = form.with(while_loop(form.flat(), unfinished, add_token));
  last.finite = on_all_devices(last.finite, mesh);
  return last;
}

}  // namespace portatune::generate
