#include "portatune/hub/initial_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/hub/model_folder.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr nn::Initializer kZeros{nn::Initializer::Kind::kZeros}, kOnes{nn::Initializer::Kind::kOnes},
    kNormal{nn::Initializer::Kind::kNormal, 0.02};

nn::Parameter parameter_of(const std::string& name, const Shape& shape, const nn::Initializer& initializer = kZeros) {
  return {.name = name, .value = parameter(name, {DType::kFloat32, shape}), .initializer = initializer};
}

std::vector<float> values(const Tensor& tensor) {
  const auto elements = tensor.as<float>();
  return {elements.begin(), elements.end()};
}

// The weights of a checkpoint with these tensors.
InitialWeights load(const std::vector<NamedTensorView>& tensors, const std::vector<nn::Parameter>& parameters) {
  const TemporaryFolder folder;
  write_text(folder / "config.json", R"({"model_type": "bert"})");
  io::write_safetensors(folder / "model.safetensors", tensors);
  return hub::load_weights(hub::ModelFolder::open(folder.path()), parameters, "bert", 7);
}

const Tensor kTwo({2}, {1.0f, 2.0f});
const Tensor kFour({2, 2}, {3.0f, 4.0f, 5.0f, 6.0f});

TEST(InitialWeights, AreFoundUnderTheirNames) {
  const InitialWeights found = load({{"bert.a", kTwo.view()}, {"classifier.weight", kFour.view()}},
                                    {parameter_of("classifier.weight", {2, 2}), parameter_of("bert.a", {2})});
  EXPECT_EQ(values(found.values[0]), values(kFour));
  EXPECT_EQ(values(found.values[1]), values(kTwo));
  EXPECT_THAT(found.report.missing, IsEmpty());
  EXPECT_THAT(found.report.unexpected, IsEmpty());
}

TEST(InitialWeights, RejectATruncatedFile) {
  const TemporaryFolder folder;
  write_text(folder / "config.json", R"({"model_type": "bert"})");
  const std::filesystem::path file = folder / "model.safetensors";
  io::write_safetensors(file, std::vector<NamedTensorView>{{"a", kTwo.view()}});
  const auto model = hub::ModelFolder::open(folder.path());
  std::filesystem::resize_file(file, 0);
  const std::vector<nn::Parameter> parameters = {parameter_of("a", {2})};
  EXPECT_THAT(message_of<IoError>([&] { hub::load_weights(model, parameters, "bert", 7); }),
              AllOf(HasSubstr(file.string()), HasSubstr("0 bytes now")));
}

TEST(InitialWeights, FindABareEncoderWithoutItsPrefix) {
  const InitialWeights found = load({{"a", kTwo.view()}, {"b.c", kFour.view()}},
                                    {parameter_of("bert.a", {2}), parameter_of("bert.b.c", {2, 2})});
  EXPECT_EQ(values(found.values[0]), values(kTwo));
  EXPECT_EQ(values(found.values[1]), values(kFour));
  EXPECT_THAT(found.report.missing, IsEmpty());
  EXPECT_THAT(found.report.unexpected, IsEmpty());
}

// LlamaForQuestionAnswering has the name "transformer" for the body that is "model" in other classes.
TEST(InitialWeights, BodyForAnswersIsFoundUnderThePrefixOfOtherClasses) {
  const std::vector<nn::Parameter> parameters = {parameter_of("transformer.a", {2}), parameter_of("qa_outputs", {2})};
  for (const char* name : {"transformer.a", "bert.a", "a"}) {
    const InitialWeights found = load({{name, kTwo.view()}}, parameters);
    EXPECT_EQ(values(found.values[0]), values(kTwo)) << name;
    EXPECT_THAT(found.report.missing, ElementsAre("qa_outputs"));
    EXPECT_THAT(found.report.body, IsEmpty());
  }
  EXPECT_THAT(load({{"b", kTwo.view()}}, parameters).report.body, ElementsAre("transformer.a"));
}

