# SPDX-FileCopyrightText: The trammel authors
# SPDX-License-Identifier: Apache-2.0
"""trammel convert, and the options on how files are read: files written whole or not at all, every loss told."""

import json
import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["TRAMMEL_TOOL"]
ROOT = Path(os.environ["TRAMMEL_SOURCE_DIR"])
MODELS = ROOT / "models"

ARM = """<robot name="arm">
  <link name="base_link"><inertial><mass value="4"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="arm">
    <inertial><origin xyz="0.5 0 0"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <visual><geometry><mesh filename="meshes/arm.stl"/></geometry></visual>
    <collision><geometry><mesh filename="package://shop/arm.stl"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1"/><parent link="base_link"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/>
  </joint>
</robot>
"""
PENDULUM = """trammel: 1
units: {length: mm, angle: deg}
bodies: {bob: {mass: 2, com: [500, 0, 0]}}
joints: {pin: {revolute: [ground, bob], at: [0, 0, 0], axis: y, limits: {lower: -90, upper: 90, velocity: 100, effort: 5}}}
"""


def run(*words, text=None, cwd=None, **more):
    return subprocess.run([TOOL, *map(str, words)], input=text, capture_output=True, text=True, timeout=60, cwd=cwd, check=False,
                          **more)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.arm = self.file("robots/arm.urdf", ARM)
        self.file("robots/meshes/arm.stl", "solid\n")
        self.file("packages/shop/arm.stl", "solid\n")
        self.pendulum = self.file("pendulum.yaml", PENDULUM)

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())

    def convert(self, *words, **more):
        done = run("convert", *words, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, id_, *words, **more):
        """What a refusal says; it leaves all files as they are and prints nothing."""
        before = {name: (self.folder / name).read_bytes() for name in self.files()}
        done = run("convert", *words, **more)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(f"[{id_}]", done.stderr)
        self.assertIn("fix: ", done.stderr)
        self.assertEqual({name: (self.folder / name).read_bytes() for name in self.files()}, before)
        return done

    def meshes(self, path):
        return [line.split('"')[1] for line in Path(path).read_text(encoding="utf-8").replace("file=", "\nfile=")
                .replace("filename=", "\nfilename=").splitlines() if line.startswith("file")]


