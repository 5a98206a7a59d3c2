"""Slots: the places in a machine that a user's own unit may fill."""

from warploom.machine.slots.slot import Door, Slot
from warploom.machine.slots.table import SLOTS, check_slots, prepare, slot_named, stand_in, swaps_of

__all__ = ["SLOTS", "Door", "Slot", "check_slots", "prepare", "slot_named", "stand_in", "swaps_of"]
