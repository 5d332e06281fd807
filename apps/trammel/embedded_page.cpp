// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The assembler copies the file into the object as it is: no compiler has to read a megabyte of text. CMake gives the path.

#include "embedded_page.hpp"

asm(R"(
  .section .rodata
  .global trammel_page_begin
  .global trammel_page_end
trammel_page_begin:
  .incbin ")" TRAMMEL_PAGE R"("
trammel_page_end:
  .byte 0
  .previous
)");

extern "C" {
extern const char trammel_page_begin[];  // NOLINT(readability-identifier-naming)
extern const char trammel_page_end[];    // NOLINT(readability-identifier-naming)
}

namespace trammel::tool {

std::string_view embedded_page() {
  return {trammel_page_begin, static_cast<std::size_t>(trammel_page_end - trammel_page_begin)};
}

}  // namespace trammel::tool
