# What `cmake --install` puts where. Included once, after all targets.
#
#   lib/libweft.so.0, libweft.so          the library; its soname is that of the major version
#   include/weft/                         the public headers, and those of adapters that are headers
#   lib/cmake/weft/, lib/pkgconfig/       find_package(weft) -> weft::weft, and pkg-config weft
#   bin/                                  the tool `weft` and the benchmarks
#
# Nothing in there names the prefix, the build tree or the source tree: the installed tree may be
# moved as a whole.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS weft EXPORT weft-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/weft ${PROJECT_SOURCE_DIR}/adapters/mpi/include/weft
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(tools weft_tool)
get_property(in_perf DIRECTORY ${PROJECT_SOURCE_DIR}/perf PROPERTY BUILDSYSTEM_TARGETS)
foreach(target ${in_perf})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    list(APPEND tools ${target})
  endif()
endforeach()
file(RELATIVE_PATH from_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(${tools} PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bin_to_lib}")
install(TARGETS ${tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(peer mpi mpich gloo bound pipe) # opened by the benchmarks when asked for, by the linker's path
  if(TARGET weft_perf_${peer})
    set_target_properties(weft_perf_${peer} PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS weft_perf_${peer} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/weft-config.cmake.in
                              ${PROJECT_BINARY_DIR}/package/weft-config.cmake
                              INSTALL_DESTINATION ${package_folder})
# Before 1.0 a new minor version may break what the last one promised.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/weft-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/weft-config.cmake
              ${PROJECT_BINARY_DIR}/package/weft-config-version.cmake
        DESTINATION ${package_folder})

file(RELATIVE_PATH from_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/weft.pc.in ${PROJECT_BINARY_DIR}/package/weft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
