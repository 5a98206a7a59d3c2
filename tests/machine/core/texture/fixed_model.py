"""The fixed-point texture unit of 2022 on as a model: bit strings, fractions, and one channel at a time."""

ARGB_FIELDS = {  # channels of a texel, the highest bits first; "l" is red, green and blue
    "a8r8g8b8": "aaaaaaaarrrrrrrrggggggggbbbbbbbb", "r5g6b5": "rrrrrggggggbbbbb", "a1r5g5b5": "arrrrrgggggbbbbb",
    "a4r4g4b4": "aaaarrrrggggbbbb", "a8l8": "aaaaaaaallllllll", "l8": "llllllll", "a8": "aaaaaaaa",
}  # fmt: skip
ONE = 1 << 23


def unpacked(bits, name, newer):
    """Four bytes of a texel: narrower channels repeat their high bits below, those that are not there are 255."""
    fields = ARGB_FIELDS[name]
    text = f"{bits % (1 << len(fields)):0{len(fields)}b}"
    channels = {}
    for channel in "argb":
        found = "".join(digit for digit, field in zip(text, fields, strict=True) if field in (channel, "l" if channel != "a" else "a"))
        channels[channel] = int((found * 8)[:8], 2) if found else 255
    if name == "a1r5g5b5" and not newer:  # below red's five bits lie the texel's highest four, one place too far left
        channels["r"] = int(text[1:6] + "000", 2) | int(text[0:4], 2)
    return int.from_bytes([channels[channel] for channel in "argb"])


def wrapped(coordinate, wrap, newer):
    """coordinate: signed. What is not between 0 and 1 only mirrors of the older generation leave so, as 32 bits."""
    whole, fraction = divmod(coordinate, ONE)
    if wrap == 0:
        return fraction if whole == 0 else 0 if whole < 0 else ONE - 1
    if wrap == 1:
        return fraction
    if newer:
        return ONE - 1 - fraction if wrap == 2 and whole % 2 else fraction
    return (-1 - coordinate if wrap == 2 and whole % 2 else coordinate) % (1 << 32)


def signed(number):
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def axis(coordinate, log_size, wrap, linear, newer):
    """(lower texel, upper texel, weight of the upper one)."""
    text = lambda value: f"{wrapped(signed(value), wrap, newer):032b}"  # noqa: E731
    whole = 9 + log_size  # bits of a coordinate above the fraction of a texel
    if not linear:
        return (int(text(coordinate)[:whole], 2),) * 2 + (0,)
    half = (1 << 22) >> log_size
    low = text(coordinate - half)[8:] + "0" * 8  # the weight's shift pushes out its highest eight bits
    return int(low[: whole - 8], 2), int(text(coordinate + half)[:whole], 2), int(low[whole - 8 : whole], 2)


def mixed(first, second, weight, newer):
    """Four bytes between two texels."""
    pairs = zip(first.to_bytes(4), second.to_bytes(4), strict=True)
    if newer:  # to the nearest of 255ths
        return int.from_bytes([(2 * (a * (255 - weight) + b * weight) + 255) // 510 for a, b in pairs])
    return int.from_bytes([(a * 256 + (b - a) * weight) // 256 for a, b in pairs])
