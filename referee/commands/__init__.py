"""The commands of `referee`, one module each: options in, one call, text and an exit code out."""
