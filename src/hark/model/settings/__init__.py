"""PURE: the settings of a user, and the crew files of a team."""
