# One CMake target a room, linking only what the room may know (tests/tidy checks the includes as well).
#
#   weft_room(schedule SOURCES text.cpp ... LINKS base)      -> target weft_schedule
#   weft_test(unit schedule_text SOURCES ... LINKS schedule) -> test unit.schedule_text, label unit
#
# The targets tests_unit, tests_schedule, ... build all tests of a label and what those depend on; a test
# that starts another program says so by add_dependencies.
function(weft_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS;PRIVATE" ${ARGN})
  if(ROOM_SOURCES)
    add_library(weft_${name} STATIC ${ROOM_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(weft_${name} PRIVATE weft_flags ${ROOM_PRIVATE})
  else()
    add_library(weft_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(weft_${name} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  list(TRANSFORM ROOM_LINKS PREPEND weft_)
  target_link_libraries(weft_${name} ${scope} ${ROOM_LINKS})
endfunction()

function(weft_test label name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(TEST "" "TIMEOUT" "SOURCES;LINKS;ARGS" ${ARGN})
  set(target test_${label}_${name})
  add_executable(${target} ${TEST_SOURCES})
  list(TRANSFORM TEST_LINKS PREPEND weft_)
  target_link_libraries(${target} PRIVATE weft_flags ${TEST_LINKS} GTest::gmock GTest::gtest_main)
  # A test's own code is not what is measured, and compiles faster so.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(NOT TARGET tests_${label})
    add_custom_target(tests_${label})
  endif()
  add_dependencies(tests_${label} ${target})
  add_test(NAME ${label}.${name} COMMAND ${target} ${TEST_ARGS})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  # Skipped only when every case was, and nothing else was said: ctest lets a match hide a failure.
  # Single skipped cases of a test that ran are counted by scripts/test.
  set(all_skipped "\\[  PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\] [^\n]*\n)+$")
  # Tests talk to themselves: over the host's own loopback, whatever networks it is on.
  set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT ${TEST_TIMEOUT}
                       ENVIRONMENT WEFT_INTERFACE=lo
                       SKIP_REGULAR_EXPRESSION "${all_skipped}")
endfunction()
