"""Matches on all cores: one worker process a core, which plays one match at a time."""
