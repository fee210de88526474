<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE TS>
<!-- English is the language of the source; this file holds its plural forms only. -->
<TS version="2.1" language="en" sourcelanguage="en">
<context>
  <name>batchwise::ConfigForm</name>
  <message numerus="yes"><source>Show %n more</source>
    <translation><numerusform>Show %n more</numerusform><numerusform>Show %n more</numerusform></translation></message>
</context>
<context>
  <name>batchwise::EditPage</name>
  <message numerus="yes"><source>%n setting(s) to correct before the launch</source>
    <translation><numerusform>%n setting to correct before the launch</numerusform><numerusform>%n settings to correct before the launch</numerusform></translation></message>
</context>
<context>
  <name>ResumeOutlook</name>
  <message numerus="yes"><source>%n global batch(es) after the checkpoint are trained again. Their old rows are kept and drawn dimmed.</source>
    <translation><numerusform>%n global batch after the checkpoint is trained again. Its old row is kept and drawn dimmed.</numerusform><numerusform>%n global batches after the checkpoint are trained again. Their old rows are kept and drawn dimmed.</numerusform></translation></message>
</context>
<context>
  <name>batchwise::RunListPane</name>
  <message numerus="yes"><source>%n run(s)</source>
    <translation><numerusform>%n run</numerusform><numerusform>%n runs</numerusform></translation></message>
  <message numerus="yes"><source>%n run(s), %1 shown</source>
    <translation><numerusform>%n run, %1 shown</numerusform><numerusform>%n runs, %1 shown</numerusform></translation></message>
</context>
<context>
  <name>batchwise::YamlEditor</name>
  <message numerus="yes"><source>and %n more</source>
    <translation><numerusform>and %n more</numerusform><numerusform>and %n more</numerusform></translation></message>
</context>
</TS>
