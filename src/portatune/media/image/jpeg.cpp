// JPEG by libjpeg-turbo, with the default options that Pillow uses, so that pixels are equal.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
// jpeglib.h needs FILE and size_t from above.
#include <jerror.h>
#include <jpeglib.h>

#include "portatune/media/image/formats.h"
#include "portatune/media/image/orientation.h"

namespace portatune::image {
namespace {

// Real progressive files have about ten scans. A file with thousands takes hours to decode.
constexpr int kMaxScans = 100;

// The state for libjpeg's C callbacks. They leave by longjmp.
struct Jump {
  std::jmp_buf target;
  bool truncated = false;
  char message[JMSG_LENGTH_MAX] = "";
};

[[noreturn]] void leave(j_common_ptr info) { std::longjmp(static_cast<Jump*>(info->client_data)->target, 1); }

void on_error(j_common_ptr info) {
  info->err->format_message(info, static_cast<Jump*>(info->client_data)->message);
  leave(info);
}

// Ignores warnings. They report damage that Pillow ignores, too.
void on_message(j_common_ptr, int) {}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  std::snprintf(static_cast<Jump*>(info->client_data)->message, JMSG_LENGTH_MAX, "more than %d scans", kMaxScans);
  leave(info);
}

// Called when libjpeg needs more bytes. The whole file is in memory, so this is its end.
boolean on_end_of_bytes(j_decompress_ptr info) {
  static_cast<Jump*>(info->client_data)->truncated = true;
  leave(reinterpret_cast<j_common_ptr>(info));
}

void skip_bytes(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  jpeg_source_mgr& source = *info->src;
  if (static_cast<size_t>(count) > source.bytes_in_buffer) on_end_of_bytes(info);
  source.next_input_byte += count;
  source.bytes_in_buffer -= static_cast<size_t>(count);
}

// Converts CMYK, inverted as Adobe's programs store it, to the RGB of Pillow.
void rgb_from_inverted_cmyk(const uint8_t* cmyk, int64_t pixels, uint8_t* rgb) {
  for (int64_t i = 0; i < pixels; ++i, cmyk += 4, rgb += 3) {
    const int light = cmyk[3];
    for (int colour = 0; colour < 3; ++colour) {
      const int product = (255 - cmyk[colour]) * light + 128;  // divided by 255 and rounded in the next line
      rgb[colour] = static_cast<uint8_t>(std::max(0, light - ((product + (product >> 8)) >> 8)));
    }
  }
}

class JpegReader {
 public:
  JpegReader(std::span<const std::byte> file, const std::string& where) : where_(where), file_bytes_(file.size()) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = on_error;
    errors_.emit_message = on_message;
    info_.client_data = &jump_;
    guarded([this] { jpeg_create_decompress(&info_); });
    progress_.progress_monitor = on_progress;
    info_.progress = &progress_;
    source_.next_input_byte = reinterpret_cast<const JOCTET*>(file.data());
    source_.bytes_in_buffer = file.size();
    source_.init_source = source_.term_source = [](j_decompress_ptr) {};
    source_.fill_input_buffer = on_end_of_bytes;
    source_.skip_input_data = skip_bytes;
    source_.resync_to_restart = jpeg_resync_to_restart;
    info_.src = &source_;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  void read_header() {
    guarded([this] {
      jpeg_save_markers(&info_, JPEG_APP0 + 1, 0xFFFF);  // EXIF and XMP
      jpeg_read_header(&info_, TRUE);
    });
    if (info_.num_components == 2) throw damaged(where_, "JPEG", "two colour components, not one, three or four");
  }

  Size size() const { return {info_.image_height, info_.image_width}; }

  Orientation orientation() const {
    const std::string_view exif = first_marker({"Exif\0\0", 6});
    if (const auto found = orientation_in_exif(std::as_bytes(std::span(exif)))) return *found;
    return orientation_in_xmp(first_marker({"http://ns.adobe.com/xap/1.0/\0", 29}));
  }

  // Selects the largest fast reduction at which both sides stay at least this large.
  void reduce(Size at_least) {
    for (const unsigned factor : {8U, 4U, 2U}) {
      if (info_.image_height < factor * at_least.height || info_.image_width < factor * at_least.width) continue;
      info_.scale_num = 1;
      info_.scale_denom = factor;
      return;
    }
  }

  Image read_pixels() {
    const bool cmyk = info_.num_components == 4;
    info_.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
    guarded([this] { jpeg_start_decompress(&info_); });
    Image image({info_.output_height, info_.output_width});
    if (cmyk) {
      read_cmyk(image);
    } else {
      guarded([&] {
        while (info_.output_scanline < info_.output_height) read_row(image.row(info_.output_scanline));
      });
    }
    guarded([this] { jpeg_finish_decompress(&info_); });  // requires the end marker, as Pillow does
    return image;
  }

 private:
  // Calls libjpeg and turns its errors into exceptions, which must not pass through C code. `call` must not hold
  // objects with a destructor.
  template <class Call>
  void guarded(Call call) {
    if (setjmp(jump_.target) == 0) {
      call();
      return;
    }
    if (jump_.truncated) throw image::truncated(where_, "JPEG", file_bytes_);
    throw damaged(where_, "JPEG", jump_.message);
  }

  void read_row(uint8_t* row) { jpeg_read_scanlines(&info_, &row, 1); }

  void read_cmyk(Image& image) {
    const auto row = std::make_unique_for_overwrite<uint8_t[]>(4 * static_cast<size_t>(image.size().width));
    guarded([&] {
      while (info_.output_scanline < info_.output_height) {
        uint8_t* rgb = image.row(info_.output_scanline);
        read_row(row.get());
        rgb_from_inverted_cmyk(row.get(), image.size().width, rgb);
      }
    });
  }

  // The first APP1 marker with this beginning; empty if there is none.
  std::string_view first_marker(std::string_view begin) const {
    for (auto* marker = info_.marker_list; marker; marker = marker->next) {
      const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (data.starts_with(begin)) return data;
    }
    return {};
  }

  const std::string& where_;
  const size_t file_bytes_;
  Jump jump_;
  jpeg_error_mgr errors_ = {};
  jpeg_progress_mgr progress_ = {};
  jpeg_source_mgr source_ = {};
  jpeg_decompress_struct info_ = {};
};

Size swapped(Size size, bool swap) { return swap ? Size{size.width, size.height} : size; }

}  // namespace

Image decode_jpeg(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options) {
  JpegReader reader(file, where);
  reader.read_header();
  require_size(reader.size(), where, options);
  const Orientation orientation = reader.orientation();
  if (options.at_least) {
    const bool swap = swaps_sides(orientation);
    reader.reduce(swapped(options.at_least(swapped(reader.size(), swap)), swap));
  }
  return upright(reader.read_pixels(), orientation);
}

}  // namespace portatune::image
