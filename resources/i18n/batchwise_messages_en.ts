<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE TS>
<!-- Messages of core that name options of the command line, in the words of the window, by id. -->
<TS version="2.1" language="en" sourcelanguage="en">
    <context>
        <name>messages</name>
        <message>
            <source>batch.token_budget_needs_sample_lengths</source>
            <translation>batch.tokens.max_tokens: packs need the lengths of the samples; give the data</translation>
        </message>
        <message>
            <source>config.config_has_second_document</source>
            <translation>a second YAML document begins before this line; a configuration is a single document, without '---' in it (changes made at a resume follow the stored text of a run in this way: write them into the text)</translation>
        </message>
        <message>
            <source>config.deepspeed_size_not_multiple</source>
            <translation>train_batch_size {global} is not a multiple of {part}, micro-batch or accumulation times devices; DeepSpeed refuses such a file. Correct one of the sizes, or give the number of devices</translation>
        </message>
        <message>
            <source>config.deepspeed_sizes_contradict</source>
            <translation>train_batch_size {global} is not {micro} x {passes} x {devices} = {product}, micro-batch x gradient_accumulation_steps x devices; DeepSpeed refuses such a file. Correct the size that is not meant, or the number of devices</translation>
        </message>
        <message>
            <source>config.import_device_count_missing</source>
            <translation>counts samples per device, and the file does not say how many devices; give their number under Devices</translation>
        </message>
        <message>
            <source>config.import_devices_of_launcher</source>
            <translation>the number of devices that sizes per device are multiplied by, unless another is given under Devices</translation>
        </message>
        <message>
            <source>config.import_devices_unknown</source>
            <translation>{counted}; give the number under Devices if there were more</translation>
        </message>
        <message>
            <source>config.import_format_not_recognized</source>
            <translation>no name in it belongs to Composer, torchtune, DeepSpeed, transformers or XLM; if it is a file of one of them, choose it under Trainer</translation>
        </message>
        <message>
            <source>config.import_most_names_unknown</source>
            <translation>only {known} of its {given} settings are known of {format}; if it is a file of another trainer, choose it under Trainer; tick Import partly to import the known ones</translation>
        </message>
        <message>
            <source>config.import_rampup_needs_devices</source>
            <translation>the ramp starts from a size per device, and the file does not say how many devices; give their number under Devices</translation>
        </message>
        <message>
            <source>config.import_weights_not_read</source>
            <translation>checkpoints of other trainers are not read; name a folder with config.json and model.safetensors in model.init_from, or fork an own run</translation>
        </message>
        <message>
            <source>config.import_would_differ</source>
            <translation>would train another model; no equivalent:{list}
Tick Import partly to import the rest.</translation>
        </message>
        <message>
            <source>data.data_file_gone</source>
            <translation>'{path}' is missing, and no file with its content was found near '{folder}' or '{base}'; put it back, or name its new place under data.train</translation>
        </message>
        <message>
            <source>events.duration_reached</source>
            <translation>reached its planned length</translation>
        </message>
        <message>
            <source>exchange.export_target_exists</source>
            <translation>'{path}' exists and was not written by such an export; name another folder</translation>
        </message>
        <message>
            <source>exchange.file_not_run_archive</source>
            <translation>'{path}' is not an archive of a run; choose a file that was exported as an archive</translation>
        </message>
        <message>
            <source>run.checkpoint_resolution_missing</source>
            <translation>checkpoint {checkpoint} does not say what {field} was resolved to; use another checkpoint, or fork with a changed configuration</translation>
        </message>
        <message>
            <source>run.cluster_has_no_default_partition</source>
            <translation>this cluster has no default partition; name one: {known}</translation>
        </message>
        <message>
            <source>run.config_change_needs_fork</source>
            <translation>{change} would make it another run; it is possible as a fork</translation>
        </message>
        <message>
            <source>run.devices_need_gpu_job</source>
            <translation>devices is '{devices}', but the job requests no GPUs; request some, or use cpu</translation>
        </message>
        <message>
            <source>run.devices_unsuitable_for_gpu_job</source>
            <translation>devices is '{devices}', but the job requests GPUs; use auto or cuda, or request none</translation>
        </message>
        <message>
            <source>run.gpus_per_node_mismatch_ranks</source>
            <translation>each machine has {gpus} GPUs and {ranks} processes; each process has one GPU, so give the same number</translation>
        </message>
        <message>
            <source>run.learning_rate_course_kept</source>
            <translation>the learning rate keeps the schedule resolved at launch and holds its last value after the end of it; resolving the schedule anew spreads it over the new length</translation>
        </message>
        <message>
            <source>run.option_chain</source>
            <translation>the number of jobs in a row</translation>
        </message>
        <message>
            <source>run.option_cores_per_rank</source>
            <translation>the number of cores of each process</translation>
        </message>
        <message>
            <source>run.option_gpus_per_node</source>
            <translation>the number of GPUs on each machine</translation>
        </message>
        <message>
            <source>run.option_nodes</source>
            <translation>the number of machines</translation>
        </message>
        <message>
            <source>run.option_ranks_per_node</source>
            <translation>the number of processes on each machine</translation>
        </message>
        <message>
            <source>run.option_ranks_times_cores</source>
            <translation>the number of cores of all processes on a machine</translation>
        </message>
        <message>
            <source>run.option_time</source>
            <translation>the time limit of a job, in minutes</translation>
        </message>
        <message>
            <source>run.partition_is_down</source>
            <translation>partition {name} does not run jobs now (it is not up); choose another, or submit later</translation>
        </message>
        <message>
            <source>run.resolved_change_needs_stretch</source>
            <translation>{change} was resolved at launch and is kept; resolve the schedule anew, or fork</translation>
        </message>
        <message>
            <source>run.resume_checkpoint_not_finite</source>
            <translation>checkpoint {checkpoint} holds numbers that are not finite; choose the newest good one</translation>
        </message>
        <message>
            <source>run.run_input_must_match</source>
            <translation>{subject} is not the one that run {run} was trained with (data.train, tokenizer); give the same files, or fork a new run</translation>
        </message>
        <message>
            <source>run.run_not_submitted_to_slurm</source>
            <translation>run {run} was not submitted to Slurm by Batchwise; resume it where it was started, or fork it</translation>
        </message>
        <message>
            <source>run.run_rename_needs_fork</source>
            <translation>{change} would rename the run; a fork is a new run of that name</translation>
        </message>
        <message>
            <source>run.stretch_needs_batch_boundary</source>
            <translation>checkpoint {checkpoint} was taken inside a global batch, which a schedule resolved anew would split differently; resume from one that was taken between two, or keep the schedule</translation>
        </message>
        <message>
            <source>run.stretch_resumes_earlier_checkpoint</source>
            <translation>with the schedule resolved anew, the run resumes from checkpoint {checkpoint}, the newest between two global batches, not from {newest}</translation>
        </message>
        <message>
            <source>store.journal_records_lost</source>
            <translation>damaged at byte {byte}: {bytes:integer} bytes with {records:integer} records are lost</translation>
        </message>
    </context>
</TS>