TEST(InitialWeights, SinusoidsAreThoseOfThePaper) {
  const nn::Parameter places = parameter_of("places", {3, 4}, {nn::Initializer::Kind::kSinusoids});
  const auto near = [](double value) { return ::testing::FloatNear(static_cast<float>(value), 1e-6f); };
  EXPECT_THAT(values(hub::draw(places, 7)),
              ElementsAre(0, 1, 0, 1,                                                                      //
                          near(0.8414709848), near(0.5403023059), near(0.0099998333), near(0.9999500004),  // 1, 1 / 100
                          near(0.9092974268), near(-0.4161468365), near(0.0199986667), near(0.9998000067)));
}

TEST(InitialWeights, SplitSinusoidsHaveTheSinesFirst) {
  const nn::Parameter places = parameter_of("places", {2, 4}, {nn::Initializer::Kind::kSplitSinusoids});
  const auto near = [](double value) { return ::testing::FloatNear(static_cast<float>(value), 1e-6f); };
  EXPECT_THAT(values(hub::draw(places, 7)),
              ElementsAre(0, 0, 1, 1,  //
                          near(0.8414709848), near(0.0099998333), near(0.5403023059), near(0.9999500004)));
}

TEST(InitialWeights, PrefixIsAWholeWord) {
  const InitialWeights found = load({{"a", kTwo.view()}}, {parameter_of("bertha", {2}), parameter_of("bert_a", {2})});
  EXPECT_THAT(found.report.missing, ElementsAre("bertha", "bert_a"));
  EXPECT_THAT(found.report.unexpected, ElementsAre("a"));
}

TEST(InitialWeights, InitialiseMissingWeights) {
  const nn::Parameter head = parameter_of("classifier.weight", {2, 3}, kNormal),
                      norm = parameter_of("bert.norm", {2}, kOnes);
  const InitialWeights found = load({{"bert.a", kTwo.view()}}, {parameter_of("bert.a", {2}), head, norm});
  EXPECT_EQ(values(found.values[1]), values(hub::draw(head, 7)));
  EXPECT_THAT(values(found.values[2]), ElementsAre(1, 1));
  EXPECT_THAT(found.report.missing, ElementsAre("classifier.weight", "bert.norm"));
}

TEST(InitialWeights, BuffersAreNeverMissing) {
  nn::Parameter stored = parameter_of("bias", {2}, kOnes), lacking = parameter_of("positions", {2}, kOnes);
  stored.is_buffer = lacking.is_buffer = true;
  const InitialWeights found = load({{"bias", kTwo.view()}}, {stored, lacking});
  EXPECT_EQ(values(found.values[0]), values(kTwo));
  EXPECT_THAT(values(found.values[1]), ElementsAre(1, 1));
  EXPECT_THAT(found.report.missing, IsEmpty());
}

TEST(InitialWeights, DistinguishBodyFromHeadAndPooler) {
  const InitialWeights found =
      load({{"bert.a", kTwo.view()}, {"roberta.x", kTwo.view()}},
           {parameter_of("bert.a", {2}), parameter_of("bert.b.c", {2}),
            parameter_of("bert.pooler.dense.weight", {2, 2}), parameter_of("classifier", {2})});
  EXPECT_THAT(found.report.missing, ElementsAre("bert.b.c", "bert.pooler.dense.weight", "classifier"));
  EXPECT_THAT(found.report.body, ElementsAre("bert.b.c"));
}

// The class of T5 that generates text has no prefix.
TEST(InitialWeights, AreAllOfTheBodyWithoutAPrefix) {
  const InitialWeights found =
      load({{"shared.weight", kTwo.view()}}, {parameter_of("shared.weight", {2}), parameter_of("lm_head.weight", {2})});
  EXPECT_THAT(found.report.body, ElementsAre("lm_head.weight"));
}

