#!/usr/bin/env python3
"""Make src/service/catalogue.txt and catalogue.bin from a wheel of the PyPI package botocore.

    pip download --no-deps --dest target/botocore botocore==1.44.8
    tools/services/catalogue.py target/botocore/botocore-1.44.8-py3-none-any.whl [FOLDER]

Only names, types, required members, enum values and bounds are taken, no documentation text. The same wheel gives the
same files. catalogue.txt is the index: one line for each service. catalogue.bin holds one deflated block for each
service, in the order of the index. src/service/block.rs reads a block and describes its columns.
"""
import gzip, json, os, re, sys, zipfile, zlib

# References to types below this number are built in; others are shapes.
BUILTIN = {"string": 0, "blob": 1, "timestamp": 2, "integer": 3, "long": 3, "bigInteger": 3, "float": 4, "double": 4,
           "bigdecimal": 4, "boolean": 5, "document": 6}
SHAPES = 16
TEXT, BLOB, INTEGER, FLOAT, LIST, MAP, STRUCTURE = 0, 1, 3, 4, 7, 8, 9
NONE = 15

# Words that Java reserves and methods of each of its objects: a member of such a name gets "Value" appended.
RESERVED = set("""abstract assert boolean break byte case catch char class clone const continue default do double else enum
equals extends false final finalize finally float for getClass goto hashCode if implements import instanceof int interface
long native new notify notifyAll null package private protected public return short static strictfp super switch
synchronized this throw throws toString transient true try void volatile wait while""".split())

# Members that Java's SDK names otherwise: service, shape, member.
RENAMED = {("dynamodb", "AttributeValue", "NULL"): "Nul",
           ("ec2", "Image", "Public"): "PublicLaunchPermissions",
           ("ec2", "FpgaImage", "Public"): "IsPublic"}
# Members that Java's SDK adds: service, input shape.
OBJECTS = ["SourceBucket", "SourceKey", "SourceVersionId", "DestinationBucket", "DestinationKey"]
ADDED = {("s3", "CopyObjectRequest"): OBJECTS, ("s3", "UploadPartCopyRequest"): OBJECTS,
         ("s3", "UploadPartRequest"): ["SdkPartType"],
         ("rds", "CopyDBSnapshotMessage"): ["SourceRegion"], ("rds", "CopyDBClusterSnapshotMessage"): ["SourceRegion"],
         ("rds", "CreateDBClusterMessage"): ["SourceRegion"], ("rds", "CreateDBInstanceReadReplicaMessage"): ["SourceRegion"],
         ("rds", "StartDBInstanceAutomatedBackupsReplicationMessage"): ["SourceRegion"]}
# Beginnings of error names that Java's SDK renames.
RENAMED_ERRORS = {"elasticloadbalancing": {"AccessPointNotFound": "LoadBalancerNotFound",
                                           "DuplicateAccessPointName": "DuplicateLoadBalancerName",
                                           "InvalidEndPoint": "InvalidInstance",
                                           "TooManyAccessPoints": "TooManyLoadBalancers"},
                  "marketplacecommerceanalytics": {"MarketplaceCommerceAnalytics": "MarketplaceCommerceAnalyticsService"}}


def words(text):
    """Splits a name into words as Java's SDK does."""
    text = re.sub(r"[^A-Za-z0-9]+", " ", text)
    text = re.sub(r"([^a-z]{2,})v([0-9]+)", r"\1 v\2 ", text)
    text = re.sub(r"([^A-Z]{2,})V([0-9]+)", r"\1 V\2 ", text)
    text = re.sub(r"(?<=[a-z])(?=[A-Z][a-zA-Z0-9])", " ", text)
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", text)
    text = re.sub(r"([0-9])([a-zA-Z])", r"\1 \2", text)
    return text.split()


def pascal(text):
    return "".join(word[:1].upper() + word[1:].lower() for word in words(text))


def capital(name):
    return name[:1].upper() + name[1:]


