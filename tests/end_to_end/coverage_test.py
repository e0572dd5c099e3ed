# coverage_test.py: which blocks a job touches, seen by an engine that writes down every I/O.
# usage: coverage_test.py CHRONIO TALLY_PLUGIN
import os
import sys
from collections import Counter

import harness

TALLY = os.path.abspath(sys.argv.pop(2))
BS = 4096


class Coverage(harness.Case):
    def tally(self, *args):
        """[(ddir, offset, len)] of every I/O of one run, in the order of the engine's queue."""
        (self.folder / "t.txt").unlink(missing_ok=True)  # the engine adds to the file
        self.run_well("--name=t", f"--ioengine=external:{TALLY}", "--tally_file=t.txt", f"--bs={BS}", *args)
        lines = (self.folder / "t.txt").read_text().splitlines()
        return [(ddir, int(offset), int(length)) for ddir, offset, length in map(str.split, lines)]

    def test_random_reads_of_64_mib_touch_each_block_once(self):
        ios = self.tally("--rw=randread", "--size=64m", "--iodepth=16")
        self.assertEqual(len(ios), 16384)
        self.assertEqual({offset for _, offset, _ in ios}, set(range(0, 64 << 20, BS)))
        self.assertNotEqual([offset for _, offset, _ in ios], sorted(offset for _, offset, _ in ios))

    def test_sequential_writes_come_in_order(self):
        ios = self.tally("--rw=write", "--size=1m")
        self.assertEqual(ios, [("write", offset, BS) for offset in range(0, 1 << 20, BS)])

    def test_loops_make_whole_passes(self):
        ios = self.tally("--rw=randread", "--size=1m", "--loops=3")
        self.assertEqual(set(Counter(offset for _, offset, _ in ios).values()), {3})

    def test_files_of_different_sizes_are_written_whole(self):
        sizes = {"a": 64 << 10, "b": 1 << 20, "c": 256 << 10}
        for options in (["--rw=write"], ["--rw=randwrite", "--ioengine=io_uring", "--iodepth=8"]):
            with self.subTest(options):
                for name, size in sizes.items():
                    (self.folder / name).write_bytes(bytes(size))
                job = self.run_json("--name=t", "--filename=a:b:c", f"--bs={BS}", *options)["jobs"][0]
                self.assertEqual(job["write"]["io_bytes"], sum(sizes.values()))
                for name, size in sizes.items():
                    data = (self.folder / name).read_bytes()
                    empty = sum(data[at:at + BS] == bytes(BS) for at in range(0, size, BS))
                    self.assertEqual(empty, 0, f"blocks of {name} that were never written")

    def test_norandommap_draws_with_replacement(self):
        ios = self.tally("--rw=randread", "--size=4m", "--norandommap")
        self.assertEqual(len(ios), 1024)
        self.assertLess(len({offset for _, offset, _ in ios}), 1000)

    def test_offset_and_size_are_never_left(self):
        ios = self.tally("--rw=randrw", "--offset=1m", "--size=1m", "--loops=4")
        self.assertTrue(all((1 << 20) <= offset <= (2 << 20) - BS for _, offset, _ in ios))

    def test_mixes_touch_each_block_once_between_them(self):
        ios = self.tally("--rw=randrw", "--size=4m")
        self.assertEqual({offset for _, offset, _ in ios}, set(range(0, 4 << 20, BS)))
        self.assertEqual(len(ios), 1024)
        self.assertEqual({ddir for ddir, _, _ in ios}, {"read", "write"})

    def test_seeds_decide_the_order(self):
        orders = {}
        for seed in range(8):
            run = [self.tally("--rw=randread", "--size=256k", f"--randseed={seed}") for _ in range(2)]
            self.assertEqual(run[0], run[1])
            orders[seed] = tuple(run[0])
        self.assertEqual(len(set(orders.values())), 8)

    def test_a_sync_follows_every_so_many_writes(self):
        ios = self.tally("--rw=write", "--size=64k", "--fsync=4")
        kinds = [ddir for ddir, _, _ in ios]
        self.assertEqual(kinds, (["write"] * 4 + ["sync"]) * 4)

    def test_depths_are_those_of_a_queue_that_fills_and_comes_back_whole(self):
        # The engine holds all until it is asked for them: 16 I/Os go out one by one, then all 16 come back.
        job = self.run_json("--name=t", f"--ioengine=external:{TALLY}", "--tally_file=t.txt", "--rw=read", "--size=1m",
                            "--bs=4k", "--iodepth=16")["jobs"][0]
        depths = {"1": 6.25, "2": 12.5, "4": 25, "8": 50, "16": 6.25, "32": 0, ">=64": 0}
        self.assertEqual({key: round(share, 6) for key, share in job["iodepth_level"].items()}, depths)
        self.assertEqual(job["iodepth_submit"]["4"], 100)
        self.assertEqual(job["iodepth_complete"]["16"], 100)

    def test_a_queue_is_filled_again_once_it_is_down_to_its_low_mark(self):
        # 16 at first; then, as often as 4 and 4 have come back, the 8 that are missing.
        job = self.run_json("--name=t", f"--ioengine=external:{TALLY}", "--tally_file=t.txt", "--rw=read", "--size=1m",
                            "--bs=4k", "--iodepth=16", "--iodepth_low=8", "--iodepth_batch_complete_max=4")["jobs"][0]
        ios = {key: share * 256 / 100 for key, share in job["iodepth_level"].items()}
        expected = {"1": 1, "2": 2, "4": 4, "8": 8 + 30 * 7, "16": 1 + 30, "32": 0, ">=64": 0}
        self.assertEqual({key: round(count, 3) for key, count in ios.items()}, expected)

    def test_a_batch_has_as_many_ios_as_were_asked_for(self):
        for batch in (4, 8):
            job = self.run_json("--name=t", f"--ioengine=external:{TALLY}", "--tally_file=t.txt", "--rw=read",
                                "--size=1m", "--bs=4k", "--iodepth=16", f"--iodepth_batch={batch}")["jobs"][0]
            self.assertEqual(job["iodepth_submit"][str(batch)], 100)

    def test_fdatasync_and_fsync_each_have_a_count_of_their_own(self):
        ios = self.tally("--rw=write", "--size=64k", "--fsync=4", "--fdatasync=2")
        kinds = [ddir for ddir, _, _ in ios]
        self.assertEqual(kinds, ["write", "write", "datasync", "write", "write", "datasync", "sync"] * 4)

    def test_bins_of_each_latency_have_its_exact_mean(self):
        # Batches of 16 take longer to build than to come back, so none of the three is like another.
        for kinds, more in ((("slat_ns", "clat_ns", "lat_ns"), "--clat_percentiles=1"),
                            (("slat_ns", "lat_ns"), "--disable_clat=1")):
            read = self.run_json("--name=t", f"--ioengine=external:{TALLY}", "--tally_file=t.txt", "--rw=read",
                                 "--size=16m", "--bs=4k", "--iodepth=16", "--iodepth_batch=16", "--slat_percentiles=1",
                                 "--lat_percentiles=1", more, output_format="json+")["jobs"][0]["read"]
            for kind in kinds:
                with self.subTest(kind, more=more):
                    bins = {int(ns): count for ns, count in read[kind]["bins"].items()}
                    self.assertEqual(sum(bins.values()), 4096)
                    mean = sum(ns * count for ns, count in bins.items()) / 4096
                    self.assertAlmostEqual(mean, read[kind]["mean"], delta=0.01 * read[kind]["mean"] + 1)


if __name__ == "__main__":
    harness.main()