// The class of T5 that answers questions has no prefix either, and a head that may be new.
TEST(InitialWeights, HeadOfABodyWithoutAPrefixIsNew) {
  const InitialWeights found = load({{"shared.weight", kTwo.view()}},
                                    {parameter_of("shared.weight", {2}), parameter_of("qa_outputs.weight", {2, 2})});
  EXPECT_THAT(found.report.missing, ElementsAre("qa_outputs.weight"));
  EXPECT_THAT(found.report.body, IsEmpty());
}

TEST(InitialWeights, RejectMissingWeightsThatMayNotBeNew) {
  const LoadReport head{.missing = {"classifier"}, .unexpected = {}, .folder = "m"};
  EXPECT_NO_THROW(hub::require_weights(head, 5, NewWeights::kHead));
  EXPECT_THAT(message_of<CheckpointError>([&] { hub::require_weights(head, 5, NewWeights::kNone); }),
              AllOf(StartsWith("m\n"), HasSubstr("no weights for 1 of 5 parameters: classifier"),
                    HasSubstr("train it with portatune fit")));
  const LoadReport body{
      .missing = {"bert.b", "classifier"}, .unexpected = {"roberta.b"}, .body = {"bert.b"}, .folder = "m"};
  EXPECT_NO_THROW(hub::require_weights(body, 5, NewWeights::kAny));
  EXPECT_THAT(
      message_of<CheckpointError>([&] { hub::require_weights(body, 5, NewWeights::kHead); }),
      AllOf(HasSubstr("no weights for 1 of 5 parameters: bert.b; but tensors without a parameter, such as roberta.b"),
            HasSubstr("model_type"), HasSubstr("--allow-new-weights")));
  EXPECT_THAT(message_of<CheckpointError>([&] { hub::require_weights(body, 5, NewWeights::kNone); }),
              AllOf(HasSubstr("2 of 5 parameters: bert.b, classifier"), Not(HasSubstr("--allow-new-weights"))));
}

TEST(InitialWeights, HeadOfAnotherShapeIsNew) {
  const nn::Parameter head = parameter_of("classifier.weight", {3, 2}, kNormal);
  const InitialWeights found = load({{"classifier.weight", kFour.view()}, {"bert.a", kTwo.view()}},
                                    {head, parameter_of("bert.a", {2})});
  EXPECT_EQ(found.values[0].shape(), (Shape{3, 2}));
  EXPECT_EQ(values(found.values[0]), values(hub::draw(head, 7)));
  EXPECT_THAT(found.report.missing, ElementsAre("classifier.weight"));
  EXPECT_THAT(found.report.replaced, ElementsAre("classifier.weight"));
  EXPECT_THAT(found.report.unexpected, IsEmpty());
}

TEST(InitialWeights, RejectAnEncoderOfAnotherShape) {
  EXPECT_THAT(message_of<CheckpointError>([] {
                load({{"bert.a", kTwo.view()}}, {parameter_of("bert.a", {3})});
              }),
              AllOf(HasSubstr("tensor bert.a"), HasSubstr("[2]"), HasSubstr("[3]"), HasSubstr("config.json")));
  EXPECT_THAT(message_of<CheckpointError>([] {
                load({{"a", kTwo.view()}}, {parameter_of("bert.a", {3})});
              }),
              HasSubstr("[2]"));
}

TEST(InitialWeights, HalfPrecisionIsConverted) {
  Tensor half({DType::kFloat16, {3}}), brain({DType::kBFloat16, {2}});
  const uint16_t half_bits[] = {0x3C00, 0xC100, 0x0001}, brain_bits[] = {0x3F80, 0xC020};
  std::memcpy(half.data(), half_bits, sizeof half_bits);
  std::memcpy(brain.data(), brain_bits, sizeof brain_bits);
  const InitialWeights found = load({{"bert.h", half.view()}, {"bert.b", brain.view()}},
                                    {parameter_of("bert.h", {3}), parameter_of("bert.b", {2})});
  EXPECT_THAT(values(found.values[0]), ElementsAre(1, -2.5f, 0x1p-24f));
  EXPECT_THAT(values(found.values[1]), ElementsAre(1, -2.5f));
}

