# Sequential MUMPS (Debian: libmumps-seq-dev), optional.
# Defines the target MUMPS::MUMPS, and MUMPS_PC_LIBS for a pkg-config file.
find_path(MUMPS_INCLUDE_DIR dmumps_c.h)
mark_as_advanced(MUMPS_INCLUDE_DIR)
set(mumps_libraries)
set(mumps_variables)
set(MUMPS_PC_LIBS "")
foreach(part dmumps mumps_common pord mpiseq)
    find_library(MUMPS_${part}_LIBRARY ${part}_seq)
    list(APPEND mumps_variables MUMPS_${part}_LIBRARY)
    list(APPEND mumps_libraries ${MUMPS_${part}_LIBRARY})
    string(APPEND MUMPS_PC_LIBS " -l${part}_seq")
    mark_as_advanced(MUMPS_${part}_LIBRARY)
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUMPS REQUIRED_VARS ${mumps_variables} MUMPS_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install libmumps-seq-dev")

if(MUMPS_FOUND AND NOT TARGET MUMPS::MUMPS)
    add_library(MUMPS::MUMPS INTERFACE IMPORTED)
    target_include_directories(MUMPS::MUMPS INTERFACE ${MUMPS_INCLUDE_DIR})
    target_link_libraries(MUMPS::MUMPS INTERFACE ${mumps_libraries})
endif()
