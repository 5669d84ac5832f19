#include "portatune/analysis/parity/generation.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/generate/options.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::parity {
namespace {

using Ids = std::vector<int32_t>;

// One entry of case.json: a call of generate().
struct Call {
  std::string name;
  GenerationOptions options;
  int32_t filler;  // token after the end of a text
  std::vector<Ids> prompts;
  Tensor before, output;  // int32 [prompts, tokens]; `before` is what an output begins with
};

int64_t width(const Tensor& rows) { return rows.shape()[1]; }

std::span<const int32_t> row_of(const Tensor& rows, size_t i) {
  const auto size = static_cast<size_t>(width(rows));
  return rows.as<int32_t>().subspan(i * size, size);
}

void require_comparable(const std::string& where, const GenerationOptions& options) {
  if (options.do_sample) {
    throw CheckpointError(
        {.where = where, .given = "do_sample true", .expected = "false: sampled tokens cannot be compared"});
  }
  if (!options.unknown.empty()) {
    throw CheckpointError({.where = where,
                           .given = options.unknown.front(),
                           .expected = "options of generate() that Portatune supports"});
  }
}

// "max_length" counts the tokens before, too; without either option transformers makes texts of 20 tokens.
int64_t new_tokens(const io::JsonObject& args, int64_t before) {
  if (args.has("max_new_tokens")) return args.get_int("max_new_tokens");
  return args.get_int_or("max_length", 20, {.least = before + 1, .most = 1 << 24}) - before;
}

// The texts of a decoder begin with the padded prompts, those of an encoder-decoder model with its first token.
Tensor before_new_tokens(const ReferenceCase& reference, Tensor prompts, const GenerationOptions& options) {
  const auto model = models::text_model(reference.model().config());
  if (model->seq2seq() == nullptr) return prompts;
  const auto start = static_cast<int32_t>(model->seq2seq()->facts().decoder_start_token_id);
  const Ids column(static_cast<size_t>(prompts.shape()[0]), options.decoder_start_token_id.value_or(start));
  return Tensor({std::ssize(column), 1}, std::span<const int32_t>(column));
}

std::vector<Ids> without_padding(const Tensor& ids, const Tensor& mask) {
  std::vector<Ids> prompts(static_cast<size_t>(ids.shape()[0]));
  for (size_t i = 0; i < prompts.size(); ++i) {
    const auto row = row_of(ids, i), seen = row_of(mask, i);
    for (size_t j = 0; j < row.size(); ++j) {
      if (seen[j] != 0) prompts[i].push_back(row[j]);
    }
  }
  return prompts;
}

Call read_call(const ReferenceCase& reference, const io::JsonObject& entry) {
  Call call{.name = entry.get_string("name"), .options = {}, .filler = 0, .prompts = {}, .before = {}, .output = {}};
  const auto tensor = [&](const char* what) { return reference.integers("generate", call.name + "." + what); };
  Tensor prompts = tensor("input_ids");
  call.output = tensor("output");
  call.prompts = without_padding(prompts, tensor("attention_mask"));
  call.options = generation_options(reference.path());
  const std::optional<io::JsonObject> args = entry.get_object("args");
  if (args) {
    args->ignore({"input_ids", "attention_mask"});
    call.options = generate::read_options(*args, call.options);
  }
  call.before = before_new_tokens(reference, std::move(prompts), call.options);
  if (args) call.options.max_new_tokens = new_tokens(*args, width(call.before));
  require_comparable((reference.path() / "case.json").string() + ", generate " + call.name, call.options);
  const Ids& eos = call.options.eos_token_id;
  call.filler = call.options.pad_token_id.value_or(eos.empty() ? 0 : eos.front());
  return call;
}

bool is_in(const Ids& ids, int32_t id) { return std::ranges::find(ids, id) != ids.end(); }

// The tokens in the form of the record: behind Call::before, and filled up to the record's length. Beam search of
// transformers fills with another token than its other searches, so either is accepted after the end of a text. If
// there are more tokens than in the record, the last is kNothing, so that the comparison fails.
Tensor arrange(const Call& call, const std::vector<Completion>& completions) {
  constexpr int32_t kNothing = -1;
  const Ids& eos = call.options.eos_token_id;
  Tensor found(call.output.type());
  const auto size = static_cast<size_t>(width(call.output)), begin = static_cast<size_t>(width(call.before));
  for (size_t i = 0; i < completions.size(); ++i) {
    const std::span<int32_t> row = found.as<int32_t>().subspan(i * size, size);
    const std::span<const int32_t> wanted = row_of(call.output, i);
    const Ids& ids = completions[i].ids;
    const bool has_ended = !ids.empty() && is_in(eos, ids.back());
    std::ranges::copy(row_of(call.before, i), row.begin());
    for (size_t j = begin; j < size; ++j) {
      const bool is_filler = wanted[j] == call.filler || is_in(eos, wanted[j]);
      row[j] = j - begin < ids.size() ? ids[j - begin] : has_ended && is_filler ? wanted[j] : kNothing;
    }
    if (ids.size() > size - begin) row.back() = kNothing;
  }
  return found;
}

template <class T>
Tensor converted(const Tensor& ids) {
  const auto values = ids.as<int32_t>();
  const std::vector<T> others(values.begin(), values.end());
  return Tensor(ids.shape(), std::span<const T>(others));
}

}  // namespace

NamedTensors check_generation(const Device& device, const ReferenceCase& reference,
                              std::vector<Comparison>& comparisons) {
  NamedTensors outputs;
  const std::vector<io::JsonObject> entries = reference.facts().get_objects("generate");
  if (entries.empty()) return outputs;
  std::optional<Generator> generator;
  for (const io::JsonObject& entry : entries) {
    const Call call = read_call(reference, entry);
    const auto prompts = static_cast<int64_t>(call.prompts.size());
    if (!generator) generator.emplace(device, reference.path(), GeneratorOptions{.batch_size = prompts});
    const Tensor found = arrange(call, generator->generate_ids(call.prompts, call.options));
    const std::string name = call.name + ".output";
    comparisons.push_back(
        compare("generated", name, converted<float>(found),
                {.place = reference.place_of("generate", name), .values = converted<float>(call.output)}, 0));
    outputs.emplace_back(name, converted<int64_t>(found));
  }
  return outputs;
}

}  // namespace portatune::parity