class Formats(Case):
    def test_the_extension_tells_the_format(self):
        for name, head in (("a.yaml", "trammel: 1"), ("a.YML", "trammel: 1"), ("a.urdf", '<?xml version="1.0"?>\n<robot'),
                           ("a.xml", "<mujoco"), ("a.mjcf", "<mujoco")):
            with self.subTest(name):
                self.convert(self.arm, "-o", self.folder / name)
                self.assertTrue((self.folder / name).read_text(encoding="utf-8").startswith(head))
                self.assertEqual(run("check", self.folder / name).returncode, 0)

    def test_the_option_tells_the_format(self):
        self.convert(self.arm, "--to", "mjcf", "-o", self.folder / "a.txt")
        self.assertTrue((self.folder / "a.txt").read_text(encoding="utf-8").startswith("<mujoco"))
        self.convert(self.pendulum, "--to", "urdf", "-o", self.folder / "a.xml")
        self.assertEqual(json.loads(run("check", self.folder / "a.xml", "--json").stdout)["joints"]["pin"]["type"], "revolute")

    def test_standard_output_is_the_text_alone(self):
        for words in (["--to", "urdf"], ["--to", "urdf", "-o", "-"]):
            done = self.convert(self.pendulum, *words)
            self.convert(self.pendulum, "-o", self.folder / "a.urdf")
            self.assertEqual(done.stdout, (self.folder / "a.urdf").read_text(encoding="utf-8"))

    def test_without_a_format_it_asks_for_one(self):
        self.assertIn("it is not said which format", self.refused("output-format", self.arm).stderr)
        self.assertIn("no format is known by the extension '.stl'",
                      self.refused("output-format", self.arm, "-o", self.folder / "a.stl").stderr)
        self.assertIn("has no extension", self.refused("output-format", self.arm, "-o", self.folder / "a").stderr)

    def test_option_and_extension_must_agree(self):
        for option, name in (("mjcf", "a.urdf"), ("urdf", "a.yaml"), ("yaml", "a.xml"), ("urdf", "a.mjcf")):
            with self.subTest(name):
                done = self.refused("output-format", self.arm, "--to", option, "-o", self.folder / name)
                self.assertIn(f"--to {option} asks for", done.stderr)

    def test_an_unknown_format_is_bad_usage(self):
        done = run("convert", self.arm, "--to", "sdf")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_native_keeps_its_units_unless_asked_for_si(self):
        self.assertIn("com: [500, 0, 0]", self.convert(self.pendulum, "--to", "yaml").stdout)
        self.assertIn("com: [0.5, 0, 0]", self.convert(self.pendulum, "--to", "yaml", "--si").stdout)
        done = self.convert(self.pendulum, "--to", "urdf", "--si")
        self.assertIn("--si has no effect: URDF is always in SI", done.stderr)

    def test_every_shipped_model_is_converted_or_refused_with_reason(self):
        written = {"urdf": 0, "mjcf": 0, "yaml": 0}
        for model in sorted(MODELS.glob("*.yaml")):
            for form in written:
                done = run("convert", model, "--to", form)
                if done.returncode == 0:
                    written[form] += 1
                else:
                    self.assertRegex(done.stderr, r"error: .*\n  fix: .*\[\w+-")
                    self.assertEqual(done.stdout, "")
        self.assertEqual(written["yaml"], len(list(MODELS.glob("*.yaml"))))
        self.assertGreaterEqual(written["urdf"], 9)
        self.assertGreaterEqual(written["mjcf"], 12)


class StandardInput(Case):
    def test_a_model_of_every_format_is_read(self):
        for form in ("yaml", "urdf", "mjcf"):
            with self.subTest(form):
                text = self.convert(self.pendulum, "--to", form).stdout
                self.convert("-", "--from", form, "-o", self.folder / "a.yaml", text=text)
                self.assertIn("pin:", (self.folder / "a.yaml").read_text(encoding="utf-8"))
                for verb in (["check"], ["eval", "--compute", "mass"], ["bench", "--time", "0.001"]):
                    done = run(verb[0], "-", "--from", form, *verb[1:], text=text)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_format_must_be_said(self):
        done = self.refused("file-format", "-", "--to", "urdf", text=PENDULUM)
        self.assertIn("stdin: error: it is not said which format the model on standard input has", done.stderr)
        self.assertIn("give --from yaml, urdf, mjcf, kam or dm", done.stderr)

    def test_mistakes_in_it_have_their_places(self):
        bad = PENDULUM.replace("mass: 2", "mass: -2")
        self.assertIn("stdin:3:22: error: ", self.refused("mass-negative", "-", "--from", "yaml", "--to", "urdf", text=bad).stderr)
        self.refused("file-too-large", "-", "--from", "yaml", "--to", "urdf", text=PENDULUM + "#" * (5 << 20))

    def test_meshes_are_looked_for_from_the_current_folder(self):
        done = self.convert("-", "--from", "urdf", "-o", self.folder / "a.urdf", text=ARM, cwd=self.folder / "robots")
        self.assertNotIn("meshes/arm.stl", done.stderr)
        self.assertIn("robots/meshes/arm.stl", self.meshes(self.folder / "a.urdf"))

    def test_model_and_state_cannot_both_be_there(self):
        done = run("eval", "-", "--from", "yaml", "--state", "-", text=PENDULUM)
        self.assertEqual(done.returncode, 2)
        self.assertIn("model and state cannot both come from standard input", done.stderr)

    def test_the_option_goes_before_the_extension(self):
        other = self.file("arm.txt", ARM)
        self.refused("file-format", other, "--to", "yaml")
        self.assertIn("shoulder:", self.convert(other, "--from", "urdf", "--to", "yaml").stdout)


