# SPDX-License-Identifier: GPL-3.0-or-later
# Qt, and the function that defines a target with it:
#   batchwise_ui_library(NAME SOURCES ... [PUBLIC ...] [PRIVATE ...])   as batchwise_library, with moc and without Qt's
#                                                                       lower-case macros
#   batchwise_qt_sources(TARGET)                                        the same settings for a program or a test
include_guard(GLOBAL)
find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Svg DBus Network Charts LinguistTools Test)

function(batchwise_qt_sources name)
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH
    QT_NO_NARROWING_CONVERSIONS_IN_CONNECT)
endfunction()

function(batchwise_ui_library name)
  batchwise_library(${name} ${ARGN})
  batchwise_qt_sources(${name})
endfunction()
