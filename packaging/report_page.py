#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes style and script of the report of a comparison as C++, with a policy that allows these alone.

    report_page.py FILE.css FILE.css FILE.js FILE.js OUTPUT.cpp
"""
import base64
import hashlib
import re
import sys
from pathlib import Path


def source(text):
    """What a page may run: as 'sha256-…' in its policy."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main():
    *files, output = map(Path, sys.argv[1:])
    texts = [re.sub(r"/[/*]# sourceMappingURL=.*", "", file.read_text(encoding="utf-8")) for file in files]
    style, script = "".join(texts[:2]), "".join(texts[2:])
    policy = f"default-src 'none'; script-src {source(script)}; style-src {source(style)}; base-uri 'none'; form-action 'none'"
    parts = {
        "kReportHead": '<meta charset="utf-8">\n<!-- Generator: Batchwise -->\n'
                       f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
                       f'<meta name="viewport" content="width=device-width">\n<style>{style}</style>\n',
        "kReportScript": f"<script>{script}</script>\n"}
    code = "#include <string_view>\nnamespace batchwise {\n"
    for name, text in parts.items():
        # No literal: compilers need not take one of more than 65,536 characters.
        code += f"constexpr char {name}Text[] = {{{','.join(str((byte + 128) % 256 - 128) for byte in text.encode())}}};\n"
        code += f"extern const std::string_view {name};\nconst std::string_view {name}({name}Text, sizeof {name}Text);\n"
    output.write_text(code + "}\n")


if __name__ == "__main__":
    main()
