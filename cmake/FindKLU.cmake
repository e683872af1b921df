# KLU of SuiteSparse (5.x has neither a pkg-config file nor a CMake package on Debian).
# Defines the target KLU::KLU, KLU_VERSION, and KLU_PC_LIBS for a pkg-config file.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(KLU_LIBRARIES)
set(KLU_PC_LIBS "")
set(klu_variables)
foreach(part klu amd colamd btf suitesparseconfig)
    find_library(KLU_${part}_LIBRARY ${part})
    list(APPEND klu_variables KLU_${part}_LIBRARY)
    list(APPEND KLU_LIBRARIES ${KLU_${part}_LIBRARY})
    string(APPEND KLU_PC_LIBS " -l${part}")
    mark_as_advanced(KLU_${part}_LIBRARY)
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR)

if(KLU_INCLUDE_DIR AND EXISTS ${KLU_INCLUDE_DIR}/SuiteSparse_config.h)
    file(STRINGS ${KLU_INCLUDE_DIR}/SuiteSparse_config.h klu_lines
        REGEX "#define SUITESPARSE_(MAIN|SUB|SUBSUB)_VERSION")
    string(REGEX MATCHALL "[0-9]+" klu_numbers "${klu_lines}")
    list(JOIN klu_numbers "." KLU_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS ${klu_variables} KLU_INCLUDE_DIR VERSION_VAR KLU_VERSION
    REASON_FAILURE_MESSAGE "install libsuitesparse-dev (SuiteSparse with KLU)")

if(KLU_FOUND AND NOT TARGET KLU::KLU)
    add_library(KLU::KLU INTERFACE IMPORTED)
    target_include_directories(KLU::KLU INTERFACE ${KLU_INCLUDE_DIR})
    target_link_libraries(KLU::KLU INTERFACE ${KLU_LIBRARIES})
endif()
