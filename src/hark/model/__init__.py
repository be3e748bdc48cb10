"""PURE: the nouns of hark as frozen structs and enums, and its errors. No I/O, no clock, no randomness."""
