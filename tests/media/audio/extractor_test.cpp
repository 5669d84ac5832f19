#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "media/audio/golden.h"
#include "portatune/error.h"

namespace portatune::audio {
namespace {

// A chain in double precision differs from NumPy's, whose spectrum is complex64, by roundings of float32.
constexpr float kTolerance = 1e-6F;

class ExtractorOfTransformers : public testing::TestWithParam<const char*> {
 protected:
  static ExtractorConfig config() {
    return ExtractorConfig::read(kGoldens / "extractors" / (std::string(GetParam()) + ".json"), "");
  }
  std::vector<float> golden(const std::string& name) const { return to_floats(*goldens_.find(name)); }

  const io::SafetensorsFile goldens_ = io::SafetensorsFile::open(kGoldens / "features.safetensors");
};

// The goldens of Whisper are the first frames and the last one, which is silent.
std::vector<float> frames_of(const Tensor& features, int64_t begin, int64_t count) {
  std::vector<float> frames;
  const int64_t all = features.shape()[1];
  for (int64_t band = 0; band < features.shape()[0]; ++band) {
    const auto row = features.as<float>().subspan(static_cast<size_t>(band * all + begin), static_cast<size_t>(count));
    frames.insert(frames.end(), row.begin(), row.end());
  }
  return frames;
}

TEST_P(ExtractorOfTransformers, ComputesTheSameNumbers) {
  const std::string name = GetParam();
  const Tensor features = Extractor(config())(golden("samples"));
  if (config().features != Features::kWhisperMel) {
    EXPECT_EQ(features.shape(), goldens_.find(name)->type.shape);
    EXPECT_LE(largest_difference(features.as<float>(), golden(name)), kTolerance);
    return;
  }
  const Shape shape = goldens_.find(name)->type.shape;
  EXPECT_EQ(features.shape()[0], shape[0]);
  EXPECT_LE(largest_difference(frames_of(features, 0, shape[1]), golden(name)), kTolerance);
  EXPECT_LE(largest_difference(frames_of(features, features.shape()[1] - 1, 1), golden(name + ".last")), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(All, ExtractorOfTransformers,
                         testing::Values("wav2vec2", "wav2vec2_plain", "whisper", "whisper_128", "whisper_8k", "ast",
                                         "ast_small"));

// A recording as long as the window, whose end is mirrored, has no silent frames that could be left out.
TEST(Extractor, CutsLongRecordings) {
  const ExtractorConfig config{
      .features = Features::kWhisperMel, .sampling_rate = 1'000, .hop_length = 10, .n_fft = 40, .chunk_length = 1};
  const Extractor extractor(config);
  std::vector<float> samples(1'500);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<float>(i % 7) / 7;
  const Tensor whole = extractor(samples), cut = extractor(std::span(samples).first(1'000));
  EXPECT_EQ(whole.shape(), (Shape{80, 100}));
  EXPECT_TRUE(std::ranges::equal(whole.as<float>(), cut.as<float>()));
}

TEST(Extractor, HasTheWholeSpectrogramOfALongRecording) {
  const auto goldens = io::SafetensorsFile::open(kGoldens / "features.safetensors");
  const Extractor extractor(ExtractorConfig::read(kGoldens / "extractors" / "whisper_8k.json", ""));
  const std::vector<float> part = to_floats(*goldens.find("samples"));
  std::vector<float> samples;
  while (samples.size() < 10'400) samples.push_back(part[samples.size() % part.size()]);
  const Tensor features = extractor.long_spectrogram(samples);
  EXPECT_EQ(features.shape(), (Shape{80, 130}));
  EXPECT_LE(largest_difference(frames_of(features, 110, 20), to_floats(*goldens.find("whisper_8k.long"))), kTolerance);
  EXPECT_THROW(extractor.long_spectrogram(std::span(samples).first(7'999)), UsageError);
}

TEST(Extractor, NamesARecordingWithoutAFrame) {
  const Extractor extractor({.features = Features::kAst});
  const std::vector<float> samples(399);
  const std::string message = message_of<DataError>([&] { extractor(samples, "short.wav"); });
  EXPECT_NE(message.find("short.wav"), message.npos) << message;
  EXPECT_NE(message.find("399 samples"), message.npos) << message;
  EXPECT_NO_THROW(extractor(std::vector<float>(400)));
  EXPECT_THROW(Extractor(ExtractorConfig{})({}), DataError);
}

}  // namespace
}  // namespace portatune::audio
