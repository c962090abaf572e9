"""Bots that strangers hand in: unpacked, built, tried in a sandbox, frozen. Nothing runs bare."""