def small(name):
    """Makes the leading run of capitals small, except for the last one if a small letter follows."""
    end = 1
    while end < len(name) and name[end].isupper() and not (end + 1 < len(name) and name[end + 1].islower()):
        end += 1
    return name[:end].lower() + name[end:]


def prefix_of(service_id):
    name = pascal(service_id)
    for start in ("Amazon", "Aws"):
        name = name.removeprefix(start)
    return name.removesuffix("Service")


def error_name(service, shape):
    name = shape.removesuffix("Fault").removesuffix("Exception")
    name = pascal(name) + "Exception"
    for start, other in RENAMED_ERRORS.get(service, {}).items():
        if name.startswith(start + "Exception") or start != other[:len(start)] and name.startswith(start):
            name = other + name[len(start):]
    return name


def member_name(service, shape, member):
    """The name in an SDK integration; where an optimized one differs, that one follows a "="."""
    plain, name = capital(member), RENAMED.get((service, shape, member))
    if not name:
        name = small(member)
        name = capital(name + "Value" if name in RESERVED else name)
    return name if name == plain else f"{name}={plain}"


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number):
    return number * 2 if number >= 0 else -number * 2 - 1


class Block:
    """One service: numbers its shapes and names in the order of their first use."""

    def __init__(self, service, model):
        self.service, self.shapes = service, model["shapes"]
        self.operations = sorted((small(name), operation) for name, operation in model["operations"].items())
        self.numbers, self.order = {}, []
        self.answered = self.reachable(operation.get("output") for _, operation in self.operations)

    def reachable(self, starts):
        """Names of the shapes that results consist of: only their bounds are kept, since only mocks are held to them."""
        seen, waiting = set(), [start["shape"] for start in starts if start]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                shape = self.shapes[name]
                inner = list(shape.get("members", {}).values())
                waiting += [ref["shape"] for ref in [*inner, shape.get("member"), shape.get("key"), shape.get("value")] if ref]
        return seen

    def bounds(self, name, shape):
        kept = [shape.get(key) if name in self.answered else None for key in ("min", "max")]
        # A bound that is not a whole number, or that every value meets, is left out.
        kept = [bound if isinstance(bound, int) and abs(bound) < 1 << 53 else None for bound in kept]
        if shape["type"] in ("string", "blob"):
            kept[0] = kept[0] or None
        return tuple(kept)

    def key(self, name):
        """What a shape is: a number if it is built in, else what distinguishes it from others."""
        shape = self.shapes[name]
        kind = shape["type"]
        if kind in ("structure", "list", "map"):
            if shape.get("eventstream") or shape.get("document"):
                return BUILTIN["document"]
            return name
        kind = "timestamp" if kind == "timestamp" else "string" if kind in ("character", "byte") else kind
        enum = tuple(shape.get("enum", ())) if kind == "string" else ()
        bounds = self.bounds(name, shape)
        number = BUILTIN[kind]
        if number in (TEXT, BLOB, INTEGER, FLOAT) and (enum or bounds != (None, None)):
            return (number, enum, *bounds)
        return number

    def number(self, ref):
        """The reference to a type: below 16 built in, 16 the next new shape, above it the number of a known one."""
        if ref is None:
            return NONE
        if ref.get("jsonvalue"):
            return BUILTIN["document"]
        key = self.key(ref["shape"])
        if isinstance(key, int):
            return key
        if key in self.numbers:
            return SHAPES + 1 + self.numbers[key]
        self.numbers[key] = len(self.order)
        self.order.append(key)
        return SHAPES

    def encode(self):
        names, name_numbers, values, value_numbers = [], {}, [], {}
        errors = sorted({error_name(self.service, name) for name, shape in self.shapes.items() if shape.get("exception")} |
                        {error_name(self.service, error["shape"]) for _, operation in self.operations for error in operation.get("errors", [])})
        error_numbers = {name: number for number, name in enumerate(errors)}
        inputs, outputs, raised, kinds, lengths, members, types, required, limits = ([] for _ in range(9))

        def first_use(name, known, numbers):
            """0 for a name that comes for the first time, else its number and one."""
            if name in numbers:
                return numbers[name] + 1
            numbers[name] = len(known)
            known.append(name)
            return 0

        for _, operation in self.operations:
            inputs.append(self.number(operation.get("input")))
            outputs.append(self.number(operation.get("output")))
            own = sorted({error_numbers[error_name(self.service, error["shape"])] for error in operation.get("errors", [])})
            raised.append(len(own))
            raised += [number - before for before, number in zip([0, *own], own)]
        at = 0
        while at < len(self.order):
            key = self.order[at]
            if isinstance(key, tuple):
                kind, enum, least, most = key
                kinds.append(kind)
                lengths.append(len(enum))
                members += [first_use(value, values, value_numbers) for value in enum]
                limits += [0 if bound is None else zigzag(bound) + 1 for bound in (least, most)]
            else:
                shape = self.shapes[key]
                if shape["type"] == "structure":
                    kinds.append(STRUCTURE)
                    wanted = set(shape.get("required", []))
                    own = [(member_name(self.service, key, name), ref, (name in wanted) + (name in wanted and ref.get("idempotencyToken", False)))
                           for name, ref in shape.get("members", {}).items()]
                    own += [(name, {"shape": None}, 0) for name in ADDED.get((self.service, key), [])]
                    lengths.append(len(own))
                    for name, ref, need in own:
                        members.append(first_use(name, names, name_numbers))
                        types.append(self.number(ref) if ref["shape"] else TEXT)
                        required.append(need)
                elif shape["type"] == "list":
                    kinds.append(LIST)
                    types.append(self.number(shape["member"]))
                else:
                    kinds.append(MAP)
                    types.append(self.number(shape["value"]))
            at += 1
        text = "\n\n".join("\n".join(part) for part in ([name for name, _ in self.operations], errors, names, values)).encode()
        columns = [inputs, outputs, raised, kinds, lengths, members, types, required, limits]
        packed = [b"".join(map(varint, column)) for column in columns]
        return b"".join(varint(len(part)) + part for part in [text, *packed])


