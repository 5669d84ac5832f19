#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

#include "io/temporary_folder.h"
#include "media/audio/golden.h"
#include "portatune/error.h"

namespace portatune::audio {
namespace {

using testing::HasSubstr;

class Decode : public testing::Test {
 protected:
  void SetUp() override {
#ifdef PORTATUNE_AUDIO
    setenv("PORTATUNE_AUDIO_PLUGIN", PORTATUNE_AUDIO, 1);
#else
    GTEST_SKIP() << "built without libsndfile and libsoxr";
#endif
  }

  static std::string file(const std::string& name) { return text_of(kGoldens / "decode" / name); }
  static std::vector<float> decoded(const std::string& bytes, const DecodeOptions& options = {}) {
    return decode(std::as_bytes(std::span(bytes)), "some/file", options);
  }
  static std::string error(const std::string& bytes, const DecodeOptions& options = {}) {
    return message_of<DataError>([&] { decoded(bytes, options); });
  }
};

// The tolerance of files that lose information is for other versions of their libraries; that of other sample rates for
// other instructions of the processor, as libsoxr computes in float32.
TEST_F(Decode, EqualsTransformers) {
  const auto goldens = io::SafetensorsFile::open(kGoldens / "decoded.safetensors");
  ASSERT_EQ(goldens.entries().size(), 12u);
  for (const auto& entry : goldens.entries()) {
    SCOPED_TRACE(entry.name);
    const bool is_lossy = entry.name.find(".ogg") != std::string::npos ||
                          entry.name.find(".opus") != std::string::npos || entry.name.find(".mp3") != std::string::npos;
    const bool is_exact = !is_lossy && entry.name.starts_with("16k");
    const std::vector<float> samples = read(kGoldens / "decode" / entry.name);
    const float tolerance = is_exact ? 0 : is_lossy ? 1e-4F : 1e-6F;
    EXPECT_LE(largest_difference(samples, to_floats(goldens.view(entry))), tolerance);
  }
}

TEST_F(Decode, ResamplesToTheRequestedRate) {
  EXPECT_EQ(decoded(file("16k.wav")).size(), 1920u);
  EXPECT_EQ(decoded(file("16k.wav"), {.sample_rate = 8'000}).size(), 960u);
  EXPECT_EQ(decoded(file("22k.flac"), {.sample_rate = 44'100}).size(), 2u * 2646u);
}

TEST_F(Decode, CountsSamplesAsItDecodesThem) {
  for (const auto& entry : std::filesystem::directory_iterator(kGoldens / "decode")) {
    const std::string bytes = text_of(entry.path());
    if (!is_audio(std::as_bytes(std::span(bytes)))) continue;
    for (const int64_t rate : {8'000, 16'000, 44'100}) {
      EXPECT_EQ(sample_count(std::as_bytes(std::span(bytes)), "file", {.sample_rate = rate}),
                std::ssize(decoded(bytes, {.sample_rate = rate})))
          << entry.path() << " at " << rate;
    }
  }
}

TEST_F(Decode, NamesFilesOfOtherKinds) {
  EXPECT_THAT(error(""), HasSubstr("an empty file"));
  EXPECT_THAT(error("label,audio\n"), HasSubstr("a file that is not audio"));
  EXPECT_THAT(error(std::string("\0\0\0\x20"
                                "ftypM4A ",
                                12)),
              HasSubstr("MP4 or M4A"));
  EXPECT_THAT(error(""), HasSubstr("some/file"));
}

TEST_F(Decode, RecognisesAudioByItsContent) {
  for (const char* name : {"16k.wav", "44k_stereo.aiff", "22k.flac", "22k_stereo.ogg", "48k.opus", "16k.mp3"}) {
    const std::string bytes = file(name);
    EXPECT_TRUE(is_audio(std::as_bytes(std::span(bytes)))) << name;
  }
  for (const std::string path : {"clips/16k.wav", "ID3/clip.mp3", "OggS/1.ogg"}) {
    EXPECT_FALSE(is_audio(std::as_bytes(std::span(path)))) << path;
  }
}

// libsndfile itself reads what is there.
TEST_F(Decode, RefusesFilesThatAreTruncated) {
  for (const char* name : {"16k.wav", "44k_stereo.aiff", "22k.flac", "22k_stereo.ogg", "48k.opus", "44k_stereo.mp3"}) {
    const std::string whole = file(name);
    for (const double part : {0.3, 0.9}) {
      SCOPED_TRACE(name);
      const std::string message = error(whole.substr(0, static_cast<size_t>(part * static_cast<double>(whole.size()))));
      EXPECT_THAT(message, testing::AnyOf(HasSubstr("that ends after"), HasSubstr("a damaged file")));
    }
  }
}

// Programs that write to a pipe do not know the size of the chunk.
TEST_F(Decode, AcceptsWavFilesOfUnknownSize) {
  std::string bytes = file("16k.wav");
  const size_t size = bytes.find("data") + 4;
  for (size_t i = 0; i < 4; ++i) bytes[size + i] = '\xFF';
  EXPECT_EQ(decoded(bytes).size(), 1920u);
}

// Encoders that write to a pipe leave the number of samples 0.
TEST_F(Decode, AcceptsFlacFilesOfUnknownLength) {
  const std::string whole = file("22k.flac");
  std::string bytes = whole;
  bytes[21] &= '\xF0';
  std::fill_n(bytes.begin() + 22, 4, '\0');
  EXPECT_EQ(decoded(bytes), decoded(whole));
  EXPECT_EQ(sample_count(std::as_bytes(std::span(bytes)), "file", {}), std::ssize(decoded(whole)));
  EXPECT_THAT(error(bytes, {.max_seconds = 0.01}), HasSubstr("0.01"));
}

TEST_F(Decode, RefusesDamagedFiles) {
  std::string bytes = file("22k.flac");
  for (size_t i = bytes.size() / 2; i < bytes.size() / 2 + 50; ++i) bytes[i] ^= '\x5A';
  EXPECT_THAT(error(bytes), HasSubstr("damaged"));
}

TEST_F(Decode, LimitsTheDuration) {
  EXPECT_THAT(error(file("16k.wav"), {.max_seconds = 0.1}), HasSubstr("more than 0.1 seconds"));
  EXPECT_NO_THROW(decoded(file("16k.wav"), {.max_seconds = 0.12}));
}

TEST_F(Decode, RefusesSamplesThatAreNotFinite) {
  std::string bytes = file("16k_float.wav");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + bytes.size() - 8, &nan, sizeof nan);
  EXPECT_THAT(error(bytes), HasSubstr("not finite"));
}

TEST_F(Decode, RefusesFilesWithoutSamplesAndOddRates) {
  std::string bytes = file("16k.wav");
  const size_t begin = bytes.find("data") + 8;
  std::string empty = bytes.substr(0, begin);
  std::memset(empty.data() + begin - 4, 0, 4);
  EXPECT_THAT(error(empty), HasSubstr("without samples"));
  const uint32_t rate = 4'000'000;
  std::memcpy(bytes.data() + 24, &rate, sizeof rate);
  EXPECT_THAT(error(bytes), HasSubstr("4000000 samples a second"));
}

}  // namespace
}  // namespace portatune::audio
