"""Reports of compare_peers in a folder, and the table of what they say."""
import json

import plan

STATES = ("near", "mid", "far", "none")


def reports(folder, name, sizes):
    """[(collective, size, setting, path)] of a section, in the order of the table."""
    section = plan.SECTIONS[name]
    return [(collective, size, setting,
             folder / f"{name}-{collective}-{size}-{setting.name()}.json")
            for collective in section.collectives for size in section.sizes
            for setting in section.settings if not sizes or size in sizes]


def shown(microseconds):
    return f"{microseconds:.2f}" if microseconds < 100 else f"{microseconds:.0f}"


def in_state(rows, state, names):
    """Entries of compare_states of that state whose backend `names` takes."""
    return [entry for row in rows for entry in row["compare_states"]
            if entry["state"] == state and names(entry["backend"])]


def cells(entry, of=1):
    if not entry:
        return "- | - | -"
    label = entry["backend"] + (f" {entry['form']}" if "form" in entry else "")
    if of > 1:
        label += f", of {of}"
    return f"{label} | {shown(entry['time'])} | {entry['ratio']:.2f}"


def lines_of(collective, size, rows):
    lines = []
    for state in STATES:
        known = plan.REFERENCES + plan.OWN
        peers = in_state(rows, state, lambda name: name not in known)
        references = in_state(rows, state, lambda name: name in plan.REFERENCES)
        if not peers:
            continue
        best = min(peers, key=lambda entry: entry["ratio"])
        lines.append(f"| {collective} | {size} | {state} | {shown(best['weft_time'])} | "
                     f"{cells(best, len(peers))} | {cells(references[0] if references else None)} |")
    return lines or [f"| {collective} | {size} | - | - | - | - | - | - | - | - |"]


def own_lines(collective, size, rows):
    """First call, scatter, CPU time, and Weft against itself, in the state with most points."""
    row = rows[0]
    states = row["compare_states"]
    details = row["details"]
    steady = row["out_of_place"]["time"]
    ratios = {entry["backend"]: entry for entry in states if entry["state"] == states[0]["state"]}
    columns = [f"{ratios[name]['ratio']:.2f}" if name in ratios else "-" for name in plan.OWN]
    return [f"| {collective} | {size} | {states[0]['state'] if states else '-'} | {shown(steady)} | "
            f"{details['first_us'] / steady:.1f} | {details['p99_over_p50']:.2f} | "
            f"{shown(details['cpu_us'])} | {' | '.join(columns)} |"]


PEERS_HEAD = ("| collective | bytes | cores | Weft (us) | best peer | (us) | ratio | reference | "
              "(us) | ratio |\n|---|---|---|---|---|---|---|---|---|---|")
OWN_HEAD = ("| collective | bytes | cores | Weft (us) | first call / steady | p99 / p50 | "
            "CPU (us) | fast / canonical | grouped / alone | bf16 / float | 4 bytes off / aligned |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|")


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
                lines.append(f"- {state}, from {small} to {large}: Weft's time grows {weft:.2f} "
                             f"times, that of {after['backend']} {reference:.2f} times")
    return lines


def table(folder, sections, sizes):
    texts = []
    for name in sections:
        section = plan.SECTIONS[name]
        rows = {}
        for collective, size, _, path in reports(folder, name, sizes):
            if path.exists():
                document = json.loads(path.read_text(encoding="utf-8"))
                rows.setdefault((collective, size), []).extend(document["results"])
        of_itself = name == "itself"
        lines = [line for (collective, size), found in rows.items()
                 for line in (own_lines if of_itself else lines_of)(collective, size, found)]
        if lines:
            texts.append("\n".join([f"**{section.title}**\n", OWN_HEAD if of_itself else PEERS_HEAD,
                                    *lines]))
            texts.extend("\n".join(found) for found in [growth_lines(rows)] if found)
    return "\n\n".join(texts)
