#!/usr/bin/python3
"""tools/check_decks.py FOLDER [LIMBER] [--only TEXT] [--seconds N] [-v]: reads every deck (.inp) of a folder with `limber modes` and compares
frequencies with those of CalculiX (ccx), if it is installed, on the same mesh: as the deck's own supports hold the part (`--clamp
BOUNDARY`), or free. Materials without a density get one, for both. Prints a line for each deck and the causes of refusals, most frequent
first. Exit code 1: a deck crashed limber or took too long. Runs in a scratch folder with limits of time and memory."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

COUNT = 10
THERMAL = re.compile(r"^\*(HEAT TRANSFER|CFD|ELECTROMAGNETICS|FLUID SECTION|UNCOUPLED)", re.I | re.M)


def cards(text):
    """(name, parameters, text with its data lines) of each keyword"""
    out = []
    for line in text.splitlines():
        if line.startswith("**"):
            continue
        if line.startswith("*"):
            name = re.sub(r"\s+", " ", line[1:].split(",")[0].strip().upper())
            out.append([name, line.upper().replace(" ", ""), [line]])
        elif out:
            out[-1][2].append(line)
    return out


def with_density(model):
    """materials that have none get one"""
    out, inside, has, text = [], False, False, "*DENSITY\n7.8e-9,"
    for card in model + [["", "", []]]:
        of_material = card[0] in ("ELASTIC", "DENSITY", "EXPANSION", "PLASTIC", "CONDUCTIVITY", "SPECIFIC HEAT", "CREEP", "HYPERELASTIC",
                                  "USER MATERIAL", "DEPVAR", "DAMPING", "CYCLIC HARDENING", "HYPERFOAM", "DEFORMATION PLASTICITY")
        if inside and not of_material:
            if not has:
                out.append(["DENSITY", "*DENSITY", [text]])
            inside = False
        if card[0] == "MATERIAL":
            inside, has = True, False
        has = has or card[0] == "DENSITY"
        out.append(card)
    return out[:-1]


def frequency_deck(text, held, count=COUNT):
    """the model of a deck with a *FREQUENCY step in place of its steps; held: with the supports of the model and the first step"""
    all_cards = cards(text)
    first = next((i for i, c in enumerate(all_cards) if c[0] == "STEP"), len(all_cards))
    last = next((i for i, c in enumerate(all_cards) if i > first and c[0].replace(" ", "") == "ENDSTEP"), len(all_cards))
    model = with_density([c for c in all_cards[:first] if held or c[0] != "BOUNDARY"])
    supports = [c for c in all_cards[first:last] if c[0] == "BOUNDARY"] if held else []
    lines = [line for c in model for line in c[2]] + ["*STEP", "*FREQUENCY", str(count + (0 if held else 6))]
    lines += [line for c in supports for line in c[2]] + ["*END STEP", ""]
    return "\n".join(lines)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def run(command, folder, seconds):
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", LIMBER_CACHE=str(folder))
    try:
        p = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, errors="replace", timeout=seconds, preexec_fn=limit)
        return p.returncode, p.stdout, p.stderr
    except subprocess.TimeoutExpired:
        return None, "", "too slow"


def limber_modes(limber, folder, name, clamp, seconds):
    code, out, err = run([limber, "modes", name, "--unit", "m", "--count", str(COUNT)] + clamp, folder, seconds)
    table = re.findall(r"^ +\d+ +([\d.e+-]+)", out.split("frequency, Hz")[-1], re.M) if code == 0 else []
    message = next((line for line in err.splitlines() if line.strip()), "")
    return code, [float(x) for x in table], message, out


def ccx_modes(folder, name, text, seconds):
    (folder / (name + ".inp")).write_text(text)
    code, out, err = run(["ccx", name], folder, seconds)
    dat = folder / (name + ".dat")
    found = re.findall(r"^ +\d+ +([-\d.E+]+) +([-\d.E+]+) +([-\d.E+]+) +[-\d.E+]+$", dat.read_text(errors="replace"), re.M) if dat.exists() else []
    return [float(x[2]) for x in found]


def difference(ours, theirs):
    """largest relative difference of the elastic modes that both have"""
    least = 1e-4 * max(ours + theirs + [0])
    a, b = [sorted(x for x in f if x > least) for f in (ours, theirs)]
    n = min(len(a), len(b), 6)
    return max(abs(x - y) / y for x, y in zip(a[:n], b[:n])) if n else None


def cause(message):
    text = re.sub(r"^\S+?:(\d+:)* *(error: )?", "", message)
    return re.sub(r"'[^']*'|\b[\d.e+-]+\b", "..", text)[:110]


def check(deck, limber, ccx, seconds):
    text = deck.read_text(errors="replace")
    names = {c[0] for c in cards(text)}
    if THERMAL.search(text) or "ELASTIC" not in names and "USER MATERIAL" not in names:
        return deck.name, "not mechanical", None, None, ""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for other in deck.parent.iterdir():
            if other.is_file() and other != deck and other.suffix != ".inp" or other.name.lower() in text.lower() and other != deck:
                (folder / other.name).symlink_to(other.resolve())
        result = None
        for clamp in (["--clamp", "BOUNDARY"], []) if "BOUNDARY" in names else ([],):
            (folder / "deck.inp").write_text(frequency_deck(text, True))
            code, ours, message, report = limber_modes(limber, folder, "deck.inp", clamp, seconds)
            if code is None or code < 0:
                return deck.name, "CRASH" if code else "SLOW", None, None, message
            if code == 0:
                result = (clamp, ours, report)
                break
            first = message if clamp or "BOUNDARY" not in names else first
        if result is None:
            return deck.name, "refused", None, None, first
        clamp, ours, report = result
        theirs = []
        for count in (COUNT, 5, 3) if ccx else ():  # ccx writes zeros if it does not find all of them
            if not any(theirs):
                theirs = ccx_modes(folder, "other", frequency_deck(text, bool(clamp), count), seconds)
        told = "; ".join(sorted(set(re.findall(r"\) (?:treated|simplified)[^\n]*|treated as [^\n]*|not tied[^\n]*", report))))
        return deck.name, "held" if clamp else "free", difference(ours, theirs), len(theirs), told


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("limber", nargs="?", default="build/limber")
    p.add_argument("--only", default="")
    p.add_argument("--seconds", type=float, default=30)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("-v", action="store_true")
    a = p.parse_args()
    limber, ccx = str(pathlib.Path(a.limber).resolve()), shutil.which("ccx")
    decks = sorted(d for d in a.folder.glob("*.inp") if a.only in d.name)
    kinds, causes, same = collections.Counter(), collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for name, kind, off, modes, text in pool.map(lambda d: check(d, limber, ccx, a.seconds), decks):
            kinds[kind] += 1
            if kind == "refused":
                causes[cause(text)] += 1
            if kind in ("held", "free"):
                verdict = "not compared" if off is None else "to 0.1 %" if off < 1e-3 else "to 3 %" if off < 0.03 else "OFF"
                if verdict == "OFF" and text:
                    verdict = "off, said"
                same[verdict] += 1
                print(f"{name:32} {kind:8} {verdict:12} {'' if off is None else f'{100 * off:8.3f} %'}  {text[:80]}")
            elif a.v or kind in ("CRASH", "SLOW"):
                print(f"{name:32} {kind:8} {text[:120]}")
            sys.stdout.flush()
    print("\nrefusals:")
    for text, count in causes.most_common():
        print(f"{count:5} {text}")
    read = kinds["held"] + kinds["free"]
    mechanical = sum(kinds.values()) - kinds["not mechanical"]
    print(f"\n{read} of {mechanical} mechanical decks read ({kinds['held']} held, {kinds['free']} free); frequencies: "
          + ", ".join(f"{k} {v}" for k, v in same.most_common()) + f"; {kinds['not mechanical']} decks are not mechanical")
    return 1 if kinds["CRASH"] or kinds["SLOW"] else 0


if __name__ == "__main__":
    sys.exit(main())
