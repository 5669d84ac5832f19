#include "portatune/generate/speech/segments.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "portatune/media_models.h"

namespace portatune::generate {
namespace {

using Tokens = std::span<const int32_t>;

class Segments {
 public:
  Segments(Tokens tokens, const TimeScale& scale, const SpeechWindow& window = {})
      : tokens_(tokens), scale_(scale), window_(window) {}

  std::vector<SpeechSegment> of_pairs(std::vector<size_t> ends) const {
    if (ends_with_one_time()) ends.push_back(tokens_.size());
    std::vector<SpeechSegment> segments;
    size_t begin = 0;
    for (const size_t end : ends) {
      segments.push_back(part(begin, end, seconds_at(begin), seconds_at(end - 1)));
      begin = end;
    }
    return segments;
  }

  std::vector<SpeechSegment> of_whole() const {
    double end = seconds(times_in(window_.frames));
    for (size_t i = tokens_.size(); i-- > 0;) {
      if (!is_time(i)) continue;
      if (tokens_[i] != scale_.first) end = seconds_at(i);
      break;
    }
    return {part(0, tokens_.size(), seconds(0), end)};
  }

  // The positions behind the first of two times that follow each other.
  std::vector<size_t> ends_in_pairs() const {
    std::vector<size_t> ends;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (is_time(i) && is_time(i + 1)) ends.push_back(i + 1);
    }
    return ends;
  }

  std::vector<int32_t> tokens_of_segments() const {
    std::vector<size_t> ends = ends_in_pairs();
    if (ends.empty() || ends_with_one_time()) {
      ends.push_back(tokens_.size());
    } else {
      ++ends.back();  // transformers keeps the second time of the pair with the last part
    }
    std::vector<int32_t> all;
    size_t begin = 0;
    for (const size_t end : ends) {
      const bool has_two_times = end - begin > 2 && is_time(end - 2);
      const Tokens part = tokens_.subspan(begin, end - begin - (has_two_times ? 1 : 0));
      all.insert(all.end(), part.begin(), part.end());
      begin = end;
    }
    return all;
  }

  // Returns whether the model hears nothing behind the last part.
  bool ends_with_one_time() const { return is_time(tokens_.size() - 1) && !is_time(tokens_.size() - 2); }

 private:
  bool is_time(size_t i) const { return i < tokens_.size() && tokens_[i] >= scale_.first; }
  double seconds_at(size_t i) const { return seconds(tokens_[i] - scale_.first); }
  // The seconds of a time in the window. Rounded, as 29 times 0.02 is not 0.58.
  double seconds(int64_t time) const {
    const double begin = static_cast<double>(window_.begin) * frame_seconds();
    return std::round((begin + static_cast<double>(time) * scale_.step) * 1e6) / 1e6;
  }
  double frame_seconds() const { return scale_.step / static_cast<double>(models::SpeechFacts::kFramesOfTime); }
  // In the floating-point numbers of transformers: 58 frames are 28 times, as 0.58 / 0.02 is less than 29.
  int64_t times_in(int64_t frames) const {
    return static_cast<int64_t>(static_cast<double>(frames) * frame_seconds() / scale_.step);
  }
  SpeechSegment part(size_t begin, size_t end, double start_seconds, double end_seconds) const {
    SpeechSegment segment{.start = start_seconds, .end = end_seconds, .tokens = {}};
    std::ranges::copy_if(tokens_.subspan(begin, end - begin), std::back_inserter(segment.tokens),
                         [&](int32_t token) { return token < scale_.first; });
    return segment;
  }

  const Tokens tokens_;
  const TimeScale& scale_;
  const SpeechWindow window_;
};

}  // namespace

std::vector<SpeechSegment> speech_segments(Tokens tokens, const TimeScale& scale, const SpeechWindow& window) {
  const Segments segments(tokens, scale, window);
  std::vector<size_t> ends = segments.ends_in_pairs();
  return ends.empty() ? segments.of_whole() : segments.of_pairs(std::move(ends));
}

int64_t next_window(Tokens tokens, const TimeScale& scale, const SpeechWindow& window) {
  const Segments segments(tokens, scale, window);
  const std::vector<size_t> ends = segments.ends_in_pairs();
  const int64_t end = window.begin + window.frames;
  if (ends.empty() || segments.ends_with_one_time()) return end;
  const int64_t next = window.begin + (tokens[ends.back() - 1] - scale.first) * models::SpeechFacts::kFramesOfTime;
  return next > window.begin ? next : end;  // a time of 0 would repeat the window for ever
}

std::vector<int32_t> tokens_of_segments(Tokens tokens, const TimeScale& scale) {
  return Segments(tokens, scale).tokens_of_segments();
}

}  // namespace portatune::generate
