#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_schema.py SCHEMA DOCUMENT...: validate, and find keys that the schema doesn't know.

The schema lets keys be added, as consumers must; but the keys we write ourselves
all have to be described, so for this check each object is closed.
"""
import json
import sys

import jsonschema


def close(node):
    if isinstance(node, dict):
        if "properties" in node and "additionalProperties" not in node:
            node["additionalProperties"] = False
        for value in node.values():
            close(value)
    elif isinstance(node, list):
        for value in node:
            close(value)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)
    close(schema)
    validator = jsonschema.Draft202012Validator(schema)
    bad = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        for error in list(validator.iter_errors(document))[:10]:
            where = "/".join(str(p) for p in error.absolute_path)
            print(f"{path}: {where}: {error.message[:300]}", file=sys.stderr)
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
