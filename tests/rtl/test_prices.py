"""What units cost: figures that can be counted by hand, and that the script is run once."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom import GPU, rtl
from warploom.rtl import prices, yosys
from warploom.rtl.yosys import rtlil_text


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))


class AndOfThree(wiring.Component):
    a: In(1)
    b: In(1)
    c: In(1)
    out: Out(1)

    def elaborate(self, platform):
        m = Module()
        kept = Signal(reset_less=True)
        m.d.sync += kept.eq(self.a & self.b)
        m.d.comb += self.out.eq(kept & self.c)
        return m


def test_a_circuit_that_can_be_counted_by_hand():
    # Two ANDs, each a NAND and a NOT; a flip-flop between them.
    wanted = {"transistors": 2 * (4 + 2) + 16, "gates": 4, "flip_flops": 1, "depth": 2, "luts": 2, "lut_depth": 1}
    assert prices.synthesize([rtlil_text(AndOfThree(), prices.TOP)]) == [wanted]


def test_flip_flops_are_the_bits_of_the_units_registers():
    gpu = GPU("tiny-original", set={"gpu.cores": 1, "core.threads_per_block": 2})
    bits = {"alu": 8, "lsu": 2 + 8 + 2 + 3 * 8, "pc": 8 + 3, "sequencer": 3 + 8, "pass_through": 2 * (4 + 4 * 8), "advance": 0}
    assert {name: rtl.cost(name, gpu).flip_flops for name in bits} == bits
    assert rtl.cost("round_robin", warps=8).flip_flops == 3


def test_a_second_look_at_a_price_does_not_synthesize(monkeypatch):
    first = rtl.cost("pc")
    monkeypatch.setattr(yosys, "run", None)
    assert rtl.cost("pc") == first


def test_the_same_circuit_has_the_same_price_every_time(monkeypatch, tmp_path):
    monkeypatch.setattr(prices, "cache_directory", lambda: tmp_path)
    circuit = rtlil_text(prices.UNIT["sequencer"].make(rtl.Hardware()), prices.TOP)
    first = prices.synthesize([circuit])
    for kept in tmp_path.rglob("*.json"):
        kept.unlink()
    assert prices.synthesize([circuit]) == first


def test_several_circuits_at_a_time_have_the_prices_of_each_alone(monkeypatch, tmp_path):
    circuits = [rtlil_text(prices.UNIT[name].make(rtl.Hardware()), prices.TOP) for name in ("pc", "advance", "sequencer", "pc")]
    alone = [prices.synthesize([circuit])[0] for circuit in circuits]
    monkeypatch.setattr(prices, "cache_directory", lambda: tmp_path)
    told: list[int] = []
    assert prices.synthesize(circuits, told.append) == alone
    assert told[0] == 0 and told[-1] == 4 and told == sorted(told)


def test_an_interrupt_keeps_what_is_known(monkeypatch, tmp_path):
    monkeypatch.setattr(prices, "cache_directory", lambda: tmp_path)
    circuits = [rtlil_text(prices.UNIT[name].make(rtl.Hardware()), prices.TOP) for name in ("alu", "core", "pc")]

    def interrupt(known: int) -> None:
        if known:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prices.synthesize(circuits, interrupt)
    assert len(list(tmp_path.rglob("*.json"))) == 1


def test_settings_change_prices():
    one, two = (rtl.cost("data_controller", GPU("tiny-original", set=SMALL | {"memory.data_channels": count})) for count in (1, 2))
    assert one.transistors < two.transistors
    assert one.depth < two.depth  # the serving mask runs through all channels
    assert rtl.cost("advance", GPU("tiny", set=SMALL)).gates > rtl.cost("advance", GPU("tiny-original", set=SMALL)).gates


SMALL = {"gpu.cores": 1, "core.threads_per_block": 2}


def test_an_unknown_unit_is_named_with_the_nearest():
    with pytest.raises(rtl.NoHardware, match="there is no unit 'aluu' in hardware"):
        rtl.cost("aluu")


def test_an_element_of_an_array_is_not_called_as_a_bit_is():
    """Yosys calls bit 0 of `start` `start[0]` when it maps to lookup tables, and stops where a wire has that name."""
    text = prices._text(prices.UNIT["quad"].make(None))
    assert "wire width 32 \\start.0\n" in text
    assert "start[0]" not in text
