# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""Runs what a page of the documentation tells its reader to run, and compares what it prints with what the page shows.

A page is walked from top to bottom, in a scratch folder that looks like the top of a source tree after `./dev build`
(links to models/, examples/, docs/ and the build folder), with HOME there too. Fenced blocks:

    ```console             lines "$ command" and what the command prints, standard error included, to the letter.
                           A line "..." stands for any lines; empty lines at the end do not count. A command
                           that ends with another code than 0 must be followed by "$ echo $?". Numbers of 12
                           digits or more need agree to 1e-12 only, and numbers below 1e-12 (round-off of zero) not at
                           all: the sine of one processor may differ from that of another in the last digit.
    ```sh                  commands that must succeed, the whole block as one script; what they print is not compared
    ```LANG file=NAME      is written to NAME
    ```cpp                 a whole program: compiled against the build tree and run; prints the next ```text block

Commands that would install packages, or run this test again, are not run: see NOT_RUN.

    python3 tests/docs/doc_runner.py PAGE...     puts what the commands print now into the pages: look at the difference
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("TRAMMEL_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("TRAMMEL_BINARY_DIR", SOURCE / "build"))
TOOL = Path(os.environ.get("TRAMMEL_TOOL", BUILD / "trammel"))

NOT_RUN = re.compile(r"^(\./dev \w+( --?\w+)*|git clone \S+( \S+)?|cd trammel)$")
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Block:
    def __init__(self, info, text, line):
        words = info.split()
        self.language = words[0] if words else ""
        self.file = next((w.removeprefix("file=") for w in words[1:] if w.startswith("file=")), None)
        self.text = text
        self.line = line


def blocks_of(page):
    blocks, fence, body = [], None, []
    for number, line in enumerate(Path(page).read_text(encoding="utf-8").splitlines(), 1):
        if fence is None and line.startswith("```"):
            fence, body = (line[3:].strip(), number), []
        elif fence is not None and line.rstrip() == "```":
            blocks.append(Block(fence[0], "\n".join(body) + "\n" if body else "", fence[1]))
            fence = None
        elif fence is not None:
            body.append(line)
    if fence is not None:
        raise ValueError(f"{page}:{fence[1]}: block without end")
    return blocks


def commands_of(console):
    """[(command, expected output)] of a console block; a command ending in a backslash goes on in the next line."""
    commands, continued = [], False
    for line in console.splitlines():
        if continued:
            commands[-1][0] += "\n" + line
        elif line.startswith("$ "):
            commands.append([line[2:], ""])
        elif commands:
            commands[-1][1] += line + "\n"
        else:
            raise ValueError(f"output before the first command: {line}")
        continued = line.endswith("\\") and (continued or line.startswith("$ "))
    return commands


def digits(number):
    return len(re.sub(r"[eE].*|\D", "", number).lstrip("0"))


def same_number(a, b):
    if a == b or max(abs(float(a)), abs(float(b))) < 1e-12:
        return True
    return max(digits(a), digits(b)) >= 12 and abs(float(a) - float(b)) <= 1e-12 * abs(float(a))


def same_line(expected, printed):
    if expected == printed:
        return True
    if NUMBER.sub("#", expected).split() != NUMBER.sub("#", printed).split():
        return False
    return all(same_number(a, b) for a, b in zip(NUMBER.findall(expected), NUMBER.findall(printed)))


def same_output(expected, printed):
    """Line by line; "..." stands for any lines."""
    if not expected:
        return not printed
    if expected[0].strip() == "...":
        return any(same_output(expected[1:], printed[k:]) for k in range(len(printed) + 1))
    return bool(printed) and same_line(expected[0], printed[0]) and same_output(expected[1:], printed[1:])


