"""paddle.distributed.utils and cloud_utils; expectations compared with 1.8.5 and 2.6.2."""

from __future__ import annotations

import argparse
import json
import logging
import os
import time
from pathlib import Path

import pytest

from paddle.distributed import cloud_utils, clusters, utils

NODES = ["127.0.0.1", "127.0.0.2"]
ENDPOINTS = [["127.0.0.1:1", "127.0.0.1:2"], ["127.0.0.2:1", "127.0.0.2:2"]]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("PADDLE_", "FLAGS_START", "POD_IP", "TRAINER_PORTS", "DISTRIBUTED_", "CUDA_VISIBLE")
    for name in [n for n in os.environ if n.startswith(names)]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(clusters, "count_gpus", lambda: 0)


def test_a_cluster() -> None:
    cluster, pod = utils.get_cluster(NODES, "127.0.0.2", ENDPOINTS, [0, 1])
    again, _ = utils.get_cluster(NODES, "127.0.0.2", ENDPOINTS, [0, 1])
    assert cluster == again
    assert pod == again.pods[1] and pod != again.pods[0] and pod is cluster.pods[1]
    assert str(pod) == (
        "rank:1 id:None addr:127.0.0.2 port:None visible_gpu:[] trainers:"
        "['gpu:[0] endpoint:127.0.0.2:1 rank:2', 'gpu:[1] endpoint:127.0.0.2:2 rank:3']"
    )
    assert str(cluster).startswith('job_server:None pods:["rank:0 id:None addr:127.0.0.1 port:Non')
    assert str(cluster).endswith("job_stage_flag:None hdfs:None")
    assert (cluster.trainers_nranks(), cluster.pods_nranks()) == (4, 2)
    assert cluster.trainers_endpoints() == ENDPOINTS[0] + ENDPOINTS[1]
    with pytest.raises(AssertionError, match=r"127\.0\.0\.1:None not a valid endpoint"):
        cluster.pods_endpoints()
    cluster.pods[0].port, cluster.pods[1].port = 6070, 6071
    assert cluster.pods_endpoints() == ["127.0.0.1:6070", "127.0.0.2:6071"]
    assert cluster != again
    pod.id = "b"
    assert cluster.get_pod_by_id("b") is pod and cluster.get_pod_by_id("c") is None
    with pytest.raises(AssertionError, match="can't see any gpus"):
        pod.get_visible_gpus()
    pod.gpus = [0, 1]
    assert pod.get_visible_gpus() == "0,1"
    held = cluster.pods
    cluster.update_pods()
    assert cluster.pods == held and cluster.pods is not held
    assert pod.parse_response({}) is None


def test_clusters_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"'127.0.0.9' is not in the list"):
        utils.get_cluster(NODES, "127.0.0.9", ENDPOINTS, [0])
    with pytest.raises(AssertionError, match="greater equal than selected_gpus size"):
        utils.get_cluster(NODES, "127.0.0.1", ENDPOINTS, [0, 1, 2])
    _, pod = utils.get_cluster(NODES, "127.0.0.1", ENDPOINTS, None)
    assert [trainer.gpus for trainer in pod.trainers] == [[], []]


def test_small_things(monkeypatch: pytest.MonkeyPatch) -> None:
    hdfs = utils.Hdfs()
    assert not hdfs.is_valid()
    hdfs.hdfs_ugi, hdfs.hdfs_name, hdfs.hdfs_path = "u", "n", "p"
    assert hdfs.is_valid() and hdfs != utils.Hdfs()
    assert str(hdfs) == "hdfs_ugi:u hdfs_name:n hdfs_pathp"
    server = utils.JobServer()
    assert server == utils.JobServer() and str(server) == "None"
    server.endpoint = "a:1"
    assert server != utils.JobServer() and str(server) == "a:1"
    assert len(utils.find_free_ports(3)) == 3
    assert utils.get_gpus(None) == [] and utils.get_gpus("0,1") == ["0", "1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5")
    assert utils.get_gpus("5,4") == [1, 0]
    with pytest.raises(AssertionError, match=r"selected_gpus 0 in CUDA_VISIBLE_DEVICES\[4,5\]"):
        utils.get_gpus("0")
    found = utils.get_host_name_ip()
    assert found is None or len(found) == 2
    logger = utils.get_logger("INFO", "launch-test")
    assert utils.get_logger("INFO", "launch-test") is logger and len(logger.handlers) == 1
    assert logger.level == logging.INFO and not logger.propagate


def test_options_of_ones_own() -> None:
    parser = argparse.ArgumentParser()
    utils.add_arguments("mix", bool, True, "mix them.", parser)
    utils.add_arguments("rate", float, 0.5, "how fast.", parser)
    assert parser.parse_args([]) == argparse.Namespace(mix=True, rate=0.5)
    assert parser.parse_args(["--mix", "no", "--rate", "2"]).mix is False
    assert "mix them. Default: True." in parser.format_help()
    with pytest.raises(SystemExit):
        parser.parse_args(["--mix", "perhaps"])


