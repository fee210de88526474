<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE TS>
<!-- What core says in the words of the command line, in the words of the window. Patterns as in batchwise_core_de.ts. -->
<TS version="2.1" language="en" sourcelanguage="en">
    <context>
        <name>core</name>
        <message>
            <source>%1: %2</source>
            <translation>{1}: {2}</translation>
        </message>
        <message>
            <source>'%1' exists, and no export like this one wrote it; name another folder, or replace it with 'batchwise export --force'</source>
            <translation>'%1' exists, and no export like this one wrote it; name another folder</translation>
        </message>
        <message>
            <source>%1 would rename the run; use --fork for a new run of that name</source>
            <translation>%1 would rename the run; a fork is a new run of that name</translation>
        </message>
        <message>
            <source>%1 would make it another run; use --fork</source>
            <translation>%1 would make it another run; it is possible as a fork</translation>
        </message>
        <message>
            <source>%1 was resolved at launch and is kept; use --stretch to resolve it anew, or --fork</source>
            <translation>%1 was resolved at launch and is kept; resolve the schedule anew, or fork</translation>
        </message>
        <message>
            <source>the learning rate keeps the course resolved at launch, and its last value behind the end of it; --stretch resolves it anew for the new length</source>
            <translation>the learning rate keeps the course resolved at launch, and its last value behind the end of it; resolving the schedule anew spreads it over the new length</translation>
        </message>
        <message>
            <source>checkpoint %1 holds numbers that are not finite; leave --checkpoint out for the newest good one</source>
            <translation>checkpoint %1 holds numbers that are not finite; choose the newest good one</translation>
        </message>
        <message>
            <source>checkpoint %1 was taken inside a global batch, which --stretch would cut into other parts; go on from one that was taken between two, or without --stretch</source>
            <translation>checkpoint %1 was taken inside a global batch, which a schedule resolved anew would cut into other parts; go on from one that was taken between two, or keep the schedule</translation>
        </message>
        <message>
            <source>--stretch goes on from checkpoint %1, the newest between two global batches, not from %2</source>
            <translation>with the schedule resolved anew, the run goes on from checkpoint %1, the newest between two global batches, not from %2</translation>
        </message>
        <message>
            <source>%1 is not the one that run %2 was trained with (data.train, tokenizer); give the same files, or use --fork for a new run</source>
            <translation>%1 is not the one that run %2 was trained with (data.train, tokenizer); give the same files, or fork a new run</translation>
        </message>
        <message>
            <source>checkpoint %1 does not say what %2 was resolved to; use another checkpoint, or --fork with a changed configuration</source>
            <translation>checkpoint %1 does not say what %2 was resolved to; use another checkpoint, or fork with a changed configuration</translation>
        </message>
        <message>
            <source>a second YAML document begins before this line; a configuration is one, without '---' in it (what was changed with --set follows the stored text of a run in this way: write it into the text)</source>
            <translation>a second YAML document begins before this line; a configuration is one, without '---' in it (what was changed at a resume follows the stored text of a run in this way: write it into the text)</translation>
        </message>
        <message>
            <source>packs need the lengths of the samples; give the data or --seqlens FILE</source>
            <translation>packs need the lengths of the samples; give the data</translation>
        </message>
        <message>
            <source>%1; it may have moved: name its new place with --set data.train=[...]</source>
            <translation>%1; it may have moved: name its new place under data.train</translation>
        </message>
        <message>
            <source>'%1' is gone, and no file with its content is near '%2' or '%3'; put it back, or name its new place with --set data.train=[...]</source>
            <translation>'%1' is gone, and no file with its content is near '%2' or '%3'; put it back, or name its new place under data.train</translation>
        </message>
        <message>
            <source>--gpus-per-node is %1 and --ranks-per-node %2; each rank has one GPU, so give the same number</source>
            <translation>each machine has %1 GPUs and %2 processes; each process has one GPU, so give the same number</translation>
        </message>
        <message>
            <source>this cluster has no default partition; name one with --partition: %1</source>
            <translation>this cluster has no default partition; name one: %1</translation>
        </message>
        <message>
            <source>devices is '%1', but the job asks for GPUs; take auto or cuda, or leave --gpus-per-node out</source>
            <translation>devices is '%1', but the job asks for GPUs; take auto or cuda, or ask for none</translation>
        </message>
        <message>
            <source>devices is '%1', but the job asks for no GPUs; give --gpus-per-node, or take cpu</source>
            <translation>devices is '%1', but the job asks for no GPUs; ask for some, or take cpu</translation>
        </message>
        <message>
            <source>run %1 was not submitted by `batchwise submit`; resume it where it was begun, or fork it</source>
            <translation>run %1 was not submitted to Slurm by Batchwise; resume it where it was begun, or fork it</translation>
        </message>
        <message>
            <source>--nodes is %1, but partition %2 has %3</source>
            <translation>the number of machines is %1, but partition %2 has %3</translation>
        </message>
        <message>
            <source>--nodes is %1; it takes %2 to 1000000</source>
            <translation>the number of machines is %1; it takes %2 to 1000000</translation>
        </message>
        <message>
            <source>--gpus-per-node is %1, but partition %2 has %3</source>
            <translation>the number of GPUs on each machine is %1, but partition %2 has %3</translation>
        </message>
        <message>
            <source>--gpus-per-node is %1; it takes %2 to 1000000</source>
            <translation>the number of GPUs on each machine is %1; it takes %2 to 1000000</translation>
        </message>
        <message>
            <source>--ranks-per-node is %1, but partition %2 has %3</source>
            <translation>the number of processes on each machine is %1, but partition %2 has %3</translation>
        </message>
        <message>
            <source>--ranks-per-node is %1; it takes %2 to 1000000</source>
            <translation>the number of processes on each machine is %1; it takes %2 to 1000000</translation>
        </message>
        <message>
            <source>--cores-per-rank is %1, but partition %2 has %3</source>
            <translation>the number of cores of each process is %1, but partition %2 has %3</translation>
        </message>
        <message>
            <source>--cores-per-rank is %1; it takes %2 to 1000000</source>
            <translation>the number of cores of each process is %1; it takes %2 to 1000000</translation>
        </message>
        <message>
            <source>--time is %1, but partition %2 has %3</source>
            <translation>the time limit of a job, in minutes, is %1, but partition %2 has %3</translation>
        </message>
        <message>
            <source>--ranks-per-node x --cores-per-rank is %1, but partition %2 has %3</source>
            <translation>the number of cores of all processes on a machine is %1, but partition %2 has %3</translation>
        </message>
    </context>
</TS>
