# The target `docs`: docs/api/index.html from the comments of the public headers.
find_program(DOXYGEN doxygen)
set(WEFT_DOCS_FOLDER ${PROJECT_SOURCE_DIR}/docs/api)
configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)
if(DOXYGEN)
  add_custom_target(docs COMMAND ${CMAKE_COMMAND} -E make_directory ${WEFT_DOCS_FOLDER}
                         COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/docs/Doxyfile
                         COMMENT "docs/api/index.html")
else()
  add_custom_target(docs COMMAND ${CMAKE_COMMAND} -E false
                         COMMENT "There is no doxygen here; scripts/install-deps --tests has it")
endif()
