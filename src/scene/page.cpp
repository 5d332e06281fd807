// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The built page has a comment in which its data go. Base64 and the escaped JSON have no "<" that could end the element they stand in.

#include <trammel/scene.hpp>

#include "scene/bundle.hpp"

namespace trammel {
namespace {

constexpr std::string_view mark = "<!--TRAMMEL-DATA-->";
constexpr std::string_view scene_begin = R"(<script id="trammel-scene" type="application/octet-stream">)",
                           live_begin = R"(<script id="trammel-live" type="application/json">)", end = "</script>";

std::string with(std::string_view page, std::string_view begin, std::string_view data) {
  const std::size_t at = page.find(mark);
  if (at == std::string_view::npos) throw std::invalid_argument("the page has no place for data");
  std::string out;
  out.reserve(page.size() + begin.size() + data.size() + end.size());
  return out.append(page.substr(0, at)).append(begin).append(data).append(end).append(page.substr(at + mark.size()));
}

}  // namespace

std::string page_with(std::string_view page, std::string_view bundle) {
  return with(page, scene_begin, scene::base64(bundle));
}

std::size_t bytes_of_page_with(std::string_view page, std::size_t bundle_bytes) {
  return page.size() - mark.size() + scene_begin.size() + end.size() + (bundle_bytes + 2) / 3 * 4;
}
std::size_t bundle_bytes_of_page_with(std::string_view page, std::size_t bytes) {
  const std::size_t empty = bytes_of_page_with(page, 0);
  return bytes <= empty ? 0 : (bytes - empty) / 4 * 3;
}

std::string live_page(std::string_view page, std::string_view socket_path) {
  std::string text = scene::Json{{"path", socket_path}}.dump(), escaped;
  for (const char c : text) escaped += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return with(page, live_begin, escaped);
}

}  // namespace trammel
