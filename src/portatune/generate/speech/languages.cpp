#include "portatune/generate/speech/languages.h"

#include <algorithm>
#include <iterator>

#include "portatune/base/text/utf8.h"

namespace portatune::generate {
namespace {

struct Language {
  std::string_view name, code;
};
// By name. source  LANGUAGES and TO_LANGUAGE_CODE of transformers' tokenization_whisper.py
constexpr Language kLanguages[] = {
    {"afrikaans", "af"},     {"albanian", "sq"},      {"amharic", "am"},     {"arabic", "ar"},
    {"armenian", "hy"},      {"assamese", "as"},      {"azerbaijani", "az"}, {"bashkir", "ba"},
    {"basque", "eu"},        {"belarusian", "be"},    {"bengali", "bn"},     {"bosnian", "bs"},
    {"breton", "br"},        {"bulgarian", "bg"},     {"burmese", "my"},     {"cantonese", "yue"},
    {"castilian", "es"},     {"catalan", "ca"},       {"chinese", "zh"},     {"croatian", "hr"},
    {"czech", "cs"},         {"danish", "da"},        {"dutch", "nl"},       {"english", "en"},
    {"estonian", "et"},      {"faroese", "fo"},       {"finnish", "fi"},     {"flemish", "nl"},
    {"french", "fr"},        {"galician", "gl"},      {"georgian", "ka"},    {"german", "de"},
    {"greek", "el"},         {"gujarati", "gu"},      {"haitian", "ht"},     {"haitian creole", "ht"},
    {"hausa", "ha"},         {"hawaiian", "haw"},     {"hebrew", "he"},      {"hindi", "hi"},
    {"hungarian", "hu"},     {"icelandic", "is"},     {"indonesian", "id"},  {"italian", "it"},
    {"japanese", "ja"},      {"javanese", "jw"},      {"kannada", "kn"},     {"kazakh", "kk"},
    {"khmer", "km"},         {"korean", "ko"},        {"lao", "lo"},         {"latin", "la"},
    {"latvian", "lv"},       {"letzeburgesch", "lb"}, {"lingala", "ln"},     {"lithuanian", "lt"},
    {"luxembourgish", "lb"}, {"macedonian", "mk"},    {"malagasy", "mg"},    {"malay", "ms"},
    {"malayalam", "ml"},     {"maltese", "mt"},       {"mandarin", "zh"},    {"maori", "mi"},
    {"marathi", "mr"},       {"moldavian", "ro"},     {"moldovan", "ro"},    {"mongolian", "mn"},
    {"myanmar", "my"},       {"nepali", "ne"},        {"norwegian", "no"},   {"nynorsk", "nn"},
    {"occitan", "oc"},       {"panjabi", "pa"},       {"pashto", "ps"},      {"persian", "fa"},
    {"polish", "pl"},        {"portuguese", "pt"},    {"punjabi", "pa"},     {"pushto", "ps"},
    {"romanian", "ro"},      {"russian", "ru"},       {"sanskrit", "sa"},    {"serbian", "sr"},
    {"shona", "sn"},         {"sindhi", "sd"},        {"sinhala", "si"},     {"sinhalese", "si"},
    {"slovak", "sk"},        {"slovenian", "sl"},     {"somali", "so"},      {"spanish", "es"},
    {"sundanese", "su"},     {"swahili", "sw"},       {"swedish", "sv"},     {"tagalog", "tl"},
    {"tajik", "tg"},         {"tamil", "ta"},         {"tatar", "tt"},       {"telugu", "te"},
    {"thai", "th"},          {"tibetan", "bo"},       {"turkish", "tr"},     {"turkmen", "tk"},
    {"ukrainian", "uk"},     {"urdu", "ur"},          {"uzbek", "uz"},       {"valencian", "ca"},
    {"vietnamese", "vi"},    {"welsh", "cy"},         {"yiddish", "yi"},     {"yoruba", "yo"},
};

}  // namespace

std::string language_code(std::string_view language) {
  const std::string name = lower_case(language);
  const auto found = std::ranges::lower_bound(kLanguages, name, {}, &Language::name);
  return found != std::end(kLanguages) && found->name == name ? std::string(found->code) : name;
}

std::set<std::string_view> language_codes() {
  std::set<std::string_view> codes;
  for (const Language& language : kLanguages) codes.insert(language.code);
  return codes;
}

}  // namespace portatune::generate
