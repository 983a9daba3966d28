"""Wide & Deep on the clicks of make_data.py: all modes, saving, going on, and predicting.

    python make_data.py
    python wide_deep.py --mode local
    python -m paddle.distributed.launch_ps --worker_num 2 --server_num 2 wide_deep.py --mode async
    python -m paddle.distributed.launch_ps --worker_num 2 --server_num 2 wide_deep.py --mode geo
    python -m paddle.distributed.launch_ps --worker_num 2 --server_num 1 wide_deep.py --mode async \
        --restart saved --epochs 1

Each worker trains on files of its own. The first one saves the servers' state and a model that the
predictor runs alone, and measures the AUC on a file that nobody trained on.
"""

import argparse
import os

import numpy as np
from make_data import auc
from network_conf import wide_and_deep

import paddle
import paddle.distributed.fleet as fleet

HEIGHT = 20001


def parsed():
    """What the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=["local", "sync", "async", "geo"], default="async")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--restart", default=None, help="a folder that an earlier run saved")
    parser.add_argument("--save", default="saved")
    parser.add_argument("--tested", type=int, default=1, help="the number of the file to test on")
    return parser.parse_args()


def dataset_of(files, inputs):
    """The records of files."""
    dataset = paddle.distributed.QueueDataset()
    dataset.init(
        batch_size=100, thread_num=1, use_var=inputs,
        pipe_command=f"python criteo_reader.py {HEIGHT}",
    )  # fmt: skip
    dataset.set_filelist(files)
    return dataset


def main():
    """Trains as one process of the job."""
    args = parsed()
    dense = paddle.static.data("dense_input", [None, 13])
    ids = [paddle.static.data(f"C{i}", [None, 1], "int64", lod_level=1) for i in range(1, 27)]
    label = paddle.static.data("label", [None, 1], "int64")
    inputs = [dense, *ids, label]
    loss, _, latest_auc, chance = wide_and_deep(dense / 40.0, ids, label, 8, HEIGHT)
    main, startup = paddle.static.default_main_program(), paddle.static.default_startup_program()
    test = main.clone(for_test=True)
    exe = paddle.static.Executor()
    optimizer = paddle.optimizer.SGD(args.rate)
    files = sorted(f"raw_data/{name}" for name in os.listdir("raw_data"))
    held_out = files.pop(args.tested)
    if args.mode == "local":
        optimizer.minimize(loss)
    else:
        fleet.init()
        strategy = fleet.DistributedStrategy()
        strategy.a_sync = args.mode != "sync"
        if args.mode == "geo":
            strategy.a_sync_configs = {"k_steps": 10}
        fleet.distributed_optimizer(optimizer, strategy).minimize(loss)
        if fleet.is_server():
            fleet.init_server(args.restart)
            fleet.run_server()
            return
        fleet.init_worker()
        files = fleet.util.get_file_shard(files)
    exe.run(startup)
    for epoch in range(args.epochs):
        exe.train_from_dataset(main, dataset_of(files, inputs), print_period=10**9)
        print(f"epoch {epoch} is over", flush=True)
    if args.mode == "local":
        print(f"AUC {tested(exe, test, held_out, inputs, chance):.4f}")
        return
    fleet.barrier_worker()
    if fleet.is_first_worker():
        names = [var.name for var in inputs[:-1]]
        fleet.save_persistables(exe, args.save)
        fleet.save_inference_model(exe, f"{args.save}/model", names, [chance])
        print(f"AUC {predicted(f'{args.save}/model', held_out, inputs):.4f}")
        exe.infer_from_dataset(
            fleet.utils.DistributedInfer(test, startup).get_dist_infer_program(),
            dataset_of([held_out], inputs), fetch_list=[latest_auc], fetch_info=["AUC over servers"],
            print_period=29,
        )  # fmt: skip
    fleet.barrier_worker()
    fleet.stop_worker()


def records(file):
    """The columns of a file: numbers, ids of each field, clicks."""
    from criteo_reader import CriteoReader

    reader = CriteoReader(HEIGHT)
    with open(file, encoding="ascii") as lines:
        found = [[values for _, values in next(reader.generate_sample(line)())] for line in lines]
    columns = list(zip(*found, strict=True))
    ids = [np.array(column, "int64") for column in columns[1:-1]]
    return np.array(columns[0], "float32"), ids, np.array(columns[-1]).reshape(-1)


def fed(file, inputs):
    """A whole file as what a Program is fed, and the clicks."""
    dense, ids, clicks = records(file)
    offsets = [list(range(len(clicks) + 1))]
    feed = {inputs[0].name: dense, inputs[-1].name: clicks.reshape(-1, 1)}
    for var, column in zip(inputs[1:-1], ids, strict=True):
        tensor = paddle.fluid.LoDTensor()
        tensor.set(column, paddle.CPUPlace())
        tensor.set_lod(offsets)
        feed[var.name] = tensor
    return feed, clicks


def tested(exe, program, file, inputs, chance):
    """The AUC on a file, in this process."""
    feed, clicks = fed(file, inputs)
    return auc(exe.run(program, feed=feed, fetch_list=[chance])[0].reshape(-1), clicks)


def predicted(folder, file, inputs):
    """The AUC on a file, by the predictor and without servers."""
    predictor = paddle.inference.create_predictor(paddle.inference.Config(folder))
    feed, clicks = fed(file, inputs)
    for name in predictor.get_input_names():
        handle, value = predictor.get_input_handle(name), feed[name]
        handle.copy_from_cpu(np.asarray(value))
        if hasattr(value, "lod") and value.lod():
            handle.set_lod(value.lod())
    predictor.run()
    output = predictor.get_output_handle(predictor.get_output_names()[0])
    return auc(output.copy_to_cpu().reshape(-1), clicks)


if __name__ == "__main__":
    main()
