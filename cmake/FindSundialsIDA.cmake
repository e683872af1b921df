# SUNDIALS IDA with its KLU, sparse and dense linear solvers; optional.
# Defines the target SundialsIDA::SundialsIDA, SundialsIDA_VERSION and SundialsIDA_PC_LIBS.
find_path(SundialsIDA_INCLUDE_DIR ida/ida.h)
mark_as_advanced(SundialsIDA_INCLUDE_DIR)
set(ida_libraries)
set(ida_variables)
set(SundialsIDA_PC_LIBS "")
foreach(part ida nvecserial sunmatrixdense sunmatrixsparse sunlinsoldense sunlinsolklu)
    find_library(SundialsIDA_${part}_LIBRARY sundials_${part})
    list(APPEND ida_variables SundialsIDA_${part}_LIBRARY)
    list(APPEND ida_libraries ${SundialsIDA_${part}_LIBRARY})
    string(APPEND SundialsIDA_PC_LIBS " -lsundials_${part}")
    mark_as_advanced(SundialsIDA_${part}_LIBRARY)
endforeach()

if(SundialsIDA_INCLUDE_DIR AND EXISTS ${SundialsIDA_INCLUDE_DIR}/sundials/sundials_config.h)
    file(STRINGS ${SundialsIDA_INCLUDE_DIR}/sundials/sundials_config.h ida_line REGEX "define SUNDIALS_VERSION ")
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" SundialsIDA_VERSION "${ida_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SundialsIDA REQUIRED_VARS ${ida_variables} SundialsIDA_INCLUDE_DIR
    VERSION_VAR SundialsIDA_VERSION)

if(SundialsIDA_FOUND AND NOT TARGET SundialsIDA::SundialsIDA)
    add_library(SundialsIDA::SundialsIDA INTERFACE IMPORTED)
    target_include_directories(SundialsIDA::SundialsIDA INTERFACE ${SundialsIDA_INCLUDE_DIR})
    target_link_libraries(SundialsIDA::SundialsIDA INTERFACE ${ida_libraries})
endif()
