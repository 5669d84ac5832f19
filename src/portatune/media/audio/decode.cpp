#include <algorithm>
#include <cmath>
#include <limits>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/media.h"
#include "portatune/media/audio/audio_plugin.h"
#include "portatune/media/audio/formats.h"

namespace portatune::audio {
namespace {

constexpr int32_t kMinRate = 1'000, kMaxRate = 768'000;
constexpr const char* kExpectedFormats = "a WAV, AIFF, FLAC, Ogg (Vorbis or Opus) or MP3 file";

const Format& require_format(std::span<const std::byte> file, const std::string& where) {
  const Format* format = format_of(file);
  if (format != nullptr && format->is_supported) return *format;
  const std::string given = file.empty() ? "an empty file"
                            : format     ? "a file in the format " + std::string(format->name)
                                         : "a file that is not audio, or of an unknown kind";
  throw DataError({.where = where, .given = given, .expected = kExpectedFormats});
}

DataError damaged(const std::string& where, const char* reason) {
  return DataError({.where = where,
                    .given = std::string("a damaged file: ") + reason,
                    .expected = "a file that libsndfile can decode"});
}

void require_rate(int32_t rate, const std::string& where) {
  if (rate >= kMinRate && rate <= kMaxRate) return;
  throw DataError({.where = where,
                   .given = std::to_string(rate) + " samples a second",
                   .expected = std::to_string(kMinRate) + " to " + std::to_string(kMaxRate)});
}

DataError too_long(const std::string& where, const DecodeOptions& options) {
  const std::string limit = to_text(options.max_seconds) + " seconds";
  return DataError({.where = where,
                    .given = "a recording of more than " + limit,
                    .expected = "at most " + limit,
                    .fix = options.advice});
}

void require_finite(std::span<const float> samples, const std::string& where) {
  bool all_finite = true;  // without an early end, so that the loop becomes vector instructions
  for (const float sample : samples) all_finite &= std::abs(sample) <= std::numeric_limits<float>::max();
  if (all_finite) return;
  throw DataError({.where = where, .given = "samples that are not finite numbers", .expected = "finite numbers"});
}

// An open file of the plug-in.
class AudioFile {
 public:
  AudioFile(std::span<const std::byte> bytes, const std::string& where, const Format& format)
      : api_(audio_plugin(where)), where_(where) {
    require_complete(bytes, format, where);
    PortatuneAudioError error;
    file_ = api_.open(bytes.data(), std::ssize(bytes), &format_, &error);
    if (file_ == nullptr) throw damaged(where, error.message);
  }
  ~AudioFile() { api_.close(file_); }
  AudioFile(const AudioFile&) = delete;
  AudioFile& operator=(const AudioFile&) = delete;

  const PortatuneAudioFormat& format() const { return format_; }

  // All frames, of which there may be fewer than declared.
  // is_exact  whether the number of frames is no estimate
  std::vector<float> read(const DecodeOptions& options, bool is_exact) {
    // A header may lie, so memory is used as it is read, and little of it is reserved.
    constexpr int64_t kBlock = 1 << 14, kMaxReserved = 1 << 24;
    const auto max_frames = static_cast<int64_t>(options.max_seconds * format_.rate);
    if (is_exact && format_.frames > max_frames) throw too_long(where_, options);
    std::vector<float> samples;
    if (is_exact) samples.reserve(static_cast<size_t>(std::min(format_.frames, kMaxReserved) + kBlock));
    for (int64_t count = kBlock; count == kBlock;) {
      const size_t before = samples.size();
      samples.resize(before + kBlock);
      PortatuneAudioError error;
      count = api_.read(file_, kBlock, samples.data() + before, &error);
      if (count < 0) throw damaged(where_, error.message);
      samples.resize(before + static_cast<size_t>(count));
      if (std::ssize(samples) > max_frames) throw too_long(where_, options);
    }
    return samples;
  }

 private:
  const PortatuneAudioApi& api_;
  const std::string& where_;
  PortatuneAudioFormat format_ = {};
  PortatuneAudioFile* file_ = nullptr;
};

// The number of samples is that of librosa: rounded up.
int64_t resampled_count(int64_t samples, int64_t from, int64_t to) {
  if (from == to) return samples;
  return static_cast<int64_t>(
      std::ceil(static_cast<double>(samples) * static_cast<double>(to) / static_cast<double>(from)));
}

// There are zeros in place of samples that libsoxr does not give.
std::vector<float> resampled(const std::vector<float>& samples, int32_t from, int32_t to, const std::string& where) {
  std::vector<float> result(static_cast<size_t>(resampled_count(std::ssize(samples), from, to)));
  PortatuneAudioError error;
  const int64_t made = audio_plugin(where).resample(samples.data(), std::ssize(samples), from, to, result.data(),
                                                    std::ssize(result), &error);
  if (made < 0) throw damaged(where, error.message);
  return result;
}

void require_sample_rate(const DecodeOptions& options) {
  if (options.sample_rate >= kMinRate && options.sample_rate <= kMaxRate) return;
  throw UsageError({.where = "sample_rate",
                    .given = std::to_string(options.sample_rate),
                    .expected = std::to_string(kMinRate) + " to " + std::to_string(kMaxRate)});
}

}  // namespace

bool is_audio(std::span<const std::byte> file) {
  const Format* format = format_of(file);
  return format != nullptr && format->is_supported;
}

std::vector<float> decode(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options) {
  require_sample_rate(options);
  const Format& format = require_format(file, where);
  AudioFile audio(file, where, format);
  const int32_t rate = audio.format().rate;
  require_rate(rate, where);
  const bool is_exact = declares_frames(file, format) && audio.format().frames >= 0;
  std::vector<float> samples = audio.read(options, is_exact);
  if (is_exact && std::ssize(samples) < audio.format().frames) throw truncated(file, format, where);
  if (samples.empty()) {
    throw DataError({.where = where, .given = "a file without samples", .expected = "at least one sample"});
  }
  require_finite(samples, where);
  if (rate == options.sample_rate) return samples;
  return resampled(samples, rate, static_cast<int32_t>(options.sample_rate), where);
}

int64_t sample_count(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options) {
  require_sample_rate(options);
  const Format& format = require_format(file, where);
  // Not every format declares the number of frames, and not every file has it.
  PortatuneAudioFormat found = {.frames = -1, .rate = 0, .channels = 0};
  if (declares_frames(file, format)) found = AudioFile(file, where, format).format();
  if (found.frames < 0) return std::ssize(decode(file, where, options));
  require_rate(found.rate, where);
  return resampled_count(found.frames, found.rate, options.sample_rate);
}

std::vector<float> read(const std::filesystem::path& file, const DecodeOptions& options) {
  const io::MappedFile mapped = io::MappedFile::open(file, io::FileAccess::kRead);
  return decode(mapped.bytes(), file.string(), options);
}

}  // namespace portatune::audio
