// WebP by libwebp.
#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>

#include "portatune/media/image/formats.h"
#include "portatune/media/image/orientation.h"

namespace portatune::image {
namespace {

const uint8_t* data_of(std::span<const std::byte> file) { return reinterpret_cast<const uint8_t*>(file.data()); }

std::string_view reason(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return "out of memory";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "an unsupported feature";
    default:
      return "an invalid bitstream";
  }
}

void check(VP8StatusCode status, std::span<const std::byte> file, const std::string& where) {
  if (status == VP8_STATUS_OK) return;
  if (status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED) {
    throw truncated(where, "WebP", file.size());
  }
  throw damaged(where, "WebP", reason(status));
}

Image still(std::span<const std::byte> file, Size size, const std::string& where) {
  Image image(size);
  WebPDecoderConfig config;
  WebPInitDecoderConfig(&config);
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {
      .rgba = image.bytes().data(), .stride = static_cast<int>(3 * size.width), .size = image.bytes().size()};
  check(WebPDecode(data_of(file), file.size(), &config), file, where);
  return image;
}

struct FreeAnimation {
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};

Image first_of_animation(const WebPData& data, Size size, const std::string& where) {
  WebPAnimDecoderOptions options;
  WebPAnimDecoderOptionsInit(&options);
  options.color_mode = MODE_RGBA;
  const std::unique_ptr<WebPAnimDecoder, FreeAnimation> decoder(WebPAnimDecoderNew(&data, &options));
  uint8_t* rgba = nullptr;
  int time_ms = 0;
  if (!decoder || !WebPAnimDecoderGetNext(decoder.get(), &rgba, &time_ms)) {
    throw damaged(where, "WebP", "the first picture of the animation cannot be decoded");
  }
  Image image(size);
  uint8_t* rgb = image.bytes().data();
  for (int64_t i = 0; i < size.height * size.width; ++i, rgba += 4) rgb = std::copy_n(rgba, 3, rgb);
  return image;
}

struct FreeDemuxer {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};

// The first chunk of this name; empty if there is none. The view points into the file.
std::string_view chunk_called(const char* name, const WebPDemuxer& demuxer) {
  WebPChunkIterator chunk;
  if (!WebPDemuxGetChunk(&demuxer, name, 1, &chunk)) return {};
  const std::string_view bytes(reinterpret_cast<const char*>(chunk.chunk.bytes), chunk.chunk.size);
  WebPDemuxReleaseChunkIterator(&chunk);
  return bytes;
}

Orientation orientation_in(const WebPData& data) {
  const std::unique_ptr<WebPDemuxer, FreeDemuxer> demuxer(WebPDemux(&data));
  if (!demuxer) return kUpright;
  if (const auto found = orientation_in_exif(std::as_bytes(std::span(chunk_called("EXIF", *demuxer))))) return *found;
  return orientation_in_xmp(chunk_called("XMP ", *demuxer));
}

}  // namespace

Image decode_webp(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options) {
  WebPBitstreamFeatures features;
  check(WebPGetFeatures(data_of(file), file.size(), &features), file, where);
  const Size size = {features.height, features.width};
  require_size(size, where, options);
  const WebPData data = {data_of(file), file.size()};
  Image image = features.has_animation ? first_of_animation(data, size, where) : still(file, size, where);
  return upright(std::move(image), orientation_in(data));
}

}  // namespace portatune::image
