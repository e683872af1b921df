# What the libraries link: for their build, and for projects that link the static ones (limber-config.cmake).
# LIMBER_FIND is REQUIRED or QUIET.
find_package(Threads ${LIMBER_FIND})
find_package(ZLIB ${LIMBER_FIND})
find_package(KLU ${LIMBER_FIND})
find_package(CHOLMOD ${LIMBER_FIND})
find_package(PkgConfig ${LIMBER_FIND})
pkg_check_modules(LIMBER_HDF5 ${LIMBER_FIND} IMPORTED_TARGET hdf5-serial)
pkg_check_modules(LIMBER_FYAML ${LIMBER_FIND} IMPORTED_TARGET libfyaml)
pkg_check_modules(LIMBER_LAPACK ${LIMBER_FIND} IMPORTED_TARGET lapacke openblas)
