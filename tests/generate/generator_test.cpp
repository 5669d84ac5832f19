// tests/models/parity_test.cpp compares generation with transformers. This file tests everything else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "generate/ids.h"
#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/generation.h"
#include "portatune/text.h"

namespace portatune::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kModel = PORTATUNE_TEST_DATA "/models/gpt2_lm_untied";

Generator generator(int64_t batch_size = 4, DType dtype = DType::kFloat32, const fs::path& model = kModel) {
  return Generator(kernels(), model, {.dtype = dtype, .batch_size = batch_size});
}

GenerationOptions greedy(int64_t tokens) { return {.max_new_tokens = tokens}; }
GenerationOptions sampling(int64_t tokens, uint64_t seed = 1) {
  return {.max_new_tokens = tokens, .do_sample = true, .temperature = 1.5, .top_k = 0, .seed = seed};
}

// Prompts of two sizes when padded alone.
const std::vector<Ids> kPrompts = {{5, 17, 3}, {23}, {11, 6, 71, 30, 2, 9, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50}};

struct Listener final : GenerationCallback {
  void on_compile(const std::string&, double, bool) override { ++compilations; }
  bool streams() const override { return true; }
  void on_text(size_t prompt, std::string_view text) override {
    texts.resize(std::max(texts.size(), prompt + 1));
    texts[prompt] += text;
    ++pieces;
  }
  void on_pause() override { ++pauses; }
  int compilations = 0, pieces = 0, pauses = 0;
  std::vector<std::string> texts;
};

TEST(Generator, ResultDoesNotDependOnTheBatch) {
  for (const GenerationOptions& options : {greedy(10), GenerationOptions{.max_new_tokens = 10, .num_beams = 2}}) {
    const std::vector<Ids> together = ids_of(generator().generate_ids(kPrompts, options));
    Generator one_by_one = generator(1);
    EXPECT_EQ(ids_of(one_by_one.generate_ids(kPrompts, options)), together);
    EXPECT_EQ(together[0].size(), 10);
  }
}

TEST(Generator, SamplingDependsOnSeedAndPromptIndexAlone) {
  Generator batched = generator(), single = generator(1);
  const std::vector<Ids> whole = ids_of(batched.generate_ids(kPrompts, sampling(12)));
  EXPECT_EQ(ids_of(batched.generate_ids(kPrompts, sampling(12))), whole);
  EXPECT_EQ(ids_of(single.generate_ids(kPrompts, sampling(12))), whole);
  EXPECT_NE(ids_of(batched.generate_ids(kPrompts, sampling(12, 2))), whole);
  // A run for fewer tokens gives the beginning of a longer run.
  const std::vector<Ids> fewer = ids_of(batched.generate_ids(kPrompts, sampling(5)));
  for (size_t i = 0; i < fewer.size(); ++i) EXPECT_TRUE(std::equal(fewer[i].begin(), fewer[i].end(), whole[i].begin()));
  // Equal prompts are sampled independently.
  const std::vector<Ids> equal = ids_of(batched.generate_ids(std::vector<Ids>(2, kPrompts[0]), sampling(12)));
  EXPECT_NE(equal[0], equal[1]);
}

TEST(Generator, SamplingFromOneTokenIsGreedy) {
  Generator g = generator();
  GenerationOptions top_1 = sampling(10), low_p = sampling(10);
  top_1.top_k = 1;
  low_p.top_p = 1e-6;
  const std::vector<Ids> wanted = ids_of(g.generate_ids(kPrompts, greedy(10)));
  EXPECT_EQ(ids_of(g.generate_ids(kPrompts, top_1)), wanted);
  EXPECT_EQ(ids_of(g.generate_ids(kPrompts, low_p)), wanted);
}

TEST(Generator, CompilesOncePerShapeAndKindOfSearch) {
  Generator g = generator();
  Listener listener;
  GenerationOptions options = sampling(10);
  options.top_k = 20;
  options.top_p = 0.9;
  options.repetition_penalty = 1.2;
  const std::vector<Ids> short_prompts = {{5, 17, 3}, {23}, {1, 2}};
  g.generate_ids(short_prompts, options, &listener);
  EXPECT_EQ(listener.compilations, 2);
  options.temperature = 0.5;
  options.top_k = 7;
  options.top_p = 0.4;
  options.repetition_penalty = 1.5;
  options.seed = 99;
  options.eos_token_id = {3, 4};
  options.max_new_tokens = 14;
  g.generate_ids(short_prompts, options, &listener);
  EXPECT_EQ(listener.compilations, 2);
  EXPECT_GT(listener.pauses, 0);
}

