"""Computes XXH64 with seed 0, the hash of split-block bloom filters."""

from __future__ import annotations

import struct

# the five primes of the xxHash specification
_PRIME_1 = 0x9E3779B185EBCA87
_PRIME_2 = 0xC2B2AE3D27D4EB4F
_PRIME_3 = 0x165667B19E3779F9
_PRIME_4 = 0x85EBCA77C2B2AE63
_PRIME_5 = 0x27D4EB2F165667C5
_MASK = (1 << 64) - 1
_STRIPE = 32


def xxhash64(data: bytes) -> int:
    """Returns the hash as a number from 0 to 2^64 - 1.

    Follows "XXH64 algorithm description" of the xxHash specification.
    """
    stripes = len(data) // _STRIPE * _STRIPE
    accumulator = _of_stripes(data[:stripes]) if stripes else _PRIME_5
    accumulator = accumulator + len(data) & _MASK
    at = stripes
    while len(data) - at >= 8:
        (lane,) = struct.unpack_from("<Q", data, at)
        accumulator = _rotated(accumulator ^ _round(0, lane), 27) * _PRIME_1 + _PRIME_4 & _MASK
        at += 8
    if len(data) - at >= 4:
        (lane,) = struct.unpack_from("<I", data, at)
        mixed = accumulator ^ lane * _PRIME_1 & _MASK
        accumulator = _rotated(mixed, 23) * _PRIME_2 + _PRIME_3 & _MASK
        at += 4
    for byte in data[at:]:
        accumulator = _rotated(accumulator ^ byte * _PRIME_5 & _MASK, 11) * _PRIME_1 & _MASK
    accumulator = (accumulator ^ accumulator >> 33) * _PRIME_2 & _MASK
    accumulator = (accumulator ^ accumulator >> 29) * _PRIME_3 & _MASK
    return accumulator ^ accumulator >> 32


def _of_stripes(data: bytes) -> int:
    lanes = [_PRIME_1 + _PRIME_2 & _MASK, _PRIME_2, 0, -_PRIME_1 & _MASK]
    for stripe in struct.iter_unpack("<4Q", data):
        lanes = [_round(lane, value) for lane, value in zip(lanes, stripe)]
    found = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & _MASK
    for lane in lanes:
        found = (found ^ _round(0, lane)) * _PRIME_1 + _PRIME_4 & _MASK
    return found


def _round(accumulator: int, lane: int) -> int:
    return _rotated(accumulator + lane * _PRIME_2 & _MASK, 31) * _PRIME_1 & _MASK


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 64 - bits) & _MASK