def merged(base, extra):
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            merged(base[key], value)
        else:
            base[key] = value


def models(wheel):
    """The newest model of each service, with what botocore adds to it, by folder."""
    newest = {}
    for name in wheel.namelist():
        found = re.fullmatch(r"botocore/data/([^/]+)/([^/]+)/service-2\.json(\.gz)?", name)
        if found:
            newest[found[1]] = max(newest.get(found[1], ("", "")), (found[2], name))
    for folder, (version, name) in sorted(newest.items()):
        text = wheel.read(name)
        model = json.loads(gzip.decompress(text) if name.endswith(".gz") else text)
        extras = f"botocore/data/{folder}/{version}/service-2.sdk-extras.json"
        if extras in wheel.namelist():
            merged(model, json.loads(wheel.read(extras)).get("merge", {}))
        yield folder, version, model


def main():
    source = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "..", "..", "src", "service")
    with zipfile.ZipFile(source) as wheel:
        info = next(entry for entry in wheel.infolist() if entry.filename.endswith(".dist-info/METADATA"))
        version = re.search(r"^Version: (.+)$", wheel.read(info).decode(), re.M)[1]
        rows = {}
        for directory, api, model in models(wheel):
            prefix = prefix_of(model["metadata"]["serviceId"])
            raw = Block(prefix.lower(), model).encode()
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            row = (prefix.lower(), prefix, directory, api, len(model["operations"]), len(raw), packer.compress(raw) + packer.flush())
            rows[row[0]] = row
    rows = sorted(rows.values())
    with open(os.path.join(folder, "catalogue.txt"), "w") as out:
        date = "-".join(f"{part:02}" for part in info.date_time[:3])
        out.write(f"botocore {version} {date}\n")
        out.writelines(f"{name} {prefix} {directory} {api} {actions} {raw} {len(block)}\n" for name, prefix, directory, api, actions, raw, block in rows)
    with open(os.path.join(folder, "catalogue.bin"), "wb") as out:
        out.writelines(row[-1] for row in rows)


if __name__ == "__main__":
    main()
