#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/media.h"

namespace portatune::audio {
namespace {

class ReadExtractorConfig : public testing::Test {
 protected:
  ExtractorConfig read(const std::string& json, const std::string& model_type = "wav2vec2") const {
    write_text(file(), json);
    return ExtractorConfig::read(file(), model_type);
  }
  std::string error(const std::string& json, const std::string& model_type = "wav2vec2") const {
    return message_of<CheckpointError>([&] { read(json, model_type); });
  }
  std::filesystem::path file() const { return folder_ / "preprocessor_config.json"; }

  TemporaryFolder folder_;
};

TEST_F(ReadExtractorConfig, ChoosesTheExtractorByItsNameOrTheModel) {
  EXPECT_EQ(read(R"({"feature_extractor_type": "ASTFeatureExtractor"})").features, Features::kAst);
  EXPECT_EQ(read("{}").features, Features::kWaveform);
  EXPECT_EQ(read("{}", "hubert").features, Features::kWaveform);
  EXPECT_EQ(read("{}", "audio-spectrogram-transformer").features, Features::kAst);
  EXPECT_EQ(read("{}", "whisper").features, Features::kWhisperMel);
}

TEST_F(ReadExtractorConfig, ReadsSettings) {
  const ExtractorConfig waveform = read(R"({"do_normalize": false, "sampling_rate": 8000})");
  EXPECT_FALSE(waveform.do_normalize);
  EXPECT_EQ(waveform.sampling_rate, 8000);
  EXPECT_EQ(waveform.return_attention_mask, std::nullopt);
  EXPECT_EQ(read(R"({"return_attention_mask": true})").return_attention_mask, true);
  const ExtractorConfig ast =
      read(R"({"num_mel_bins": 64, "max_length": 100, "mean": -3, "std": 2})", "audio-spectrogram-transformer");
  EXPECT_EQ(ast.num_mel_bins, 64);
  EXPECT_EQ(ast.max_length, 100);
  EXPECT_EQ(ast.mean, -3);
  EXPECT_EQ(ast.deviation, 2);
  EXPECT_EQ(read(R"({"feature_size": 128})", "whisper").feature_size, 128);
}

TEST_F(ReadExtractorConfig, ReadsTheProcessorsOfTransformers5) {
  EXPECT_EQ(ExtractorConfig::file_in(folder_.path()).filename(), "preprocessor_config.json");  // for the error
  const std::string processor = R"({"processor_class": "Wav2Vec2Processor", "feature_extractor": {
      "feature_extractor_type": "Wav2Vec2FeatureExtractor", "do_normalize": false}})";
  write_text(folder_ / "processor_config.json", processor);
  EXPECT_FALSE(ExtractorConfig::read(ExtractorConfig::file_in(folder_.path()), "wav2vec2").do_normalize);
  EXPECT_TRUE(read(R"({"do_normalize": true})").do_normalize);
  EXPECT_EQ(ExtractorConfig::file_in(folder_.path()), file());
}

TEST_F(ReadExtractorConfig, RefusesWhatItDoesNotSupport) {
  EXPECT_NE(error(R"({"feature_extractor_type": "ClapFeatureExtractor"})").find("ClapFeatureExtractor"),
            std::string::npos);
  EXPECT_NE(error("{}", "bert").find("bert"), std::string::npos);
  EXPECT_NE(error(R"({"dither": 0.1})", "whisper").find("dither"), std::string::npos);
  EXPECT_NE(error(R"({"padding_value": 1})").find("padding_value"), std::string::npos);
  EXPECT_NE(error(R"({"n_fft": 402})", "whisper").find("an even product of 2, 3 and 5"), std::string::npos);
  EXPECT_NE(error(R"({"n_fft": 4000, "sampling_rate": 1000, "chunk_length": 1})", "whisper").find("chunk_length"),
            std::string::npos);
  EXPECT_NE(error(R"({"sampling_rate": 0})").find("sampling_rate"), std::string::npos);
}

}  // namespace
}  // namespace portatune::audio