class Losses(Case):
    def test_each_loss_is_a_warning_on_standard_error(self):
        done = self.convert(MODELS / "puma560.yaml", "-o", self.folder / "puma.urdf")
        self.assertIn("warning: armature of joints is lost", done.stderr)
        self.assertRegex(done.stdout, r"^\S+puma.urdf: URDF, \d+ bodies, \d+ joints, \d+ warnings\n$")
        self.assertEqual(int(done.stdout.split()[-2]), done.stderr.count("warning: "))

    def test_what_would_be_another_mechanism_is_not_written(self):
        done = self.refused("urdf-loop", MODELS / "crank_rocker.yaml", "-o", self.folder / "a.urdf")
        self.assertEqual(done.stdout, "")
        self.refused("urdf-joint-type", MODELS / "heavy_top.yaml", "--to", "urdf")

    def test_a_file_with_mistakes_is_not_converted(self):
        bad = self.file("bad.yaml", PENDULUM.replace("mass: 2", "mass: -2"))
        self.refused("mass-negative", bad, "-o", self.folder / "a.urdf")
        self.refused("file-not-found", self.folder / "nowhere.yaml", "-o", self.folder / "a.urdf")

    def test_json_is_one_object(self):
        target = self.folder / "a.xml"
        report = json.loads(self.convert(self.arm, "-o", target, "--json").stdout)
        self.assertEqual((report["status"], report["name"], report["from"], report["to"], report["output"]),
                         ("ok", "arm", "urdf", "mjcf", str(target)))
        self.assertEqual((report["bodies"], report["joints"]), (2, 2))
        self.assertIn("mesh-not-found", [w["id"] for w in report["warnings"]])
        report = json.loads(self.convert(self.pendulum, "--to", "urdf", "--json").stdout)
        self.assertTrue(report["text"].startswith("<?xml"))
        self.assertNotIn("output", report)
        report = json.loads(self.refused("urdf-loop", MODELS / "crank_rocker.yaml", "--to", "urdf", "--json").stdout)
        self.assertEqual((report["status"], report["messages"][0]["id"]), ("error", "urdf-loop"))
        report = json.loads(self.refused("output-format", self.arm, "--json").stdout)
        self.assertEqual(report["messages"][0]["id"], "output-format")


