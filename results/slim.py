#!/usr/bin/python3
"""slim.py IN OUT: a results.json without the sampled paths and the machine's library list, on fewer lines."""
import json, os, sys

source, target = sys.argv[1:]
result = json.load(open(source))
for key in ("rollouts", "map", "demonstrations"):
    result.pop(key, None)
result["machine"] = {k: v for k, v in result.get("machine", {}).items() if k in ("cpu", "compiler", "flags", "system")}
if "grid" in result.get("occupancy", {}):
    del result["occupancy"]["grid"]
os.makedirs(os.path.dirname(target), exist_ok=True)
with open(target, "w") as out:
    out.write("{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in result.items()) + "\n}\n")
