#!/usr/bin/env python3
# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes point one way: a folder includes only folders before it in LAYERS.

usage: check_layers.py [ROOT]

  src/<layer>/**               belongs to <layer>; may include its own and earlier layers
  include/trammel/<layer>.hpp  and include/trammel/<layer>/** likewise; PUBLIC_HEADERS names the layer of the others.
                               Public headers include the standard library and public headers, nothing else
  apps/**                      may include public headers, and its own files
Also reported: includes of our files that do not exist, and cycles. Prints file:line: message; exit code 1 if any.
"""

import re
import sys
from pathlib import Path

LAYERS = ["core", "spatial", "joints", "constraints", "model", "readers", "mechanism", "kernels", "kinematics", "loops", "forces", "contact", "dynamics", "fluid", "loop_dynamics",
          "analysis", "impact", "results", "simulation", "study", "scene", "kernel_library"]

# Public headers whose name is not that of a layer. UMBRELLA includes everything and is for users only.
UMBRELLA = "trammel.hpp"
PUBLIC_HEADERS = {
    "version.hpp": "core",
    "diagnostics.hpp": "core",
    "scalar.hpp": "core",
    "dual.hpp": "core",
    "counted.hpp": "core",
    "units.hpp": "core",
    "transform.hpp": "spatial",
    "inertia.hpp": "spatial",
    "state.hpp": "mechanism",
    "workspace.hpp": "mechanism",
    "tree_link.hpp": "mechanism",
    "loads.hpp": "spatial",
    "batch.hpp": "dynamics",
    "loop_batch.hpp": "loop_dynamics",
    "derivatives.hpp": "dynamics",
    "rollout.hpp": "simulation",
    "step_derivatives.hpp": "simulation",
    "mobility.hpp": "dynamics",
    "impact_scenario.hpp": "readers",
    "floating.hpp": "impact",
    "friction_impact.hpp": "impact",
    "lilly_orin.hpp": "dynamics",
    "linkage.hpp": "model",
    "profile.hpp": "model",
    "actuation.hpp": "model",
    "contacts.hpp": "model",
    "hydrodynamics.hpp": "model",
    "shape.hpp": "model",
    "fluid_forces.hpp": "fluid",
    "recording.hpp": "results",
    "tripod_gait.hpp": "simulation",
    "measures.hpp": "analysis",
    "dragging.hpp": "analysis",
    "modes.hpp": "analysis",
    "closed_form.hpp": "loops",
    "chace.hpp": "loops",
    "applied_forces.hpp": "dynamics",
    "analysis_channels.hpp": "results",
    "drawing.hpp": "results",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r"^(experimental/)?[a-z_0-9]+$")  # <vector>, <experimental/simd>; C headers as <cmath>
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class Include:
    def __init__(self, file, line, name, angled):
        self.file, self.line, self.name, self.angled = file, line, name, angled


def includes_of(path, file):
    """All #include lines of a file; block comments are blanked, keeping the line numbers."""
    text = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), path.read_text(encoding="utf-8", errors="replace"))
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield Include(file, number, match.group(2), match.group(1) == "<")


def public_layer(name):
    """The layer of include/trammel/<name>, UMBRELLA for that one, None if unknown."""
    first = name.split("/")[0]
    if name == UMBRELLA:
        return UMBRELLA
    if first.removesuffix(".hpp") in LAYERS:
        return first.removesuffix(".hpp")
    return PUBLIC_HEADERS.get(name)


def layer_of(file):
    """(area, layer) of a path such as 'src/core/x.cpp'; the layer is None if unknown or without meaning there."""
    parts = file.split("/")
    if file.startswith("include/trammel/"):
        return "public", public_layer(file.removeprefix("include/trammel/"))
    if parts[0] == "src":
        return "src", parts[1] if len(parts) > 2 and parts[1] in LAYERS else None
    return parts[0], None


def resolve(include, files):
    """The file of ours that is included; None for other people's; False if it should be ours but does not exist."""
    if include.name.startswith("trammel/"):
        file = "include/" + include.name
        return file if file in files else False
    if include.angled:
        return None
    beside = (Path(include.file).parent / include.name).as_posix()
    for candidate in (normal(beside), "src/" + include.name, "apps/trammel/" + include.name):
        if candidate in files:
            return candidate
    return False


def normal(path):
    parts = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def judge(include, target):
    """What is wrong with this include, or None."""
    area, layer = layer_of(include.file)
    if target is False:
        return f"includes '{include.name}', which does not exist"
    if target is None:
        if area == "public" and not STANDARD.match(include.name):
            return f"public header includes <{include.name}>: only the standard library and trammel are allowed here"
        return None
    target_area, target_layer = layer_of(target)
    if area == "public" and target_area != "public":
        return f"public header includes '{include.name}', which is private"
    if area == "apps":
        if target_area == "src":
            return f"the tool includes '{include.name}', which is private; use the public headers <trammel/...>"
        return None
    if target_area == "apps":
        return f"the library includes '{include.name}' of the tool"
    if layer == UMBRELLA:
        return None
    if target_layer == UMBRELLA:
        return f"includes <trammel/{UMBRELLA}>, which is for users; include the header that is needed"
    if layer and target_layer and LAYERS.index(target_layer) > LAYERS.index(layer):
        return f"layer '{layer}' includes '{include.name}' of the later layer '{target_layer}'"
    return None


def cycles(edges):
    """edges: {file: [(target, line)]}. Yields (file, line, [file, ..., file]) for each include that closes a cycle."""
    state = {}  # 1 on the path, 2 done
    for root in sorted(edges):
        if root in state:
            continue
        state[root] = 1
        path, stack = [root], [iter(edges[root])]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                state[path.pop()] = 2
                stack.pop()
                continue
            target, line = step
            if state.get(target) == 1:
                yield path[-1], line, path[path.index(target):] + [target]
            elif target not in state:
                state[target] = 1
                path.append(target)
                stack.append(iter(edges.get(target, [])))


def check(root):
    """All complaints about the tree at root, as 'file:line: message', sorted by file and line."""
    root = Path(root)
    files = {path.relative_to(root).as_posix(): path
             for folder in ("include/trammel", "src", "apps")
             for path in (root / folder).rglob("*") if path.suffix in (".hpp", ".cpp")}
    complaints, edges = [], {}
    for file, path in files.items():
        area, layer = layer_of(file)
        if area == "public" and layer is None:
            complaints.append((file, 1, "unknown public header: add it to PUBLIC_HEADERS in tools/check_layers.py"))
        if area == "src" and layer is None:
            complaints.append((file, 1, f"not in a layer: move it to src/<layer>/, one of {', '.join(LAYERS)}"))
        edges[file] = []
        for include in includes_of(path, file):
            target = resolve(include, files)
            message = judge(include, target)
            if message:
                complaints.append((file, include.line, message))
            if target:
                edges[file].append((target, include.line))
    for file, line, path in cycles(edges):
        complaints.append((file, line, "include cycle: " + " -> ".join(path)))
    return [f"{file}:{line}: {message}" for file, line, message in sorted(complaints)]


def main(arguments):
    complaints = check(arguments[0] if arguments else ".")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
