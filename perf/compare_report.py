"""Reports of compare_peers in a folder, and the table of what they say."""
import json
import sys

import plan

STATES = ("near", "mid", "far", "none")


def reports(folder, name, sizes):
    """[(collective, size, setting, path)] of a section, in the order of the table."""
    section = plan.SECTIONS[name]
    return [(collective, size, setting,
             folder / f"{name}-{collective}-{size}-{setting.name()}.json")
            for collective in section.collectives for size in section.sizes
            for setting in section.settings if not sizes or size in sizes]


def rows_of(path):
    """Rows of all reports under that name: a benchmark that finds NAME.json writes NAME.json.0."""
    rows = []
    for found in sorted(path.parent.glob(path.name + "*")):
        try:
            document = json.loads(found.read_text(encoding="utf-8"))
            rows += [row for row in document["results"] if "compare_states" in row]
        except (ValueError, KeyError, TypeError) as error:
            sys.exit(f"{found}: no whole report, as a run that was stopped leaves it: delete it and "
                     f"run again ({error!r})")
    return rows


def shown(microseconds):
    return f"{microseconds:.2f}" if microseconds < 100 else f"{microseconds:.0f}"


def in_state(rows, state, names):
    """Of each backend that `names` takes its entry of that state, of several the median one."""
    found = {}
    for row in rows:
        for entry in row["compare_states"]:
            if entry["state"] == state and names(entry["backend"]):
                found.setdefault(entry["backend"], []).append(entry)
    return [sorted(entries, key=lambda entry: entry["ratio"])[len(entries) // 2]
            for entries in found.values()]


def cells(entry, of=1):
    if not entry:
        return "- | - | -"
    label = entry["backend"] + (f" {entry['form']}" if "form" in entry else "")
    if of > 1:
        label += f", of {of}"
    return f"{label} | {shown(entry['time'])} | {entry['ratio']:.2f}"


def lines_of(collective, size, rows):
    """A line for each state in which at least half of the peers were met."""
    known = plan.REFERENCES + plan.OWN
    met = {state: in_state(rows, state, lambda name: name not in known) for state in STATES}
    most = max(map(len, met.values()))
    lines = []
    for state, peers in met.items():
        references = in_state(rows, state, lambda name: name in plan.REFERENCES)
        if not peers or 2 * len(peers) < most:
            continue
        best = min(peers, key=lambda entry: entry["ratio"])
        lines.append(f"| {collective} | {size} | {state} | {shown(best['weft_time'])} | "
                     f"{cells(best, len(peers))} | {cells(references[0] if references else None)} |")
    return lines or [f"| {collective} | {size} | - | - | - | - | - | - | - | - |"]


def own_lines(collective, size, rows):
    """First call, scatter, CPU time, and Weft against itself, in the state with most points; of the
    last run."""
    row = rows[-1]
    states = row["compare_states"]
    details = row["details"]
    steady = row["out_of_place"]["time"]
    ratios = {entry["backend"]: entry for entry in states if entry["state"] == states[0]["state"]}
    columns = [f"{ratios[name]['ratio']:.2f}" if name in ratios else "-" for name in plan.OWN]
    return [f"| {collective} | {size} | {states[0]['state'] if states else '-'} | {shown(steady)} | "
            f"{details['first_us'] / steady:.1f} | {details['p99_over_p50']:.2f} | "
            f"{shown(details['cpu_us'])} | {' | '.join(columns)} |"]


PEERS_HEAD = ("| where | collective | bytes | cores | Weft (us) | best peer | (us) | ratio | reference "
              "| (us) | ratio |\n|---|---|---|---|---|---|---|---|---|---|---|")
OWN_HEAD = ("| where | collective | bytes | cores | Weft (us) | first call / steady | p99 / p50 | "
            "CPU (us) | fast / canonical | grouped / alone | bf16 / float | 4 bytes off / aligned |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|")
GROWTH = 1.25  # of Weft's time from one size to the next, by the reference's


def growth_lines(rows):
    """Where time falls as the size grows, or grows faster than the reference code's."""
    lines = []
    for state in STATES:
        known = [(size, entry) for (_, size), found in rows.items()
                 for entry in in_state(found, state, lambda name: name in plan.REFERENCES)]
        for (small, before), (large, after) in zip(known, known[1:]):
            weft = after["weft_time"] / before["weft_time"]
            reference = after["time"] / before["time"]
            if weft < 1 or weft > GROWTH * reference:
                lines.append(f"{state}, from {small} to {large}: Weft's time grows {weft:.2f} "
                             f"times, that of {after['backend']} {reference:.2f} times")
    return lines


def table(folder, sections, sizes):
    """One table of the peers, what grew too fast, and one of Weft against itself."""
    of_peers, grown, of_itself = [], [], []
    for name in sections:
        title = plan.SECTIONS[name].title
        rows = {}
        for collective, size, _, path in reports(folder, name, sizes):
            if found := rows_of(path):
                rows.setdefault((collective, size), []).extend(found)
        lines_of_row, lines = (own_lines, of_itself) if name == "itself" else (lines_of, of_peers)
        lines += [f"| {title} {line}" for (collective, size), found in rows.items()
                  for line in lines_of_row(collective, size, found)]
        grown += [f"- {title}, {line}" for line in growth_lines(rows)]
    parts = [("\n".join([PEERS_HEAD, *of_peers]), of_peers), ("\n".join(grown), grown),
             ("\n".join([OWN_HEAD, *of_itself]), of_itself)]
    return "\n\n".join(text for text, lines in parts if lines)
