# LMB_ARCHIVES: the archives that take the place of shared libraries in the program, LMB_NO_NETWORK: the source that goes with
# them, LMB_ARCHIVES_LINK: whether they link.  The program starts in a fraction of the time with them: Debian's shared HDF5 alone
# loads 30 further libraries (docs/theory/speed.md).  They are looked for next to the shared ones, so that versions agree.
set(LMB_ARCHIVES ${LIMBER_HDF5_LINK_LIBRARIES} ${LIMBER_FYAML_LINK_LIBRARIES} ${CHOLMOD_LIBRARY} ${KLU_LIBRARIES}
    ${LIMBER_LAPACK_LINK_LIBRARIES} ${ZLIB_LIBRARIES})
list(TRANSFORM LMB_ARCHIVES REPLACE "\\.so$" ".a")

# what they need in turn: the first file of each list that the compiler finds.  Debian has no archive of METIS.
foreach(names libsz.a libaec.a libcamd.a libccolamd.a libgomp.a "libgfortran.a libgfortran.so.5" libquadmath.a "libmetis.so libmetis.so.5")
    separate_arguments(names)
    foreach(name IN LISTS names)
        execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(IS_ABSOLUTE "${file}")
            list(APPEND LMB_ARCHIVES ${file})
            break()
        endif()
    endforeach()
endforeach()

# LMB_MODULE_ARCHIVES: those of liblimber alone, for the module of FMUs: nothing of CHOLMOD, which is GPL
set(LMB_MODULE_ARCHIVES ${LMB_ARCHIVES})
list(FILTER LMB_MODULE_ARCHIVES EXCLUDE REGEX "cholmod|metis|camd|ccolamd")
set(LMB_MODULE_LINK OFF)
string(REGEX MATCH "[^;]*\\.so[^;]*" shared "${LMB_MODULE_ARCHIVES}") # of gfortran, where its archive is missing
list(JOIN LMB_MODULE_ARCHIVES "," group)
set(LMB_MODULE_ARCHIVES "$<LINK_GROUP:RESCAN,${group}>" -static-libgcc m)
list(JOIN LMB_ARCHIVES "," group)
set(LMB_ARCHIVES "$<LINK_GROUP:RESCAN,${group}>" -static-libgcc ${CMAKE_DL_LIBS} m)

# the functions that reach furthest into each of them
set(functions H5Fcreate H5Dwrite cholmod_analyze cholmod_factorize klu_factor klu_refactor LAPACKE_dgeevx_work LAPACKE_dsygvd_work
    cblas_dgemm fy_document_build_from_string compress2)
set(source "")
foreach(function IN LISTS functions)
    string(APPEND source "char ${function}(void); ")
endforeach()
list(JOIN functions "() + " sum)
set(LMB_NO_NETWORK ${CMAKE_CURRENT_LIST_DIR}/no_network.c)
try_compile(LMB_ARCHIVES_LINK
    SOURCE_FROM_CONTENT archives.c "${source} int main(void) { return ${sum}(); }"
    SOURCES ${LMB_NO_NETWORK} LINK_LIBRARIES ${LMB_ARCHIVES} Threads::Threads)

# Debian's archives are made for programs. What they say to stdin, stdout and stderr of the C library directly goes through our own
# pointers in a module (src/fmi/streams.c).  OpenBLAS starts no threads in it.
set(LMB_MODULE_OPTIONS LINKER:--exclude-libs,ALL LINKER:--gc-sections LINKER:--strip-debug LINKER:-z,defs
    LINKER:--wrap=stdin,--wrap=stdout,--wrap=stderr,--wrap=openblas_num_threads_env
    LINKER:--version-script=${CMAKE_CURRENT_LIST_DIR}/limber_fmu.map)
set(LMB_MODULE_SOURCES ${CMAKE_CURRENT_LIST_DIR}/../src/fmi/streams.c ${LMB_NO_NETWORK})
list(REMOVE_ITEM functions cholmod_analyze cholmod_factorize)
set(source "")
foreach(function IN LISTS functions)
    string(APPEND source "char ${function}(void); ")
endforeach()
list(JOIN functions "() + " sum)
if(NOT shared)
    unset(LMB_MODULE_LINK)
    try_compile(LMB_MODULE_LINK
        SOURCE_FROM_CONTENT module.c "${source} int fmi2(void); int fmi2(void) { return ${sum}(); }"
        SOURCES ${LMB_MODULE_SOURCES} COMPILE_DEFINITIONS -fPIC
        LINK_OPTIONS -shared ${LMB_MODULE_OPTIONS} LINK_LIBRARIES ${LMB_MODULE_ARCHIVES} Threads::Threads)
endif()
