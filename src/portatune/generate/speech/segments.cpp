#include "portatune/generate/speech/segments.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace portatune::generate {
namespace {

using Tokens = std::span<const int32_t>;

class Segments {
 public:
  Segments(Tokens tokens, const TimeScale& scale) : tokens_(tokens), scale_(scale) {}

  std::vector<SpeechSegment> of_pairs(std::vector<size_t> ends) const {
    const bool ends_with_one_time = is_time(tokens_.size() - 1) && !is_time(tokens_.size() - 2);
    if (ends_with_one_time) ends.push_back(tokens_.size());
    std::vector<SpeechSegment> segments;
    size_t begin = 0;
    for (const size_t end : ends) {
      segments.push_back(part(begin, end, seconds_at(begin), seconds_at(end - 1)));
      begin = end;
    }
    return segments;
  }

  std::vector<SpeechSegment> of_whole() const {
    double end = scale_.duration;
    for (size_t i = tokens_.size(); i-- > 0;) {
      if (!is_time(i)) continue;
      if (tokens_[i] != scale_.first) end = seconds_at(i);
      break;
    }
    return {part(0, tokens_.size(), 0, end)};
  }

  // The positions behind the first of two times that follow each other.
  std::vector<size_t> ends_in_pairs() const {
    std::vector<size_t> ends;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (is_time(i) && is_time(i + 1)) ends.push_back(i + 1);
    }
    return ends;
  }

 private:
  bool is_time(size_t i) const { return i < tokens_.size() && tokens_[i] >= scale_.first; }
  // Rounded, as 29 times 0.02 is not 0.58.
  double seconds_at(size_t i) const { return std::round((tokens_[i] - scale_.first) * scale_.step * 1e6) / 1e6; }
  SpeechSegment part(size_t begin, size_t end, double start_seconds, double end_seconds) const {
    SpeechSegment segment{.start = start_seconds, .end = end_seconds, .tokens = {}};
    std::ranges::copy_if(tokens_.subspan(begin, end - begin), std::back_inserter(segment.tokens),
                         [&](int32_t token) { return token < scale_.first; });
    return segment;
  }

  const Tokens tokens_;
  const TimeScale& scale_;
};

}  // namespace

std::vector<SpeechSegment> speech_segments(Tokens tokens, const TimeScale& scale) {
  const Segments segments(tokens, scale);
  std::vector<size_t> ends = segments.ends_in_pairs();
  return ends.empty() ? segments.of_whole() : segments.of_pairs(std::move(ends));
}

}  // namespace portatune::generate