TEST(InitialWeights, RejectIntegers) {
  const Tensor integers({2}, {int32_t{1}, int32_t{2}});
  EXPECT_THAT(message_of<CheckpointError>([&] {
                load({{"bert.a", integers.view()}}, {parameter_of("bert.a", {2})});
              }),
              AllOf(HasSubstr("bert.a"), HasSubstr("int32[2]")));
}

TEST(InitialWeights, ListUnexpectedTensorsWithoutOldBuffers) {
  const InitialWeights found = load({{"bert.a", kTwo.view()},
                                     {"cls.bias", kTwo.view()},
                                     {"bert.embeddings.position_ids", kTwo.view()},
                                     {"bert.embeddings.token_type_ids", kTwo.view()},
                                     {"h.0.attn.bias", kTwo.view()},
                                     {"h.0.attn.masked_bias", kTwo.view()},
                                     {"gpt_neox.layers.0.attention.bias", kTwo.view()},
                                     {"gpt_neox.layers.0.attention.masked_bias", kTwo.view()},
                                     {"model.layers.0.self_attn.rotary_emb.inv_freq", kTwo.view()}},
                                    {parameter_of("bert.a", {2})});
  EXPECT_THAT(found.report.unexpected, ElementsAre("cls.bias"));
}

// ---- draw

TEST(Draw, ZerosAndOnes) {
  EXPECT_THAT(values(hub::draw(parameter_of("b", {2}, kZeros), 1)), ElementsAre(0, 0));
  EXPECT_THAT(values(hub::draw(parameter_of("b", {2}, kOnes), 1)), ElementsAre(1, 1));
}

TEST(InitialValue, OfAMagnitudeIsTheNormOfTheWeightOfItsLayer) {
  const Tensor weight({2, 2}, {3.0f, 4.0f, 0.0f, 12.0f});
  const auto norms = [&](int64_t axis) {
    const std::vector<nn::Parameter> parameters = {
        parameter_of("x.weight", {2, 2}),
        parameter_of("x.lora_magnitude_vector", {2}, {.kind = nn::Initializer::Kind::kNorms, .axis = axis})};
    return values(hub::initial_value(parameters.back(), parameters, {&weight, 1}, 1));
  };
  EXPECT_THAT(norms(1), ElementsAre(5, 12));
  EXPECT_THAT(norms(0), ElementsAre(3, testing::FloatEq(std::sqrt(160.0f))));
}

TEST(Draw, DependsOnSeedAndNameAlone) {
  const std::vector<float> a = values(hub::draw(parameter_of("a", {4, 4}, kNormal), 1));
  EXPECT_EQ(values(hub::draw(parameter_of("a", {4, 4}, kNormal), 1)), a);
  EXPECT_NE(values(hub::draw(parameter_of("b", {4, 4}, kNormal), 1)), a);
  EXPECT_NE(values(hub::draw(parameter_of("a", {4, 4}, kNormal), 2)), a);
  // The first elements do not depend on the size either.
  const std::vector<float> longer = values(hub::draw(parameter_of("a", {20}, kNormal), 1));
  EXPECT_TRUE(std::equal(a.begin(), a.end(), longer.begin()));
}

TEST(Draw, IsNormal) {
  constexpr int64_t kCount = 100'000;
  const std::vector<float> x = values(hub::draw(parameter_of("a", {kCount}, kNormal), 1));
  double sum = 0, squares = 0, fourth = 0, neighbours = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double z = x[i] / 0.02;
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
    if (i > 0) neighbours += z * x[i - 1] / 0.02;
  }
  // Five standard errors each: those of mean, variance, fourth moment and correlation of n normal numbers.
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(fourth / kCount, 3, 5 * std::sqrt(96.0 / kCount));
  EXPECT_NEAR(neighbours / kCount, 0, 5 / std::sqrt(kCount));
}

}  // namespace
}  // namespace portatune::test
