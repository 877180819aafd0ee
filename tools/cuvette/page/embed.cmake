# SPDX-License-Identifier: Apache-2.0
# Writes the page's sources as C++: cmake -DFOLDER=... -DSCRIPTS=a.js,b.js -DOUTPUT=... -P embed.cmake
cmake_minimum_required(VERSION 3.25)

# Adds a constant with a text, and one with its hash. Compilers limit the length of one literal, so there are several.
function(add_constant NAME TEXT)
  string(SHA256 hash "${TEXT}")
  set(literals "")
  string(LENGTH "${TEXT}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${TEXT}" ${at} 8000 part)
    string(APPEND literals "\n    R\"page(${part})page\"")
    math(EXPR at "${at} + 8000")
  endwhile()
  string(APPEND written "extern const std::string_view ${NAME}, ${NAME}_hash;\n"
    "const std::string_view ${NAME} =${literals};\nconst std::string_view ${NAME}_hash = \"${hash}\";\n")
  set(written "${written}" PARENT_SCOPE)
endfunction()

set(written "")
file(READ ${FOLDER}/page.html html)
file(READ ${FOLDER}/page.css style)
set(script "")
string(REPLACE "," ";" names "${SCRIPTS}")
foreach(name IN LISTS names)
  file(READ ${FOLDER}/script/${name} text)
  string(APPEND script "${text}")
endforeach()
add_constant(html "${html}")
add_constant(style "${style}")
add_constant(script "${script}")
file(WRITE ${OUTPUT} "// Made by tools/cuvette/page/embed.cmake.\n#include <string_view>\n
namespace cuvette::tools::page_sources {\n${written}}  // namespace cuvette::tools::page_sources\n")
