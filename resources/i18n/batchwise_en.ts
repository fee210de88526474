<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>DeskCharts</name>
    <message numerus="yes">
        <source>smoothed over about %n global batch(es)</source>
        <translation>
            <numerusform>smoothed over about %n global batch</numerusform>
            <numerusform>smoothed over about %n global batches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left out</source>
        <translation>
            <numerusform>%n left out</numerusform>
            <numerusform>%n left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) without values of this axis left out</source>
        <translation>
            <numerusform>%n run without values of this axis left out</numerusform>
            <numerusform>%n runs without values of this axis left out</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PlanFacts</name>
    <message numerus="yes">
        <source>%1 global batch(es)</source>
        <translation>
            <numerusform>%1 global batch</numerusform>
            <numerusform>%1 global batches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s) of width %1, %2 parameters</source>
        <translation>
            <numerusform>%n layer of width %1, %2 parameters</numerusform>
            <numerusform>%n layers of width %1, %2 parameters</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PlanReview</name>
    <message numerus="yes">
        <source>%n file(s), %1</source>
        <translation>
            <numerusform>%n file, %1</numerusform>
            <numerusform>%n files, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PlotTexts</name>
    <message numerus="yes">
        <source>%n point(s) off scale</source>
        <translation>
            <numerusform>%n point off scale</numerusform>
            <numerusform>%n points off scale</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ResumeTexts</name>
    <message numerus="yes">
        <source>%n global batch(es) after the checkpoint are trained again. Their old values remain in the charts, dimmed.</source>
        <translation>
            <numerusform>%n global batch after the checkpoint is trained again. Its old values remain in the charts, dimmed.</numerusform>
            <numerusform>%n global batches after the checkpoint are trained again. Their old values remain in the charts, dimmed.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::BringRunsDialog</name>
    <message numerus="yes">
        <source>%n run(s) imported into %1</source>
        <translation>
            <numerusform>%n run imported into %1</numerusform>
            <numerusform>%n runs imported into %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n archive(s) not imported: canceled</source>
        <translation>
            <numerusform>%n archive not imported: canceled</numerusform>
            <numerusform>%n archives not imported: canceled</numerusform>
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
    <name>batchwise::ConfigForm</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n value(s), %1 runs</source>
        <translation>
            <numerusform>%n value, %1 runs</numerusform>
            <numerusform>%n values, %1 runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show %n more</source>
        <translation>
            <numerusform>Show %n more</numerusform>
            <numerusform>Show %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::DeskPage</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>compared with the group %1 (%n run(s))</source>
        <translation>
            <numerusform>compared with the group %1 (%n run)</numerusform>
            <numerusform>compared with the group %1 (%n runs)</numerusform>
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
    <message numerus="yes">
        <source>Ready to launch %n run(s): %1</source>
        <comment>%1: 3 values of Random seed, …</comment>
        <translation>
            <numerusform>Ready to launch %n run: %1</numerusform>
            <numerusform>Ready to launch %n runs: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) of %1, which advance together</source>
        <translation>
            <numerusform>%n value of %1, which advance together</numerusform>
            <numerusform>%n values of %1, which advance together</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::EffectsPane</name>
    <message numerus="yes">
        <source>Linear correlation with %1 over %n run(s), without the part of the other settings. An interval that contains 0 shows no effect.</source>
        <translation>
            <numerusform>Linear correlation with %1 over %n run, without the part of the other settings. An interval that contains 0 shows no effect.</numerusform>
            <numerusform>Linear correlation with %1 over %n runs, without the part of the other settings. An interval that contains 0 shows no effect.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::FirstRunDialog</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n epoch(s)</source>
        <translation>
            <numerusform>%n epoch</numerusform>
            <numerusform>%n epochs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::PreviewPane</name>
    <message numerus="yes">
        <source>All %n run(s)</source>
        <translation>
            <numerusform>All %n runs</numerusform>
            <numerusform>All %n runs</numerusform>
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
        <source>%n run(s) waiting, not started</source>
        <translation>
            <numerusform>%n run waiting, not started</numerusform>
            <numerusform>%n runs waiting, not started</numerusform>
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
    <message numerus="yes">
        <source>The queue is stopped, and %n other run(s) wait in it.</source>
        <translation>
            <numerusform>The queue is stopped, and %n other run wait in it.</numerusform>
            <numerusform>The queue is stopped, and %n other runs wait in it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n new run(s) are trained by the queue, after those that wait.</source>
        <translation>
            <numerusform>%n new run are trained by the queue, after those that wait.</numerusform>
            <numerusform>%n new runs are trained by the queue, after those that wait.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Open Edit, where %n run(s) can be reviewed and launched</source>
        <translation>
            <numerusform>Open Edit, where %n run can be reviewed and launched</numerusform>
            <numerusform>Open Edit, where %n runs can be reviewed and launched</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Train %n run(s) one after the other, by the queue</source>
        <translation>
            <numerusform>Train %n run one after the other, by the queue</numerusform>
            <numerusform>Train %n runs one after the other, by the queue</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::RunListCommands</name>
    <message numerus="yes">
        <source>Only %1 of %n run(s) are ticked, the most that the charts can show</source>
        <translation>
            <numerusform>Only %1 of %n run is ticked, the most that the charts can show</numerusform>
            <numerusform>Only %1 of %n runs are ticked, the most that the charts can show</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>archive %n run(s)</source>
        <translation>
            <numerusform>archive %n run</numerusform>
            <numerusform>archive %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) are archived</source>
        <translation>
            <numerusform>%n run is archived</numerusform>
            <numerusform>%n runs are archived</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>change tags of %n run(s)</source>
        <translation>
            <numerusform>change tags of %n run</numerusform>
            <numerusform>change tags of %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tags that all %n selected run(s) have, separated by commas</source>
        <translation>
            <numerusform>Tags that the selected run has, separated by commas</numerusform>
            <numerusform>Tags that all %n selected runs have, separated by commas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>restore %n run(s)</source>
        <translation>
            <numerusform>restore %n run</numerusform>
            <numerusform>restore %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) will be deleted: %1</source>
        <translation>
            <numerusform>%n run will be deleted: %1</numerusform>
            <numerusform>%n runs will be deleted: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This frees %1: %n checkpoint(s), besides metrics and notes. It cannot be undone.</source>
        <translation>
            <numerusform>This frees %1: %n checkpoint, besides metrics and notes. It cannot be undone.</numerusform>
            <numerusform>This frees %1: %n checkpoints, besides metrics and notes. It cannot be undone.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) are deleted, %1 freed</source>
        <translation>
            <numerusform>%n run is deleted, %1 freed</numerusform>
            <numerusform>%n runs are deleted, %1 freed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n ticked run(s) only the best checkpoint stays, and pinned ones.</source>
        <translation>
            <numerusform>Of %n ticked run only the best checkpoint stays, and pinned ones.</numerusform>
            <numerusform>Of %n ticked runs only the best checkpoint stays, and pinned ones.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This deletes %n checkpoint(s) and frees %1. It cannot be undone.</source>
        <translation>
            <numerusform>This deletes %n checkpoint and frees %1. It cannot be undone.</numerusform>
            <numerusform>This deletes %n checkpoints and frees %1. It cannot be undone.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n checkpoint(s) are deleted, %1 freed</source>
        <translation>
            <numerusform>%n checkpoint is deleted, %1 freed</numerusform>
            <numerusform>%n checkpoints are deleted, %1 freed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
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
        <source>Tick %n run(s) for charts and comparison</source>
        <translation>
            <numerusform>Tick %n run for charts and comparison</numerusform>
            <numerusform>Tick %n runs for charts and comparison</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Untick %n run(s)</source>
        <translation>
            <numerusform>Untick %n run</numerusform>
            <numerusform>Untick %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Compare %n run(s)</source>
        <translation>
            <numerusform>Compare %n run</numerusform>
            <numerusform>Compare %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tags of %n run(s)…</source>
        <translation>
            <numerusform>Tags of %n run…</numerusform>
            <numerusform>Tags of %n runs…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Archive %n run(s)</source>
        <translation>
            <numerusform>Archive %n run</numerusform>
            <numerusform>Archive %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Export %n run(s)…</source>
        <translation>
            <numerusform>Export %n run…</numerusform>
            <numerusform>Export %n runs…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) are selected, and this is for one: select it</source>
        <translation>
            <numerusform>%n run is selected, and this is for one: select it</numerusform>
            <numerusform>%n runs are selected, and this is for one: select it</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Restore %n run(s)</source>
        <translation>
            <numerusform>Restore %n run</numerusform>
            <numerusform>Restore %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n run(s) for good…</source>
        <translation>
            <numerusform>Delete %n run for good…</numerusform>
            <numerusform>Delete %n runs for good…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of the selected run(s) train: stop them first</source>
        <translation>
            <numerusform>%n of the selected runs trains: stop it first</numerusform>
            <numerusform>%n of the selected runs train: stop them first</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All %n run(s) are archived</source>
        <translation>
            <numerusform>The only run is archived</numerusform>
            <numerusform>All %n runs are archived</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::RunStatusBar</name>
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
    <message numerus="yes">
        <source>Queue: %n waiting, not started</source>
        <translation>
            <numerusform>Queue: %n waiting, not started</numerusform>
            <numerusform>Queue: %n waiting, not started</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::RunsTable</name>
    <message numerus="yes">
        <source>%1 – %n run(s)</source>
        <translation>
            <numerusform>%1 – %n run</numerusform>
            <numerusform>%1 – %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 – %n run(s), %2 counted</source>
        <translation>
            <numerusform>%1 – %n run, %2 counted</numerusform>
            <numerusform>%1 – %n runs, %2 counted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n diverged</source>
        <translation>
            <numerusform>%n diverged</numerusform>
            <numerusform>%n diverged</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::ShownRun</name>
    <message numerus="yes">
        <source>The charts show the %n ticked run(s).</source>
        <translation>
            <numerusform>The charts show the %n ticked run.</numerusform>
            <numerusform>The charts show the %n ticked runs.</numerusform>
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
    <name>batchwise::SweepWindow</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::ValuesPane</name>
    <message numerus="yes">
        <source>All %n row(s) copied as %1, including those that the parallel axes hide</source>
        <translation>
            <numerusform>%n row copied as %1, even if the parallel axes hide it</numerusform>
            <numerusform>All %n rows copied as %1, including those that the parallel axes hide</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n row(s) copied as %1</source>
        <translation>
            <numerusform>%n row copied as %1</numerusform>
            <numerusform>%n rows copied as %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n note(s)</source>
        <translation>
            <numerusform>%n note</numerusform>
            <numerusform>%n notes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Parallel axes show %1 of %n line(s)  ×</source>
        <comment>a filter that a click removes</comment>
        <translation>
            <numerusform>Parallel axes show %1 of %n line  ×</numerusform>
            <numerusform>Parallel axes show %1 of %n lines  ×</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::WarningList</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::YamlEditor</name>
    <message numerus="yes">
        <source>%n problem(s), F8 goes to the next. %1</source>
        <translation>
            <numerusform>%n problem, F8 goes to it. %1</numerusform>
            <numerusform>%n problems, F8 goes to the next. %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n found</source>
        <translation>
            <numerusform>%n found</numerusform>
            <numerusform>%n found</numerusform>
        </translation>
    </message>
</context>
</TS>
