// Encoder-decoder models in the Generator. generated_tokens_test.cpp compares their tokens with transformers.
#include "portatune/generate/token_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/ids.h"
#include "graph/evaluate.h"
#include "portatune/error.h"
#include "portatune/generation.h"

namespace portatune::generate {
namespace {

using testing::HasSubstr;

// Sources of two sizes when padded alone, and an odd number of them.
const std::vector<Ids> kSources = {{5, 17, 3}, {23}, {11, 6, 71, 30, 2, 9, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50}};

GenerationOptions options(int64_t beams = 1) {
  return {.max_new_tokens = 9, .suppress_tokens = {2}, .num_beams = beams, .eos_token_id = {48}};
}

struct CompilationCounter final : GenerationCallback {
  void on_compile(const std::string&, double, bool) override { ++compilations; }
  int compilations = 0;
};

TEST(EncoderDecoder, ResultDoesNotDependOnTheBatch) {
  Generator together(test::kernels(), kBart, {.batch_size = 4}), one_by_one(test::kernels(), kBart, {.batch_size = 1});
  for (const int64_t beams : {1, 3}) {
    const std::vector<Ids> ids = ids_of(together.generate_ids(kSources, options(beams)));
    EXPECT_EQ(ids_of(one_by_one.generate_ids(kSources, options(beams))), ids);
    EXPECT_NE(ids[0], ids[1]);
  }
}

class EncoderDecoderOf : public testing::TestWithParam<const char*> {};

TEST_P(EncoderDecoderOf, MeshesMakeTheSameTokens) {
  const std::filesystem::path model = std::filesystem::path(PORTATUNE_TEST_DATA) / "models" / GetParam();
  Generator one(test::kernels(), model);
  for (const Mesh& mesh : {Mesh{.data = 2}, Mesh{.fsdp = 2}, Mesh{.tensor = 2}, Mesh{.data = 2, .tensor = 2}}) {
    const Device devices({.mesh = mesh, .use_cache = false});
    Generator several(devices, model);
    for (const int64_t beams : {1, 3}) {
      EXPECT_EQ(ids_of(several.generate_ids(kSources, options(beams))),
                ids_of(one.generate_ids(kSources, options(beams))))
          << to_string(mesh);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EncoderDecoderOf, testing::Values("bart_lm", "bigbirdpegasus_lm", "t5_lm"),
                         [](const auto& info) { return std::string(info.param); });

TEST(EncoderDecoder, CompilesOncePerShape) {
  Generator generator(test::kernels(), kBart);
  CompilationCounter counter;
  GenerationOptions changed = options();
  generator.generate_ids(std::span(kSources).first(2), changed, &counter);
  EXPECT_EQ(counter.compilations, 2);
  changed.decoder_start_token_id = 7;
  changed.max_new_tokens = 12;
  generator.generate_ids(std::span(kSources).first(2), changed, &counter);
  EXPECT_EQ(counter.compilations, 2);
  generator.generate_ids(std::span(kSources).last(1), changed, &counter);  // both programs read the longer source
  EXPECT_EQ(counter.compilations, 4);
}

TEST(EncoderDecoder, SamplesBySeed) {
  Generator generator(test::kernels(), kBart);
  GenerationOptions sampling = options();
  sampling.do_sample = true;
  sampling.temperature = 2;
  const std::vector<Ids> once = ids_of(generator.generate_ids(kSources, sampling));
  EXPECT_EQ(ids_of(generator.generate_ids(kSources, sampling)), once);
  sampling.seed = 7;
  EXPECT_NE(ids_of(generator.generate_ids(kSources, sampling)), once);
}

TEST(EncoderDecoder, WorksIn16Bits) {
  for (const DType dtype : {DType::kBFloat16, DType::kFloat16}) {
    Generator generator(test::kernels(), kBart, {.dtype = dtype});
    for (const Ids& ids : ids_of(generator.generate_ids(kSources, options(2)))) EXPECT_FALSE(ids.empty());
  }
}

TEST(EncoderDecoder, RefusesTextsBeyondItsPositions) {
  Generator generator(test::kernels(), kBart);
  const auto message = [&](const Ids& source, int64_t tokens) {
    try {
      generator.generate_ids(std::vector<Ids>{source}, {.max_new_tokens = tokens});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(Ids(41, 7), 5), HasSubstr("at most 40, the positions of the encoder"));
  EXPECT_THAT(message({7}, 40), HasSubstr("at most 40, the positions of the model"));
  EXPECT_EQ(message(Ids(40, 7), 39), "");
}

}  // namespace
}  // namespace portatune::generate