def cache_value(name):
    for line in (BUILD / "CMakeCache.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    return ""


class Page:
    """One page of documentation, run in a scratch folder of its own."""

    def __init__(self, test, path, update=False):
        self.test, self.path, self.update = test, Path(path), update
        self.folder = Path(tempfile.mkdtemp(prefix="trammel-docs-"))
        for name in ("models", "examples", "docs", "tests", "include", "README.md", "dev"):
            if (SOURCE / name).exists():
                (self.folder / name).symlink_to(SOURCE / name)
        (self.folder / "build").symlink_to(BUILD)
        # What a sanitizer asks of the library it asks of its users too.
        self.environment = dict(os.environ, HOME=str(self.folder), LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1",
                                CXX=cache_value("CMAKE_CXX_COMPILER"), CXXFLAGS=cache_value("CMAKE_CXX_FLAGS"))
        self.runs = 0

    def close(self):
        shutil.rmtree(self.folder)

    def fail(self, block, message):
        self.test.fail(f"{self.path.relative_to(SOURCE)}:{block.line}: {message}")

    def shell(self, script):
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              check=False)
        self.runs += 1
        return done.returncode, done.stdout

    def check_dev_knows(self, block, command):
        if command.startswith("./dev "):
            word = command.split()[1]
            listed = subprocess.run([str(SOURCE / "dev"), "help"], text=True, capture_output=True, check=True).stdout
            if not re.search(rf"^  {re.escape(word)}\b", listed, re.MULTILINE):
                self.fail(block, f"./dev help does not list '{word}'")

    def run_script(self, block):
        lines = []
        for line in block.text.splitlines():
            command = line.split("#")[0].strip()
            if NOT_RUN.match(command):
                self.check_dev_knows(block, command)
            else:
                lines.append(line)
        if any(line.split("#")[0].strip() for line in lines):
            code, printed = self.shell("set -eo pipefail\n" + "\n".join(lines))
            if code != 0:
                self.fail(block, f"ends with {code} and prints\n{printed}")

    def run_console(self, block):
        previous = 0
        commands = commands_of(block.text)
        for k, (command, expected) in enumerate(commands):
            if NOT_RUN.match(command):
                self.check_dev_knows(block, command)
                continue
            code, printed = self.shell(f"(exit {previous})\n{command}")
            printed = printed.rstrip() + "\n" if printed.strip() else ""
            if self.update and not same_output(expected.splitlines(), printed.splitlines()):
                commands[k][1] = printed
            elif not same_output(expected.splitlines(), printed.splitlines()):
                self.fail(block, f"$ {command}\n--- the page shows\n{expected}--- it prints\n{printed}---")
            told = k + 1 < len(commands) and commands[k + 1][0] == "echo $?"
            if code != 0 and not told:
                self.fail(block, f"$ {command}\nends with {code} and the page does not say so by $ echo $?")
            previous = code
        block.text = "".join(f"$ {command}\n{printed}" for command, printed in commands)

    def run_program(self, block, expected):
        source, program = self.folder / "program.cpp", self.folder / "program"
        source.write_text(block.text, encoding="utf-8")
        library = next((p for p in (BUILD / "libtrammel.a", BUILD / "libtrammel.so") if p.exists()), None)
        if library is None:
            self.fail(block, f"no library in {BUILD}")
        flags = "-std=c++20 -O1 -Wall -Wextra -Wshadow -Wpedantic -Werror"
        code, printed = self.shell(f'$CXX $CXXFLAGS {flags} -I "{SOURCE}/include" "{source}" "{library}" -L "{BUILD}/lib" -Wl,-rpath,"{BUILD}/lib" -ltrammel-kernels -lyaml-cpp -lfmt '
                                   f'-Wl,-rpath,"{BUILD}" -o "{program}" && "{program}"')
        if code != 0:
            self.fail(block, f"ends with {code} and prints\n{printed}")
        if expected is None:
            self.fail(block, "no ```text block after the program")
        if self.update and not same_output(expected.text.splitlines(), printed.splitlines()):
            expected.text = printed
        elif not same_output(expected.text.splitlines(), printed.splitlines()):
            self.fail(block, f"--- the page shows\n{expected.text}--- the program prints\n{printed}---")

    def run(self):
        blocks = blocks_of(self.path)
        for k, block in enumerate(blocks):
            if block.file is not None:
                target = self.folder / block.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.text, encoding="utf-8")
            elif block.language == "console":
                self.run_console(block)
            elif block.language == "sh":
                self.run_script(block)
            elif block.language == "cpp" and "int main(" in block.text:
                self.run_program(block, next((b for b in blocks[k + 1:] if b.language == "text"), None))
        if self.update:
            self.write(blocks)
        return self.runs

    def write(self, blocks):
        """The page with the texts that its blocks have now."""
        starts, lines, inside = {b.line: b for b in blocks}, [], False
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            if inside and line.rstrip() == "```":
                inside = False
            if not inside:
                lines.append(line)
            if number in starts:
                inside = True
                lines += starts[number].text.splitlines()
        text = "\n".join(lines) + "\n"
        if text != self.path.read_text(encoding="utf-8"):
            self.path.write_text(text, encoding="utf-8")


def run_page(test, path):
    page = Page(test, SOURCE / path)
    try:
        test.assertGreater(page.run(), 0, f"{path} has nothing to run")
    finally:
        page.close()


def update_pages(paths):
    for path in paths:
        page = Page(unittest.TestCase(), Path(path).resolve(), update=True)
        try:
            print(f"{path}: {page.run()} runs")
        finally:
            page.close()


if __name__ == "__main__":
    update_pages(sys.argv[1:])
