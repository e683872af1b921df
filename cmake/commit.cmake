# cmake -D SOURCE=... -D OUT=... -P commit.cmake: writes OUT, a C file with the commit of the sources, for `limber --version`.  The commit
# comes from git in a checkout, from commit.txt in a release.  Runs in every build; OUT changes only if the commit does.
cmake_minimum_required(VERSION 3.25)
set(commit "")
if(EXISTS ${SOURCE}/.git)
    execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty --exclude=*
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(commit STREQUAL "")
    file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt commit LIMIT_COUNT 1)
endif()
if(NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
    set(commit "") # neither git nor an archive
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT
    "extern const char *const cli_commit;\nconst char *const cli_commit = \"${commit}\";\n")
