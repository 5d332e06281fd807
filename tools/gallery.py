#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of docs/gallery.md, and the page itself, by `trammel view --png` (which needs Chromium).

    python3 tools/gallery.py [--tool build/trammel] [NAME...]      all pictures, or those of these names
"""

import argparse
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
IMAGES = "docs/images/gallery"


class Picture(NamedTuple):
    name: str
    title: str
    example: str  # folder of examples/
    options: str  # of `trammel view`
    look: str = ""  # words of the page's address
    at: str = ""


PICTURES = [
    Picture("pendulum", "A pendulum, 0.4 s after its release", "01_pendulum",
            "examples/01_pendulum/pendulum.yaml --simulate 2", "show=positions,velocity", "0.4"),
    Picture("crank_rocker", "A crank-rocker: the path of its coupler point, reactions, instant centres", "02_crank_rocker",
            "models/crank_rocker.yaml --input O2=0:360:2 --speed O2=60 --forces", "show=reaction,velocity,instant-centres", "320"),
    Picture("puma560", "PUMA 560", "03_robot_arm", "models/puma560.yaml", "show=mass"),
    Picture("quadruped", "A quadruped with a free base", "04_floating_quadruped", "models/quadruped.yaml", "show=frames"),
    Picture("space_robot", "A satellite with an arm", "07_space_robot", "models/space_robot.yaml", "theme=dark&show=mass"),
    Picture("gyroscope", "A gyroscope in its gimbals", "08_spinning_tops", "models/gyroscope.yaml --simulate 1", "", "0.5"),
    Picture("jansen", "Jansen's leg: eight positions of a turn", "11_linkages", "models/jansen_leg.yaml --sweep", "show=positions", "100"),
    Picture("watt", "Watt's six-bar linkage", "11_linkages", "models/watt_sixbar.yaml --sweep", "show=velocity", "60"),
    Picture("wishbone", "A double wishbone suspension", "11_linkages", "models/double_wishbone.yaml --sweep", "", "0"),
    Picture("five_link", "A five-link suspension", "11_linkages", "models/five_link_suspension.yaml --sweep"),
    Picture("stewart", "The Stewart platform", "16_closed_chains", "models/stewart.yaml --simulate 0.1", "theme=dark", "0"),
    Picture("hexapod", "A hexapod that stands", "16_closed_chains", "models/hexapod.yaml"),
    Picture("double_pendulum", "A double pendulum, and where it has been", "17_simulation",
            "models/double_pendulum.yaml --simulate 4", "show=positions", "2"),
    Picture("buoy", "A buoy in waves", "18_under_water", "models/buoy.yaml --simulate 12", "zoom=0.5&show=buoyancy,drag&hide=grid,trails,ticks", "6"),
    Picture("rov", "An underwater vehicle with an arm", "18_under_water", "models/rov_arm.yaml --simulate 4", "show=drag", "2"),
    Picture("trot", "A quadruped trots: forces at its feet", "19_on_the_ground",
            "models/quadruped_trot.yaml --simulate 1", "zoom=1.4&show=contact&hide=trails,ticks", "0.6"),
    Picture("humanoid", "A humanoid", "16_closed_chains", "models/humanoid.yaml"),
    Picture("aquarobot", "The Aquarobot on its floor", "20_walking_robot", "models/aquarobot_walking.yaml --simulate 0.5", "show=contact", "0.4"),
]


def command_of(picture, tool):
    look = "&".join(part for part in ("still", picture.look) if part)
    command = [tool, "view", *shlex.split(picture.options), "--png", f"{IMAGES}/{picture.name}.png", "--size", "800x520", "--look", look]
    return command + (["--at", picture.at] if picture.at else [])


def gallery_page():
    lines = ["# Gallery", "", "Every picture is a frame of the [viewer](command_line.md#view), made by `tools/gallery.py`: the command below each makes it again.", ""]
    for picture in PICTURES:
        lines += [f"## {picture.title}", "", f"![{picture.title}](images/gallery/{picture.name}.png)", "",
                  f"[{picture.example}](../examples/{picture.example}/README.md)", "", "    " + shlex.join(command_of(picture, "build/trammel")), ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="pictures to make; all without")
    parser.add_argument("--tool", default="build/trammel")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - {picture.name for picture in PICTURES}
    if unknown:
        sys.exit(f"gallery.py: no picture is called {', '.join(sorted(unknown))}; there are {', '.join(p.name for p in PICTURES)}")
    (ROOT / IMAGES).mkdir(parents=True, exist_ok=True)
    failed = []
    for picture in PICTURES:
        if arguments.names and picture.name not in arguments.names:
            continue
        done = subprocess.run(command_of(picture, arguments.tool), cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            failed.append(f"{picture.name}: {done.stderr.strip()}")
        print(picture.name, "ok" if done.returncode == 0 else "failed", flush=True)
    (ROOT / "docs" / "gallery.md").write_text(gallery_page(), encoding="utf-8")
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
