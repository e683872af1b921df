# CHOLMOD of SuiteSparse (5.x has neither a pkg-config file nor a CMake package on Debian).
# Defines the target CHOLMOD::CHOLMOD, and CHOLMOD_PC_LIBS for a pkg-config file.
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)
set(CHOLMOD_PC_LIBS " -lcholmod")
mark_as_advanced(CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CHOLMOD REQUIRED_VARS CHOLMOD_LIBRARY CHOLMOD_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install libsuitesparse-dev (SuiteSparse with CHOLMOD)")

if(CHOLMOD_FOUND AND NOT TARGET CHOLMOD::CHOLMOD)
    add_library(CHOLMOD::CHOLMOD INTERFACE IMPORTED)
    target_include_directories(CHOLMOD::CHOLMOD INTERFACE ${CHOLMOD_INCLUDE_DIR})
    target_link_libraries(CHOLMOD::CHOLMOD INTERFACE ${CHOLMOD_LIBRARY})
endif()