class Files(Case):
    def test_nothing_but_the_file_is_left_behind(self):
        before = self.files()
        self.convert(self.arm, "-o", self.folder / "a.xml")
        self.assertEqual(self.files(), sorted([*before, "a.xml"]))

    def test_an_older_file_is_replaced_and_keeps_its_permissions(self):
        target = self.file("a.xml", "old")
        target.chmod(0o640)
        self.convert(self.arm, "-o", target)
        self.assertTrue(target.read_text(encoding="utf-8").startswith("<mujoco"))
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)

    def test_a_new_file_gets_the_usual_permissions(self):
        old = os.umask(0o027)
        self.addCleanup(os.umask, old)
        self.convert(self.arm, "-o", self.folder / "a.xml")
        self.assertEqual(stat.S_IMODE((self.folder / "a.xml").stat().st_mode), 0o640)

    def test_a_link_stays_a_link(self):
        target = self.file("real/a.xml", "old")
        (self.folder / "a.xml").symlink_to(target)
        self.convert(self.arm, "-o", self.folder / "a.xml")
        self.assertTrue((self.folder / "a.xml").is_symlink())
        self.assertTrue(target.read_text(encoding="utf-8").startswith("<mujoco"))

    def test_a_link_to_a_file_that_is_not_there_yet_is_written_through(self):
        (self.folder / "real").mkdir()
        (self.folder / "one.xml").symlink_to("real/two.xml")
        (self.folder / "real/two.xml").symlink_to("three.xml")
        self.convert(self.arm, "-o", self.folder / "one.xml")
        self.assertTrue((self.folder / "one.xml").is_symlink())
        self.assertTrue((self.folder / "real/two.xml").is_symlink())
        self.assertTrue((self.folder / "real/three.xml").read_text(encoding="utf-8").startswith("<mujoco"))

    def test_a_link_into_nowhere_is_named(self):
        (self.folder / "a.xml").symlink_to("nowhere/b.xml")
        done = self.refused("file-unwritable", self.arm, "-o", self.folder / "a.xml")
        self.assertIn(f"it is a link to {self.folder}/nowhere/b.xml: No such file or directory", done.stderr)
        self.assertTrue((self.folder / "a.xml").is_symlink())
        (self.folder / "round.xml").symlink_to("round.xml")
        done = self.refused("file-unwritable", self.arm, "-o", self.folder / "round.xml")
        self.assertIn("Too many levels of symbolic links", done.stderr)

    def test_the_file_behind_standard_output_is_not_replaced(self):
        log = self.file("log.txt", "before\n")
        with open(log, "a", encoding="utf-8") as out:
            done = subprocess.run([TOOL, "convert", str(self.pendulum), "--to", "urdf", "-o", "/dev/stdout"], stdout=out,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(log.read_text(encoding="utf-8").startswith("before\n<?xml"))

    def test_a_pipe_with_a_name_is_written_to(self):
        pipe = self.folder / "pipe.urdf"
        os.mkfifo(pipe)
        with subprocess.Popen([TOOL, "convert", str(self.pendulum), "-o", str(pipe)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as writing:
            self.assertTrue(pipe.read_text(encoding="utf-8").startswith("<?xml"))
            writing.communicate(timeout=60)
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))

    def test_the_model_itself_is_not_written_over_unless_forced(self):
        for same in (self.pendulum, self.folder / "robots" / ".." / "pendulum.yaml"):
            self.refused("output-is-input", self.pendulum, "-o", same)
        (self.folder / "other.yaml").symlink_to(self.pendulum)
        self.refused("output-is-input", self.pendulum, "-o", self.folder / "other.yaml")
        self.convert(self.pendulum, "-o", self.pendulum, "--si", "--force")
        self.assertIn("com: [0.5, 0, 0]", self.pendulum.read_text(encoding="utf-8"))

    def test_a_file_that_the_input_includes_is_not_overwritten_unless_asked(self):
        part = self.folder / "part.xml"
        part.write_text("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
        main = self.folder / "main.xml"
        main.write_text("<mujoco><include file='part.xml'/></mujoco>")
        before = part.read_text()
        self.refused("output-is-input", main, "-o", part)
        self.assertEqual(part.read_text(), before)

    def test_files_that_cannot_be_written_are_named_with_the_reason(self):
        done = self.refused("file-unwritable", self.arm, "-o", self.folder / "nowhere" / "a.xml")
        self.assertIn(f"{self.folder}/nowhere/a.xml: error: the file cannot be written: No such file or directory", done.stderr)
        self.assertIn("Is a directory",
                      self.refused("file-unwritable", self.arm, "--to", "mjcf", "-o", self.folder / "robots").stderr)
        self.assertIn("Not a directory",
                      self.refused("file-unwritable", self.arm, "-o", self.pendulum / "a.xml").stderr)
        report = json.loads(self.refused("file-unwritable", self.arm, "-o", self.folder / "no/a.xml", "--json").stdout)
        self.assertEqual(report["messages"][-1]["id"], "file-unwritable")

    def test_a_file_too_large_for_our_own_reader_is_written_with_a_warning(self):
        def robot(count):
            bodies = "".join(f"  b{i}: {{mass: 1, com: [1, 2, 3], inertia: [1, 1, 1]}}\n" for i in range(count))
            joints = "".join(f"  j{i}: {{revolute: [ground, b{i}], at: [{i}, 0, 0], axis: z, "
                             "friction: {viscous: 1, dry: 1}, armature: 1, limits: {lower: -1, upper: 1}}\n" for i in range(count))
            return f"trammel: 1\nbodies:\n{bodies}joints:\n{joints}"

        for count, too_large in ((1000, False), (11000, True)):
            done = self.convert(self.file("many.yaml", robot(count)), "-o", self.folder / "many.xml")
            self.assertEqual("[written-too-large]" in done.stderr, too_large, done.stderr)
            self.assertEqual(run("check", self.folder / "many.xml").returncode, 2 if too_large else 0)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_permissions_are_respected(self):
        target = self.file("kept.xml", "mine")
        target.chmod(0o444)
        self.assertIn("Permission denied", self.refused("file-unwritable", self.arm, "-o", target).stderr)
        (self.folder / "robots").chmod(0o555)
        self.addCleanup((self.folder / "robots").chmod, 0o755)
        self.refused("file-unwritable", self.arm, "-o", self.folder / "robots" / "a.xml")

    def test_a_full_disk_is_an_error(self):
        done = self.refused("file-unwritable", self.arm, "--to", "mjcf", "-o", "/dev/full")
        self.assertIn("No space left on device", done.stderr)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TOOL, "convert", str(self.pendulum), "--to", "urdf"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual(done.returncode, 1)  # as of a recording: the question was a good one
        self.assertIn("[output-lost]", done.stderr)

    def test_devices_are_written_to_not_replaced(self):
        self.convert(self.pendulum, "--to", "urdf", "-o", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))


class Meshes(Case):
    def test_paths_begin_at_the_folder_of_the_output(self):
        (self.folder / "out/deep").mkdir(parents=True)
        self.convert(self.arm, "-o", self.folder / "out/deep/a.urdf")
        self.assertEqual(self.meshes(self.folder / "out/deep/a.urdf"),
                         ["../../robots/meshes/arm.stl", "package://shop/arm.stl"])
        done = run("check", self.folder / "out/deep/a.urdf", "--package-path", self.folder / "packages")
        self.assertNotIn("mesh-not-found", done.stderr)

    def test_paths_stay_where_the_folder_is_the_same(self):
        self.convert(self.arm, "-o", self.folder / "robots/b.urdf")
        self.assertEqual(self.meshes(self.folder / "robots/b.urdf"), ["meshes/arm.stl", "package://shop/arm.stl"])

    def test_paths_survive_a_way_through_all_formats(self):
        (self.folder / "one").mkdir()
        (self.folder / "two").mkdir()
        self.convert(self.arm, "-o", self.folder / "one/a.xml")
        self.convert(self.folder / "one/a.xml", "-o", self.folder / "two/a.yaml")
        self.convert(self.folder / "two/a.yaml", "-o", self.folder / "robots/back.urdf")
        self.assertIn("meshes/arm.stl", self.meshes(self.folder / "robots/back.urdf"))

    def test_paths_through_linked_folders_still_lead_to_the_file(self):
        (self.folder / "real/inner").mkdir(parents=True)
        (self.folder / "link").symlink_to(self.folder / "real/inner")
        self.convert(self.arm, "-o", self.folder / "link/a.urdf")
        path = self.meshes(self.folder / "link/a.urdf")[0]
        self.assertTrue((self.folder / "link" / path).exists(), path)

    def test_meshes_of_packages_are_plain_paths_in_an_mjcf(self):
        out = self.folder / "out/a.xml"
        out.parent.mkdir()
        done = self.convert(self.arm, "--package-path", self.folder / "packages", "-o", out)
        self.assertEqual(self.meshes(out), ["../robots/meshes/arm.stl", "../packages/shop/arm.stl"])
        self.assertNotIn("[mjcf-mesh]", done.stderr)
        for path in self.meshes(out):
            self.assertTrue((out.parent / path).is_file(), path)
        self.assertNotIn("[mesh-not-found]", self.convert(out, "-o", self.folder / "robots/back.xml").stderr)
        self.assertEqual(self.meshes(self.folder / "robots/back.xml"), ["meshes/arm.stl", "../packages/shop/arm.stl"])
        # Other formats keep the address.
        self.convert(self.arm, "--package-path", self.folder / "packages", "-o", self.folder / "out/a.yaml")
        self.assertIn("package://shop/arm.stl", (self.folder / "out/a.yaml").read_text(encoding="utf-8"))
        # A package above the model, a file by its absolute address, and one that is not there.
        self.file("shop/arm.stl", "solid\n")
        self.convert(self.arm, "-o", out)
        self.assertEqual(self.meshes(out)[1], "../shop/arm.stl")
        address = self.file("robots/address.urdf", ARM.replace("meshes/arm.stl", f"file://{self.folder}/shop/arm.stl")
                            .replace("package://shop", "package://shopp"))
        done = self.convert(address, "-o", out)
        self.assertEqual(self.meshes(out), [f"{self.folder}/shop/arm.stl", "package://shopp/arm.stl"])
        self.assertIn("not by package:// and the like: 'package://shopp/arm.stl'\n"
                      "  fix: change these in the file that is written to the paths of the files", done.stderr)

    def test_meshes_that_mujoco_cannot_read_are_a_warning(self):
        model = self.file("robots/dae.urdf", ARM.replace("meshes/arm.stl", "meshes/arm.dae").replace("shop/arm.stl", "shop/arm.STL"))
        warning = "MuJoCo reads meshes from files .stl, .obj and .msh only: 'meshes/arm.dae'\n"
        self.assertIn(warning, self.convert(model, "-o", self.folder / "robots/dae.xml").stderr)
        self.assertNotIn("[mjcf-mesh]", self.convert(model, "-o", self.folder / "robots/dae.yaml").stderr)

    def test_meshdir_of_an_mjcf_is_part_of_the_path(self):
        model = self.file("m/a.xml", '<mujoco><compiler meshdir="parts"/><asset><mesh name="p" file="p.stl"/></asset><worldbody>'
                          '<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint/><geom type="mesh" mesh="p"/></body>'
                          '</worldbody></mujoco>')
        self.convert(model, "-o", self.folder / "a.urdf")
        self.assertEqual(set(self.meshes(self.folder / "a.urdf")), {"m/parts/p.stl"})

    def test_absolute_paths_and_addresses_stay(self):
        for path in ("/opt/arm.stl", "file:///opt/arm.stl", "https://example.org/arm.stl", "C:\\parts\\arm.stl"):
            with self.subTest(path):
                model = self.file("robots/other.urdf", ARM.replace("meshes/arm.stl", path))
                self.convert(model, "-o", self.folder / "a.urdf")
                self.assertEqual(self.meshes(self.folder / "a.urdf")[0], path)

    def test_on_standard_output_they_stay_and_that_is_told(self):
        done = self.convert(self.arm, "--to", "urdf")
        self.assertIn('filename="meshes/arm.stl"', done.stdout)
        self.assertIn(f"paths of meshes still begin at the folder of {self.arm}: 'meshes/arm.stl'", done.stderr)
        self.assertIn("[mesh-path]", done.stderr)
        self.assertNotIn("[mesh-path]", self.convert(self.pendulum, "--to", "urdf").stderr)


class ReadingOptions(Case):
    def joints(self, *words):
        done = run("check", *words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["joints"]

    def test_the_base_of_a_urdf_is_fixed_or_free(self):
        self.assertEqual(self.joints(self.arm)["base"]["type"], "fixed")
        self.assertEqual(self.joints(self.arm, "--base", "fixed")["base"]["type"], "fixed")
        self.assertEqual(self.joints(self.arm, "--base", "free")["base"]["type"], "free")
        done = run("eval", self.arm, "--base", "free", "--compute", "forward", "--json")
        for acceleration in json.loads(done.stdout)["a"]["base"][:5]:
            self.assertAlmostEqual(acceleration, 0, delta=1e-14)
        self.assertAlmostEqual(json.loads(done.stdout)["a"]["base"][5], -9.81, delta=1e-14)

    def test_a_converted_file_keeps_the_base(self):
        for name in ("a.yaml", "a.urdf", "a.xml"):
            with self.subTest(name):
                self.convert(self.arm, "--base", "free", "-o", self.folder / name)
                self.assertEqual(self.joints(self.folder / name)["base"]["type"], "free")

    def test_packages_are_looked_for_where_said(self):
        self.assertIn("[mesh-not-found]", run("check", self.arm).stderr)
        for verb in (["check", self.arm], ["eval", self.arm], ["convert", self.arm, "--to", "mjcf"]):
            done = run(*verb, "--package-path", "/nowhere", "--package-path", self.folder / "packages")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("[mesh-not-found]", done.stderr)
        done = run("check", self.arm, "--package-path", "/nowhere")
        self.assertIn("searched: /nowhere, ", done.stderr)

    def test_an_option_takes_one_folder_so_that_the_model_may_follow(self):
        self.assertEqual(run("check", "--package-path", self.folder / "packages", self.arm).returncode, 0)

    def test_options_without_effect_are_told(self):
        mjcf = self.folder / "a.xml"
        self.convert(self.pendulum, "-o", mjcf)
        urdf = self.folder / "a.urdf"
        self.convert(self.pendulum, "-o", urdf)
        for verb in (["check"], ["eval", "--compute", "poses"], ["convert", "--to", "yaml"]):
            for model in (self.pendulum, mjcf):
                done = run(*verb, model, "--base", "free", "--package-path", ".")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"{model}: warning: --base has no effect", done.stderr)
                self.assertIn(f"{model}: warning: --package-path has no effect", done.stderr)
                self.assertEqual(done.stderr.count("[option-no-effect]"), 2)
            done = run(*verb, urdf, "--base", "fixed", "--package-path", ".")
            self.assertIn("no mesh is named by package://", done.stderr)
            self.assertNotIn("--base has no effect", done.stderr)
        self.assertNotIn("[option-no-effect]", run("check", self.arm, "--base", "free", "--package-path", ".").stderr)

    def test_other_words_for_the_base_are_bad_usage(self):
        for verb in ("check", "eval", "convert"):
            done = run(verb, self.arm, "--base", "floating")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--base", done.stderr)


class Help(Case):
    def test_help_has_an_example(self):
        done = run("convert", "--help")
        self.assertEqual(done.returncode, 0)
        for word in ("Examples:", "--to", "--output", "--si", "--force", "--base", "--package-path", "--json"):
            self.assertIn(word, done.stdout)

    def test_completion_knows_the_verb_its_options_and_their_words(self):
        self.assertIn("convert", run("complete", "").stdout.split())
        self.assertIn("--output", run("complete", "convert", "--o").stdout.split())
        self.assertEqual(run("complete", "convert", "m.yaml", "--to", "").stdout.split(), ["yaml", "urdf", "mjcf"])
        self.assertEqual(run("complete", "check", "m.txt", "--from", "").stdout.split(), ["yaml", "urdf", "mjcf", "kam", "dm"])
        self.assertEqual(run("complete", "eval", "m.urdf", "--base", "").stdout.split(), ["free", "fixed"])

    def test_bash_completes_words_without_files(self):
        self.file("unlike.txt", "")
        script = (f"source {ROOT}/apps/trammel/completion/trammel.bash; COMP_WORDS=({TOOL} convert m.yaml --to u); COMP_CWORD=4; "
                  "_trammel; echo ${COMPREPLY[@]}")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=self.folder, check=False)
        self.assertEqual(done.stdout, "urdf\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
