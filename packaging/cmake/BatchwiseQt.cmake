# SPDX-License-Identifier: GPL-3.0-or-later
# Qt, and the function that defines a target with it:
#   batchwise_ui_library(NAME SOURCES ... [PUBLIC ...] [PRIVATE ...])   as batchwise_library, with moc and without Qt's
#                                                                       lower-case macros
#   batchwise_qt_sources(TARGET)                                        the same settings for a program or a test
include_guard(GLOBAL)
find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Svg DBus Network Charts Test)

# QScintilla, which has no package file of its own: headers among those of Qt, built for its version 6.
find_path(QSCINTILLA_INCLUDE_DIR Qsci/qsciscintilla.h HINTS ${Qt6Core_INCLUDE_DIRS} REQUIRED)
find_library(QSCINTILLA_LIBRARY NAMES qscintilla2_qt6 REQUIRED)
add_library(QScintilla::QScintilla UNKNOWN IMPORTED GLOBAL)
set_target_properties(QScintilla::QScintilla PROPERTIES IMPORTED_LOCATION "${QSCINTILLA_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${QSCINTILLA_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES Qt6::Widgets)

function(batchwise_qt_sources name)
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH
    QT_NO_NARROWING_CONVERSIONS_IN_CONNECT)
endfunction()

function(batchwise_ui_library name)
  batchwise_library(${name} ${ARGN})
  batchwise_qt_sources(${name})
endfunction()