TEST(Generator, CompilesOnceForRestrictedTokens) {
  Generator g = generator();
  Listener listener;
  GenerationOptions options = greedy(10);
  options.min_new_tokens = 2;
  options.no_repeat_ngram_size = 2;
  options.bad_words_ids = {{3, 4}, {5}};
  const std::vector<Ids> prompts = {{5, 17, 3}, {23}};
  g.generate_ids(prompts, options, &listener);
  EXPECT_EQ(listener.compilations, 2);
  options.min_new_tokens.reset();
  options.min_length = 5;
  options.no_repeat_ngram_size = 3;
  options.bad_words_ids = {{7}, {8, 9}};
  options.suppress_tokens = {1, 2};
  options.forced_bos_token_id = 6;
  g.generate_ids(prompts, options, &listener);
  EXPECT_EQ(listener.compilations, 2);
}

TEST(Generator, SamplesSeveralTextsOfAPrompt) {
  Generator g = generator(2);
  GenerationOptions options = sampling(12);
  const std::vector<Ids> repeated = {kPrompts[0], kPrompts[0], kPrompts[1], kPrompts[1]};
  const std::vector<Ids> wanted = ids_of(g.generate_ids(repeated, options));
  options.num_return_sequences = 2;
  EXPECT_EQ(ids_of(g.generate_ids(std::span(kPrompts).first(2), options)), wanted);
  EXPECT_NE(wanted[0], wanted[1]);
}

TEST(Generator, StopsAtAnEosToken) {
  Generator g = generator();
  const Ids free = g.generate_ids(kPrompts, greedy(12))[0].ids;
  GenerationOptions options = greedy(12);
  options.eos_token_id = {free[4], 98};
  const Completion stopped = g.generate_ids(kPrompts, options)[0];
  const auto first = std::find(free.begin(), free.end(), free[4]);
  EXPECT_EQ(stopped.ids, Ids(free.begin(), first + 1));
  EXPECT_TRUE(stopped.stopped);
  EXPECT_FALSE(g.generate_ids(kPrompts, greedy(12))[0].stopped);
}

TEST(Generator, MakesOneTokenWithoutADecodeProgram) {
  Generator g = generator();
  Listener listener;
  EXPECT_EQ(g.generate_ids(kPrompts, greedy(1), &listener)[2].ids.size(), 1);
  EXPECT_EQ(listener.compilations, 1);
}

TEST(Generator, WorksIn16Bits) {
  const std::vector<Ids> wanted = ids_of(generator().generate_ids(kPrompts, greedy(8)));
  for (const DType dtype : {DType::kBFloat16, DType::kFloat16}) {
    Generator g = generator(4, dtype);
    const std::vector<Ids> ids = ids_of(g.generate_ids(kPrompts, greedy(8)));
    // The first tokens equal those of float32, because the logits of this model are far apart.
    for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i][0], wanted[i][0]);
  }
}

TEST(Generator, FillsAllPositionsOfTheModel) {
  Generator g = generator();
  const std::vector<Ids> prompt = {Ids(30, 7)};
  EXPECT_EQ(g.generate_ids(prompt, greedy(10))[0].ids.size(), 10);  // of 40
}

// The test model with NaN as its last weights, the embeddings of tokens.
fs::path model_with_nan(const TemporaryFolder& folder, size_t weights) {
  const fs::path model = folder.path() / "nan";
  fs::copy(kModel, model);
  const std::vector<float> nan(weights, std::numeric_limits<float>::quiet_NaN());
  const auto bytes = static_cast<std::streamsize>(weights * sizeof(float));
  std::fstream file(model / "model.safetensors", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-bytes, std::ios::end);
  file.write(reinterpret_cast<const char*>(nan.data()), bytes);
  return model;
}

TEST(Generator, RefusesNonFiniteLogits) {
  const TemporaryFolder folder;
  Generator g = generator(4, DType::kFloat32, model_with_nan(folder, 100 * 24));
  for (const GenerationOptions& options :
       {greedy(4), greedy(1), sampling(4), GenerationOptions{.max_new_tokens = 4, .num_beams = 2}}) {
    EXPECT_THROW(g.generate_ids(std::vector<Ids>{{5, 17}}, options), NumericError);
  }
}

TEST(Generator, ReadsBatchesOfAtMost1024Prompts) {
  EXPECT_THROW(generator(0), UsageError);
  EXPECT_THROW(generator(1025), UsageError);
}

