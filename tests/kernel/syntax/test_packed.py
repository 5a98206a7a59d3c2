"""Fields of packed records lie at any byte, and hold what NumPy finds there."""

import numpy as np
import pytest

import warploom
from warploom import cuda
from warploom.kernel.types.values import article

VECTOR = np.dtype([("x", np.float32), ("y", np.float64)])
PACKED = np.dtype(
    [
        ("tag", np.uint8), ("half", np.float16), ("count", np.int32), ("large", np.int64), ("mass", np.float64), ("phase", np.complex64),
        ("place", np.float32, (3,)), ("end", VECTOR), ("ends", VECTOR, (2,)), ("odd", np.int16), ("z", np.complex128), ("on", np.bool_),
    ]
)  # fmt: skip
ENGINES = pytest.mark.parametrize("engine", ["python", "native"])


def random_records(count):
    return np.frombuffer(np.random.default_rng(3).integers(0, 120, count * PACKED.itemsize, np.uint8).tobytes(), PACKED).copy()


def copied(x, out):
    i = cuda.grid(1)
    out[i].tag = x[i].tag
    out[i].half = x[i].half
    out[i].count = -x[i].count
    out[i].large = x[i].large - 1
    out[i].mass = x[i].mass
    out[i].phase = x[i].phase
    for k in range(3):
        out[i].place[k] = x[i].place[k]
    out[i].end = x[i].end
    for k in range(2):
        out[i].ends[k].y = x[i].ends[1 - k].y
    out["odd"][i] = -x[i]["odd"]
    out[i].z = x[i].z.conjugate()
    out[i].on = x[i].tag > 60


def expected(x):
    found = np.zeros_like(x)
    for name in ("tag", "half", "mass", "phase", "place", "end"):
        found[name] = x[name]
    found["count"], found["large"], found["odd"] = -x["count"], x["large"] - 1, -x["odd"]
    found["ends"]["y"] = x["ends"]["y"][:, ::-1]
    found["z"], found["on"] = x["z"].conj(), x["tag"] > 60
    return found


@pytest.mark.every(2)
@ENGINES
@pytest.mark.parametrize("step", [1, 3, -1])
def test_every_field_of_a_packed_record(engine, step):
    x = random_records(33)[::step]
    out = np.zeros(len(x), PACKED)
    run = cuda.jit(copied).on(warploom.GPU("sm", engine=engine))
    run[1, len(x)](x, out)
    assert out.tobytes() == expected(x).tobytes()


@ENGINES
def test_packed_records_in_shared_local_and_constant_memory(engine):
    table = random_records(4)

    def kernel(x, out):
        there, here = cuda.shared.array(32, PACKED), cuda.local.array(3, PACKED)
        names = cuda.const.array_like(table)
        i = cuda.threadIdx.x
        there[i].mass, there[i].large, there[i].odd = x[i].mass, x[i].large, x[i].odd
        here[i % 3].mass = x[i].mass
        here[2 - i % 3].end.y = 4
        cuda.syncthreads()
        k = (i + 1) % 32
        out[i] = there[k].mass + here[i % 3].mass + names[i % 4].end.y + there[k].odd + there[k].large

    x = random_records(32)
    x["mass"], x["large"] = np.arange(32), np.arange(32) << 40
    table["end"]["y"] = [1, 2, 3, 5]
    run, out = cuda.jit(kernel).on(warploom.GPU("sm", engine=engine)), np.zeros(32)
    run[1, 32](x, out)
    after = np.roll(x, -1)
    assert out.tolist() == (after["mass"] + x["mass"] + table["end"]["y"][np.arange(32) % 4] + after["odd"] + after["large"]).tolist()
    assert run.check[1, 32](x, out, schedule=False).clean


def test_a_field_of_packed_records_as_an_array_of_its_own():
    def doubled(v):
        v[cuda.grid(1)] *= 2

    for name in ("count", "large", "mass", "odd", "z"):
        x = random_records(8)
        x["mass"], x["z"] = 1.5, 2 - 1j
        wanted = x[name] * 2
        cuda.jit(doubled)[1, 8](x[name])
        assert x[name].tolist() == wanted.tolist()


@ENGINES
def test_a_number_of_64_bits_at_a_multiple_of_4(engine):
    def kernel(x, out):
        there, here = cuda.shared.array(8, VECTOR), cuda.local.array(2, VECTOR)
        i = cuda.grid(1)
        here[i % 2].y = x[i].y
        there[i].y = 2 * here[i % 2].y
        out[i].y = there[i].y + 1

    x, out = np.zeros(8, VECTOR), np.zeros(8, VECTOR)
    x["y"] = np.arange(8) / 3
    cuda.jit(kernel).on(warploom.GPU("sm", engine=engine))[1, 8](x, out)
    assert out["y"].tolist() == (2 * x["y"] + 1).tolist()


def next_one(x, z, out):
    y = x
    for k in range(len(out)):
        out[k] = y[k]
        y = z


def swapped(x, z, out):
    a, b = x, z
    for k in range(len(out)):
        out[k] = a[k]
        a, b = b, a


def stored_and_swapped(x, z, out):
    pair = (x, z)
    k = 0
    while k < len(out):
        pair[0][k] += 100
        out[k] = pair[0][k]
        pair = (pair[1], pair[0])
        k += 1


