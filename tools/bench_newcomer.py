#!/usr/bin/env python3
"""Newcomer's models (bench/newcomer): cost and error of one build or of several, at equal error.

    tools/bench_newcomer.py [--seconds] [--only NAME] [--tolerances 1e-4,1e-5] [--keep FOLDER] LIMBER [OLD_LIMBER]

The error is the largest difference of a sensor from that of a run with Radau at a tolerance of 1e-8 by the same program,
relative to the largest value of the sensor.  The cost is the number of instructions of all steps (callgrind; output and
reduction are not counted), with --seconds the best time of five runs in turn.  "At equal error" means the error that
OLD_LIMBER has at the default tolerance: the costs of LIMBER are interpolated in logarithms between the tolerances; nan: none
of them errs as little.
FOLDER keeps the results of Radau for the next call.
"""
import argparse, csv, math, os, re, subprocess, sys, tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "newcomer")
DEFAULT = 1e-5
LINE = re.compile(r"(\d+) steps \((\d+) rejected\), (\d+) iterations, (\d+) matrices, \d+ events, ([0-9.e+-]+) s")

# the function that takes a step: today's name, and that of older builds
COUNT = ["valgrind", "--tool=callgrind", "--toggle-collect=lmb_integrator_step", "--toggle-collect=step", "--callgrind-out-file=/dev/null"]
COUNTED = re.compile(r"Collected : (\d+)")


def call(arguments):
    run = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        sys.exit(" ".join(arguments) + "\n" + run.stdout)
    return run.stdout


def sensors(limber, results):
    """Values of positions and expressions over time; reactions and energies, which export adds, are left out."""
    rows = list(csv.reader(call([limber, "export", results]).splitlines()))
    wanted = re.compile(r"\w+(\.[xyz])? \[m\]$|deflection")
    return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0]) if wanted.match(name)}


def error(ours, exact):
    """Largest difference, relative to the largest value of the sensor in any direction."""
    size, worst = {}, 0
    for name, values in exact.items():
        sensor = name.split(".")[0]
        size[sensor] = max(size.get(sensor, 0), max(map(abs, values)))
    for name, values in exact.items():
        difference = max(abs(x - y) for x, y in zip(ours[name], values))
        worst = max(worst, difference / size[name.split(".")[0]])
    return worst


class Model:
    def __init__(self, path, folder):
        self.name = os.path.basename(path)[:-5]
        self.folder, self.text = folder, open(path).read()

    def write(self, settings):
        path = os.path.join(self.folder, self.name + ".yaml")
        with open(path, "w") as out:
            out.write(self.text.replace("tolerance: tolerance", settings))
        return path

    def exact(self, limber, results):
        if not os.path.exists(results):
            call([limber, "run", self.write("tolerance: 1e-8, integrator: radau"), "-o", results])
        return sensors(limber, results)

    def measure(self, limber, tolerance, exact, by_seconds):
        results = os.path.join(self.folder, "ours.h5")
        command = [limber, "run", self.write("tolerance: %g" % tolerance), "-o", results]
        texts = [call(command) for _ in range(5)] if by_seconds else [call(COUNT + command)]
        runs = [LINE.search(text).groups() for text in texts]
        steps, rejected, iterations, matrices = map(int, runs[0][:4])
        cost = 1e3 * min(float(r[4]) for r in runs) if by_seconds else float(COUNTED.search(texts[0]).group(1)) / 1e6
        return dict(steps=steps, rejected=rejected, iterations=iterations, matrices=matrices, cost=cost,
                    error=error(sensors(limber, results), exact))


def cost_at(error, curve):
    """Cost of an error, in logarithms between the tolerances, without those that cost more and err as much as others.
    Whether it is a bound: of errors larger than all of the curve the smallest cost is known."""
    best = []
    for c in sorted(curve, key=lambda c: c["cost"]):
        if not best or c["error"] < best[-1]["error"]:
            best.append(c)
    points = [(math.log(c["error"]), math.log(c["cost"])) for c in best]
    x = math.log(error)
    for (x1, y1), (x0, y0) in zip(points, points[1:]):
        if x0 <= x <= x1:
            return math.exp(y0 + (y1 - y0) * (x - x0) / (x1 - x0)), False
    return (best[0]["cost"], True) if x > points[0][0] else (math.nan, False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--tolerances", default="1e-4,7e-5,3e-5,1e-5,3e-6")
    parser.add_argument("--keep")
    parser.add_argument("limber", nargs="+")
    set_up = parser.parse_args()
    tolerances = [float(t) for t in set_up.tolerances.split(",")]
    unit = "ms" if set_up.seconds else "Minstr."
    print("%-22s %-4s %9s %7s %9s %11s %9s %9s %9s" %
          ("newcomer's model", "", "tolerance", "steps", "rejected", "iterations", "matrices", unit, "error"))
    for file in sorted(os.listdir(FOLDER)):
        if not file.endswith(".yaml") or set_up.only not in file:
            continue
        with tempfile.TemporaryDirectory() as folder:
            model = Model(os.path.join(FOLDER, file), folder)
            curves = []
            for limber, label in zip(set_up.limber, ("new", "old")):
                exact = model.exact(limber, os.path.join(set_up.keep or folder, model.name + "_" + label + ".h5"))
                curves.append([])
                for tolerance in tolerances:
                    c = model.measure(limber, tolerance, exact, set_up.seconds)
                    curves[-1].append(c)
                    print("%-22s %-4s %9.0e %7d %9d %11d %9d %9.2f %9.1e" %
                          (model.name, label if len(set_up.limber) > 1 else "", tolerance, c["steps"], c["rejected"],
                           c["iterations"], c["matrices"], c["cost"], c["error"]), flush=True)
            if len(curves) > 1 and DEFAULT in tolerances:
                new, old = (c[tolerances.index(DEFAULT)] for c in curves)
                cost, bound = cost_at(old["error"], curves[0])
                print("%-22s old/new: %.2f%s at equal error, %.2f at the default tolerance (error %.2f times)" %
                      (model.name, old["cost"] / cost, " or more" if bound else "", old["cost"] / new["cost"],
                       new["error"] / old["error"]), flush=True)


main()
