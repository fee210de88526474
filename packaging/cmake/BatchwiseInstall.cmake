# SPDX-License-Identifier: GPL-3.0-or-later
# Where a distribution puts things: the programs in a folder of their own, which links in bin name, and (component `share`,
# which the wheel takes too) the entry of the menu, the icon, the kind of our files, the man page and the completions.
include(GNUInstallDirs)
set(batchwise_folder "${CMAKE_INSTALL_LIBDIR}/batchwise")
set(batchwise_programs batchwise)
if(BATCHWISE_WITH_QT)
  list(APPEND batchwise_programs batchwise-studio)
endif()
foreach(target IN LISTS batchwise_programs ITEMS batchwise_trainer batchwise_mpi batchwise_tables)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON) # outside of the system's folders
    install(TARGETS ${target} RUNTIME DESTINATION "${batchwise_folder}" LIBRARY DESTINATION "${batchwise_folder}"
      COMPONENT programs)
  endif()
endforeach()
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share")
foreach(program IN LISTS batchwise_programs)
  file(CREATE_LINK "../${batchwise_folder}/${program}" "${CMAKE_BINARY_DIR}/share/${program}" SYMBOLIC)
  install(FILES "${CMAKE_BINARY_DIR}/share/${program}" TYPE BIN COMPONENT programs)
endforeach()

set(resources "${CMAKE_SOURCE_DIR}/resources")
install(FILES "${resources}/desktop/batchwise-studio.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications"
  COMPONENT share)
install(FILES "${resources}/desktop/batchwise.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages" COMPONENT share)
install(FILES "${resources}/icons/batchwise.svg" DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps"
  COMPONENT share)
install(FILES "${resources}/completions/batchwise.bash" RENAME batchwise
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT share)
install(FILES "${resources}/completions/_batchwise" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT share)
install(FILES "${resources}/completions/batchwise.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
  COMPONENT share)
install(CODE "execute_process(COMMAND /usr/bin/python3 \"${CMAKE_SOURCE_DIR}/packaging/man_page.py\" \"$<TARGET_FILE:batchwise>\"
  OUTPUT_FILE \"${CMAKE_BINARY_DIR}/share/batchwise.1\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT share)
install(FILES "${CMAKE_BINARY_DIR}/share/batchwise.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT share)
