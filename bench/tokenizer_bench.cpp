// Encodes texts once, one thread, ids only, and tells how long that took. Used by bench/tokenizer.py.
//   portune_tokenizer_bench FOLDER TEXTS IDS
// TEXTS: the texts, each behind its size in bytes as int32. Writes to IDS, for each text, the number of ids and the ids
// as int32. Prints the CPU seconds for loading the tokenizer and for encoding.
#include <time.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "portune/text.h"

namespace {

using namespace portune;

std::vector<std::string_view> split(std::string_view bytes) {
  std::vector<std::string_view> texts;
  for (size_t at = 0; at < bytes.size();) {
    int32_t size;
    std::memcpy(&size, bytes.data() + at, sizeof(size));
    texts.push_back(bytes.substr(at + sizeof(size), static_cast<size_t>(size)));
    at += sizeof(size) + static_cast<size_t>(size);
  }
  return texts;
}

// Of the processor, so that what else the machine does counts less.
double cpu_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void write_ids(const char* file, const std::vector<int32_t>& ids, const std::vector<size_t>& ends) {
  std::ofstream out(file, std::ios::binary);
  size_t begin = 0;
  for (const size_t end : ends) {
    const auto count = static_cast<int32_t>(end - begin);
    out.write(reinterpret_cast<const char*>(&count), sizeof(count));
    out.write(reinterpret_cast<const char*>(ids.data() + begin), count * static_cast<std::streamsize>(sizeof(int32_t)));
    begin = end;
  }
}

}  // namespace

int main(int, char** arguments) {
  std::ifstream file(arguments[2], std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const auto texts = split(bytes);

  const double load_start = cpu_seconds();
  const auto tokenizer = text::Tokenizer::load(arguments[1]);
  const double load_s = cpu_seconds() - load_start;

  const double start = cpu_seconds();
  text::IdEncoder encoder(tokenizer);
  std::vector<int32_t> ids;
  std::vector<size_t> ends;
  for (const std::string_view text : texts) {
    encoder.append({.first = text}, {}, ids);
    ends.push_back(ids.size());
  }
  const double encode_s = cpu_seconds() - start;

  std::printf("%.6f %.6f\n", load_s, encode_s);
  write_ids(arguments[3], ids, ends);
}
