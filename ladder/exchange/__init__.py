"""A whole ladder as one archive: written by `exporting.export`, taken in by `importing.take_in`."""
