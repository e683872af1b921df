# Other programs that limber-bench compares with, where they are installed: bench/peers/.
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
find_path(SIMBODY_INCLUDE_DIR Simbody.h PATH_SUFFIXES simbody)
set(SIMBODY_LIBRARIES)
foreach(part simbody math common)
    find_library(SIMBODY_${part}_LIBRARY SimTK${part})
    list(APPEND SIMBODY_LIBRARIES ${SIMBODY_${part}_LIBRARY})
    mark_as_advanced(SIMBODY_${part}_LIBRARY)
endforeach()
mark_as_advanced(MUJOCO_INCLUDE_DIR MUJOCO_LIBRARY SIMBODY_INCLUDE_DIR)

# NAME_INCLUDE_DIR, libraries
function(lmb_peer name source)
    if(NOT ${name}_INCLUDE_DIR OR NOT ARGN OR "${ARGN}" MATCHES NOTFOUND)
        message(STATUS "${name}: not found, limber-bench does not compare with it")
        return()
    endif()
    message(STATUS "${name}: found")
    target_sources(limber-bench PRIVATE ${CMAKE_SOURCE_DIR}/bench/peers/${source})
    target_include_directories(limber-bench SYSTEM PRIVATE ${${name}_INCLUDE_DIR})
    target_link_libraries(limber-bench PRIVATE ${ARGN})
    target_compile_definitions(limber-bench PRIVATE LMB_HAVE_${name})
endfunction()

lmb_peer(MUJOCO mujoco.c ${MUJOCO_LIBRARY})
include(CheckLanguage) # Simbody is a library of C++
check_language(CXX)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    lmb_peer(SIMBODY simbody.cpp ${SIMBODY_LIBRARIES})
    # Debian's library is built without NDEBUG, and its classes then have more members
    set_source_files_properties(bench/peers/simbody.cpp PROPERTIES COMPILE_OPTIONS "-UNDEBUG;-Wno-array-bounds")
endif()
