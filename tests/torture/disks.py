"""Disks that are too small (tmpfs, which needs root): every job fails with a message or succeeds, and after the disk has
grown it is started again and must end as on a large one."""
import os
import subprocess

import jobs as J

SIZES = [4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 192, 224, 256, 288, 320]


def mount(where, kilobytes, again=False):
    option = f"{'remount,' if again else ''}size={kilobytes}k"
    return subprocess.run(["mount", "-t", "tmpfs", "-o", option, "tmpfs", str(where)], capture_output=True).returncode == 0


def try_size(bex, job, where, size, row):
    code, text = bex.run(job.start(), where)
    if code is None or code < 0 or code > 2:
        return row.bad("hang" if code is None else "crash", f"{job.name} on {size} kB: code {code}: {text}")
    if code and "No space left" not in text:
        return row.bad("wrong", f"{job.name} on {size} kB gives another reason: {text.strip()}")
    mount(where, 65536, again=True)
    why = job.end(bex, where)
    if why:
        return row.bad("lost", f"{job.name} on {size} kB cannot go on: {why}")
    why = job.differs(where, job.whole)
    if why:
        return row.bad("damaged", f"{job.name} on {size} kB: {why}")
    return row.refused() if code else row.good()


class Generation:
    """`data gen`: a file, or a message and nothing."""
    name = "data gen"

    def start(self):
        return "data gen maze2d-umaze --steps 600 --episode-length 30 --out x.hdf5".split()

    def end(self, bex, where):
        if (where / "x.hdf5").exists():
            return None
        code, text = bex.run(self.start(), where)
        return None if code == 0 else text

    def differs(self, where, whole):
        if (where / "x.hdf5").read_bytes() != (whole / "demos.hdf5").read_bytes():
            return "x.hdf5"
        return ", ".join(J.leftovers(where)) or None


def run(table, bex, home, jobs, share):
    where = J.fresh(home / "disk")
    if os.geteuid() != 0 or not mount(where, 64):
        table.skip("disks of many sizes", "needs root and mount")
        return
    subprocess.run(["umount", str(where)], check=True)
    sizes = SIZES[:: max(1, round(1 / share))]
    generation = Generation()
    generation.whole = home
    for job in [*jobs, generation]:
        row = table.row(f"disks of 4 to 320 kB, {job.name}")
        for size in sizes:
            mount(where, size)
            try:
                try_size(bex, job, where, size, row)
            finally:
                subprocess.run(["umount", str(where)], check=True)
