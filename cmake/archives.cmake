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
