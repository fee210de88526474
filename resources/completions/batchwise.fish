# SPDX-License-Identifier: GPL-3.0-or-later
complete -c batchwise -a '(batchwise complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