def three_in_turn(x, z, out):
    a, b, c = x, x, z
    for k in range(len(out)):
        for j in range(k, k + 1):
            out[j] = a[j]
            a, b, c = b, c, a


CARRIED = {
    next_one: [0, 11, 12, 13, 14],
    swapped: [0, 11, 2, 13, 4],
    stored_and_swapped: [100, 111, 102, 113, 104],
    three_in_turn: [0, 1, 12, 3, 4],
}


@ENGINES
@pytest.mark.parametrize("function", CARRIED)
def test_an_array_that_a_loop_carries_is_as_packed_as_any_that_it_may_be(engine, function):
    x, z, out = np.arange(5.0), np.zeros(5, [("tag", np.uint8), ("value", np.float64)])["value"], np.zeros(5)
    z[:] = np.arange(10, 15)
    cuda.jit(function).on(warploom.GPU("sm", engine=engine))[1, 1](x, z, out)
    assert out.tolist() == CARRIED[function]
    if function is stored_and_swapped:
        assert x.tolist() == [100, 1, 102, 3, 104] and z.tolist() == [10, 111, 12, 113, 14]


@ENGINES
def test_a_record_that_a_loop_carries_is_as_packed_as_any_that_it_may_be(engine):
    def kernel(x, z, out):
        record = x[0]
        for k in range(len(out)):
            record.count += 1
            out[k] = record.mass
            record = z[k].inner

    aligned = np.dtype([("mass", np.float64), ("count", np.int64)], align=True)
    x, z, out = np.array([(5, 0)], aligned), np.zeros(4, [("tag", np.uint8), ("inner", aligned)]), np.zeros(4)
    z["inner"]["mass"] = np.arange(4)
    cuda.jit(kernel).on(warploom.GPU("sm", engine=engine))[1, 1](x, z, out)
    assert out.tolist() == [5, 0, 1, 2]
    assert x["count"].tolist() == [1] and z["inner"]["count"].tolist() == [1, 1, 1, 0]


def added(v):
    cuda.atomic.add(v, cuda.grid(1) % 2, 1)


def compared(v):
    cuda.atomic.cas(v, cuda.grid(1) % 2, 0, 1)


def largest(v):
    cuda.atomic.max(v, cuda.grid(1) % 2, 1)


def added_in_turn(v, w):
    for _ in range(len(w)):
        cuda.atomic.add(v, 0, 1)
        v, w = w, v


def refused(function, *arguments):
    with pytest.raises(warploom.SourceError) as found:
        cuda.jit(function)[1, 4](*arguments)
    return str(found.value)


def after(gap, kind):
    """Two numbers, each after so many bytes of something else."""
    return np.zeros(2, [("tag", np.uint8, gap), ("number", kind)])["number"]


@pytest.mark.parametrize(("function", "kind"), [(added, np.int32), (compared, np.uint64), (largest, np.float64)])
@pytest.mark.parametrize(("gap", "place"), [(1, "byte"), (2, "multiple of 2 bytes")])
def test_an_atomic_operation_on_a_packed_number_is_refused(function, kind, gap, place):
    said = refused(function, after(gap, kind))
    number = article(np.dtype(kind).name)
    assert f"error: an atomic operation needs the whole number at once, and {number} of v may lie at any {place}\n" in said
    assert said.endswith("\n    fix: make the records with align=True")


def test_an_atomic_operation_on_a_number_of_64_bits_at_a_multiple_of_4_is_refused():
    assert "and a float64 of v may lie at any multiple of 4 bytes\n" in refused(added, np.zeros(2, VECTOR)["y"])


def test_an_atomic_operation_in_a_loop_is_refused_where_a_later_round_has_a_packed_number():
    assert "and a float64 of this array may lie at any byte\n" in refused(added_in_turn, np.zeros(2), after(1, np.float64))


@ENGINES
def test_an_atomic_operation_on_a_number_that_is_aligned_among_packed_ones(engine):
    aligned = np.dtype([("tag", np.uint8), ("mass", np.float64)], align=True)
    for x in (np.zeros(2, aligned)["mass"], np.zeros(2, [("tag", np.int32), ("count", np.uint32)])["count"]):
        for function, wanted in ((added, [2, 2]), (largest, [2, 2]), (compared, [2, 2])):
            if x.dtype != np.float64 or function is not compared:
                cuda.jit(function).on(warploom.GPU("sm", engine=engine))[1, 4](x)
                assert x.tolist() == wanted


def test_two_threads_that_write_a_packed_field_are_a_race():
    def kernel(x):
        x[cuda.threadIdx.x // 2].mass = cuda.threadIdx.x

    report = cuda.jit(kernel).check[1, 8](random_records(4), schedule=False)
    assert [one.kind for one in report.findings] == ["race"]
    assert report.findings[0].message.startswith("thread 1 of block 0 writes x[0], thread 0 of block 0 writes it")


def test_only_what_must_be_is_taken_apart():
    aligned = np.dtype([("id", np.int32), ("mass", np.float64)], align=True)

    def kernel(x):
        x[cuda.grid(1)].mass += 1

    run = cuda.jit(kernel)
    assert run.listing(np.zeros(4, aligned)) != run.listing(np.zeros(4, np.dtype([("id", np.int8), ("mass", np.float64)])))
    assert ".b64" in run.listing(np.zeros(4, aligned)) and ".b8" not in run.listing(np.zeros(4, aligned))