def _args(**given: object) -> argparse.Namespace:
    usual = {"cluster_node_ips": ",".join(NODES), "node_ip": NODES[0], "started_port": None,
             "selected_gpus": "0,1", "use_paddlecloud": False}  # fmt: skip
    return argparse.Namespace(**{**usual, **given})


def test_the_cluster_of_a_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def ports(**given: object) -> list[int]:
        cluster, _ = cloud_utils.get_cluster_and_pod(_args(**given))
        return [int(e.rpartition(":")[2]) for e in cluster.trainers_endpoints()]

    assert ports() == [6070, 6071, 6070, 6071]
    assert ports(started_port=7000) == [7000, 7001, 7000, 7001]
    monkeypatch.setenv("FLAGS_START_PORT", "8000")
    assert ports() == [8000, 8001, 8000, 8001]
    assert len(set(ports(cluster_node_ips=NODES[0]))) == 2
    assert len(ports(selected_gpus=None, nproc_per_node=3)) == 6


def test_the_cluster_of_a_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    args = _args(use_paddlecloud=True)
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    with pytest.raises(AssertionError, match="PADDLE_TRAINERS should not be None"):
        cloud_utils.get_cluster_and_pod(args)
    monkeypatch.setenv("PADDLE_TRAINERS", ",".join(NODES))
    with pytest.raises(AssertionError, match="POD_IP should not be None"):
        cloud_utils.get_cluster_and_pod(args)
    monkeypatch.setenv("POD_IP", NODES[1])
    monkeypatch.setenv("PADDLE_TRAINER_ID", "0")
    with pytest.raises(ValueError, match="contradicts PADDLE_TRAINERS"):
        cloud_utils.get_cluster_and_pod(args)
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    cluster, pod = cloud_utils.get_cluster_and_pod(args)
    assert pod.rank == 1 and pod.addr == NODES[1]
    assert cluster.trainers_endpoints()[-1] == "127.0.0.2:6171"
    monkeypatch.setenv("PADDLE_PORT", "7000")
    monkeypatch.setenv("TRAINER_PORTS_NUM", "2")
    cluster, _ = cloud_utils.get_cloud_cluster(None, None, 6170, [0, 1])
    assert cluster.trainers_endpoints()[:2] == ["127.0.0.1:7000", "127.0.0.1:7001"]
    monkeypatch.setenv("DISTRIBUTED_TRAINER_ENDPOINTS", ",".join(ENDPOINTS[0] + ENDPOINTS[1]))
    cluster, _ = cloud_utils.get_cloud_cluster(None, None, 6170, [0, 1])
    assert cluster.trainers_endpoints() == ENDPOINTS[0] + ENDPOINTS[1]
    with pytest.raises(ValueError, match="expected 3 addresses for each of the 2 machines"):
        cloud_utils.get_cloud_cluster(None, None, 6170, [0, 1, 2])


SCRIPT = """
import json, os, sys, time
rank = os.environ["PADDLE_TRAINER_ID"]
print("rank", rank, sys.argv[1:], flush=True)
json.dump(dict(os.environ), open("env." + rank, "w"))
if rank == "1" and sys.argv[1] != "0":
    sys.exit(int(sys.argv[1]))
time.sleep(600 if sys.argv[1] != "0" else 0)
"""


def _watch(started: list, count: int) -> None:
    end = time.monotonic() + 60
    while utils.watch_local_trainers(started, count):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_processes_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("http_proxy", "http://nobody:1")
    Path("train.py").write_text(SCRIPT)
    args = _args(cluster_node_ips="127.0.0.1", selected_gpus=None, nproc_per_node=2)
    cluster, pod = cloud_utils.get_cluster_and_pod(args)
    started = utils.start_local_trainers(cluster, pod, "train.py", ["0"], log_dir="log")
    try:
        assert [(one.rank, one.local_rank) for one in started] == [(0, 0), (1, 1)]
        assert started[0].cmd[-3:] == ["-u", "train.py", "0"]
        _watch(started, 2)
    finally:
        utils.terminate_local_procs(started)
    assert capsys.readouterr().out == "rank 0 ['0']\n"
    env = json.loads(Path("env.1").read_text())
    assert env["PADDLE_TRAINER_ENDPOINTS"].split(",") == cluster.trainers_endpoints()
    assert env["PADDLE_CURRENT_ENDPOINT"] == pod.trainers[1].endpoint
    assert env["PADDLE_TRAINERS_NUM"] == "2" and "http_proxy" not in env
    assert "FLAGS_selected_gpus" not in env

    monkeypatch.setattr(utils.logger, "propagate", True)
    started = utils.start_local_trainers(cluster, pod, "train.py", ["3"], log_dir="log")
    with pytest.raises(SystemExit) as ended:
        _watch(started, 2)
    assert ended.value.code == 1
    assert "Out of all 2 trainers, the trainer process with rank=[1] was aborted" in caplog.text
    assert [one.proc.returncode for one in started] == [-15, 3]
    assert Path("log/workerlog.1").read_text() == "rank 1 ['0']\nrank 1 ['3']\n"