class GeneratorRefuses : public testing::Test {
 protected:
  template <class SomeError>
  static void expect(const std::vector<Ids>& prompts, const GenerationOptions& options, const std::string& message) {
    Generator g = generator();
    Listener listener;
    try {
      g.generate_ids(prompts, options, &listener);
      FAIL() << "nothing was refused";
    } catch (const SomeError& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
    EXPECT_EQ(listener.compilations, 0);
  }
};

TEST_F(GeneratorRefuses, APromptWithoutRoomForNewTokens) {
  expect<UsageError>({{1}, Ids(35, 7)}, greedy(6), "prompt 2");
  expect<UsageError>({Ids(35, 7)}, greedy(6), "at most 40, the positions of the model");
}
TEST_F(GeneratorRefuses, APromptAsLongAsMaxLength) {
  expect<UsageError>({{1, 2, 3}}, {.max_length = 3}, "a max_length above the tokens of the prompt");
}
TEST_F(GeneratorRefuses, AnEmptyPrompt) { expect<UsageError>({{}}, greedy(6), "no bos_token_id"); }
TEST_F(GeneratorRefuses, AnIdOutsideTheVocabulary) { expect<UsageError>({{100}}, greedy(6), "0 to 99"); }
TEST_F(GeneratorRefuses, OptionsOutOfRange) { expect<UsageError>({{1}}, greedy(0), "max_new_tokens"); }

TEST(Generator, RefusesAnEncoder) {
  EXPECT_THROW(generator(4, DType::kFloat32, PORTATUNE_TEST_DATA "/models/bert_mlm"), UsageError);
}

TEST(Generator, RefusesAModelWithoutALanguageModelHead) {
  Generator g = generator(4, DType::kFloat32, PORTATUNE_TEST_DATA "/models/llama_softmax");
  Listener listener;
  EXPECT_THROW(g.generate_ids(kPrompts, greedy(2), &listener), CheckpointError);
  EXPECT_EQ(listener.compilations, 0);
}

// The untied GPT-2 with the word tokenizer of the tiny BERT.
class TextGenerator : public testing::Test {
 protected:
  TextGenerator() {
    fs::copy(kModel, folder_.path() / "model");
    for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
      fs::copy_file(fs::path(PORTATUNE_TEST_DATA "/tiny_bert") / name, folder_.path() / "model" / name);
    }
  }
  Generator generator() const { return Generator(kernels(), folder_.path() / "model"); }
  const TemporaryFolder folder_;
  const std::vector<std::string> prompts_ = {"the film was", "we saw the good play"};
};

TEST_F(TextGenerator, StreamsTheReturnedText) {
  Generator g = generator();
  Listener listener;
  const std::vector<Completion> completions = g.generate(prompts_, greedy(12), &listener);
  const std::vector<Completion> silent = g.generate(prompts_, greedy(12));
  for (size_t i = 0; i < prompts_.size(); ++i) {
    EXPECT_EQ(listener.texts[i], completions[i].text);
    EXPECT_EQ(silent[i].text, completions[i].text);
    EXPECT_EQ(silent[i].ids, completions[i].ids);
    EXPECT_FALSE(completions[i].text.empty());
  }
  EXPECT_GT(listener.pieces, 4);
}

TEST_F(TextGenerator, EndsAtAStopString) {
  Generator g = generator();
  const Completion whole = g.generate(prompts_, greedy(12))[0];
  GenerationOptions options = greedy(12);
  const size_t middle = whole.text.size() / 2;
  options.stop_strings = {whole.text.substr(middle, 3)};
  const Completion cut = g.generate(prompts_, options)[0];
  EXPECT_TRUE(cut.stopped);
  EXPECT_EQ(cut.text, whole.text.substr(0, whole.text.find(options.stop_strings[0]) + 3));
  EXPECT_LE(cut.ids.size(), whole.ids.size());
  EXPECT_TRUE(std::equal(cut.ids.begin(), cut.ids.end(), whole.ids.begin()));
}

// Texts do not show special tokens, so the search looks for them among the ids.
TEST_F(TextGenerator, EndsAtASpecialTokenAsStopString) {
  const auto tokenizer = text::Tokenizer::load(folder_.path() / "model");
  const std::string special = "[SEP]";
  Generator g = generator();
  GenerationOptions options = sampling(20);
  options.temperature = 100;  // any token soon comes
  options.stop_strings = {special};
  const std::vector<std::string> prompts(16, "the film was");
  size_t stopped = 0;
  for (const Completion& completion : g.generate(prompts, options)) {
    const auto found = std::ranges::find(completion.ids, tokenizer.token_to_id(special).value());
    EXPECT_EQ(completion.stopped, found != completion.ids.end());
    if (!completion.stopped) continue;
    EXPECT_EQ(found + 1, completion.ids.end());
    ++stopped;
  }
  EXPECT_GT(stopped, 0);
  options.stop_strings.assign(1, special);
  options.do_sample = false;
  options.num_beams = 2;  // beam search accepts no other stop strings
  EXPECT_NO_THROW(g.generate(prompts_, options));
}

TEST_F(TextGenerator, ReturnsTextForIds) {
  const auto tokenizer = text::Tokenizer::load(folder_.path() / "model");
  const std::vector<Ids> ids = {tokenizer.encode(prompts_[0]).ids};
  const std::string text = generator().generate_ids(ids, greedy(8))[0].text;
  EXPECT_EQ(text, generator().generate(prompts_, greedy(8))[0].text);
  EXPECT_FALSE(text.empty());
}

TEST_F(TextGenerator, RefusesAPromptThatIsNotUtf8) {
  const std::vector<std::string> prompts = {"fine", "\xFF"};
  Generator g = generator();
  try {
    g.generate(prompts, greedy(2));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("prompt 2"));
  }
}

}  // namespace
}  // namespace portatune::test
