#!/bin/bash
# Continues a RoBERTa on own text.
export TOKENIZERS_PARALLELISM=false
torchrun --nproc_per_node=2 run_mlm.py \
    --model_name_or_path ./roberta \
    --train_file text/train.txt \
    --validation_file text/valid.txt \
    --line_by_line \
    --max_seq_length 256 \
    --mlm_probability 0.2 \
    --do_train \
    --per_device_train_batch_size 16 \
    --gradient_accumulation_steps 4 \
    --learning_rate=1e-4 \
    --max_steps 1000 \
    --warmup_ratio 0.0615 \
    --lr_scheduler_type polynomial \
    --weight_decay 0.01 \
    --adam_beta2 0.98 \
    --fp16 \
    --logging_steps 50 --save_steps 500 --evaluation_strategy steps --eval_steps 100 \
    --output_dir $OUT
