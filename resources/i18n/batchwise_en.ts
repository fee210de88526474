<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>PlanFacts</name>
    <message numerus="yes">
        <source>%1 global batch(es)</source>
        <translation>
            <numerusform>%1 global batch</numerusform>
            <numerusform>%1 global batches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ResumeTexts</name>
    <message numerus="yes">
        <source>%n global batch(es) after the checkpoint are trained again. Their old rows are kept and drawn dimmed.</source>
        <translation>
            <numerusform>%n global batch after the checkpoint are trained again. Their old rows are kept and drawn dimmed.</numerusform>
            <numerusform>%n global batches after the checkpoint are trained again. Their old rows are kept and drawn dimmed.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::ComparePage</name>
    <message numerus="yes">
        <source>%n row(s) copied as %1</source>
        <translation>
            <numerusform>%n row copied as %1</numerusform>
            <numerusform>%n rows copied as %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All %n row(s) copied as %1, also those that the parallel axes hide</source>
        <translation>
            <numerusform>%n row copied as %1, also if the parallel axes hide it</numerusform>
            <numerusform>All %n rows copied as %1, also those that the parallel axes hide</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::ConfigForm</name>
    <message numerus="yes">
        <source>Show %n more</source>
        <translation>
            <numerusform>Show %n more</numerusform>
            <numerusform>Show %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::EditPage</name>
    <message numerus="yes">
        <source>%n setting(s) to correct before the launch</source>
        <translation>
            <numerusform>%n setting to correct before the launch</numerusform>
            <numerusform>%n settings to correct before the launch</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) of %1</source>
        <translation>
            <numerusform>%n value of %1</numerusform>
            <numerusform>%n values of %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Launch %n run(s)</source>
        <translation>
            <numerusform>Launch %n run</numerusform>
            <numerusform>Launch %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Differs from %1 in %n setting(s): %2</source>
        <translation>
            <numerusform>Differs from %1 in %n setting: %2</numerusform>
            <numerusform>Differs from %1 in %n settings: %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::PreviewPane</name>
    <message numerus="yes">
        <source>Shown is the first of %n run(s): %1</source>
        <translation>
            <numerusform>Shown is the run: %1</numerusform>
            <numerusform>Shown is the first of %n runs: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::QueuePane</name>
    <message numerus="yes">
        <source>%n run(s) waiting; each starts when no other one trains on this machine</source>
        <translation>
            <numerusform>%n run waiting; it starts when no other one trains on this machine</numerusform>
            <numerusform>%n runs waiting; each starts when no other one trains on this machine</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) waiting for the start of the queue</source>
        <translation>
            <numerusform>%n run waiting for the start of the queue</numerusform>
            <numerusform>%n runs waiting for the start of the queue</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::RunListModel</name>
    <message numerus="yes">
        <source>%1 global batch(es)</source>
        <translation>
            <numerusform>%1 global batch</numerusform>
            <numerusform>%1 global batches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::RunListPane</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s), %1 shown</source>
        <translation>
            <numerusform>%n run, %1 shown</numerusform>
            <numerusform>%n runs, %1 shown</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s), %1 shown, %2 chosen</source>
        <translation>
            <numerusform>%n run, %1 shown, %2 chosen</numerusform>
            <numerusform>%n runs, %1 shown, %2 chosen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::SlurmWindow</name>
    <message numerus="yes">
        <source>Partition %1: %n machine(s), time limit %2</source>
        <translation>
            <numerusform>Partition %1: %n machine, time limit %2</numerusform>
            <numerusform>Partition %1: %n machines, time limit %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::WindowDocks</name>
    <message numerus="yes">
        <source>Queue: %n waiting</source>
        <translation>
            <numerusform>Queue: %n waiting</numerusform>
            <numerusform>Queue: %n waiting</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Alerts: %n new</source>
        <translation>
            <numerusform>Alerts: %n new</numerusform>
            <numerusform>Alerts: %n new</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::YamlEditor</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::ChartExport</name>
    <message numerus="yes">
        <source>%n row(s) of the shown part</source>
        <translation>
            <numerusform>%n row of the shown part</numerusform>
            <numerusform>%n rows of the shown part</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::RunCommands</name>
    <message numerus="yes">
        <source>%n run(s) added to the queue</source>
        <translation>
            <numerusform>%n run added to the queue</numerusform>
            <numerusform>%n runs added to the queue</numerusform>
        </translation>
    </message>
</context>
</TS>
