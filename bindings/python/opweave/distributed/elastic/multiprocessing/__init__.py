"""Names of torch.distributed.elastic.multiprocessing that programs use."""
