"""From what a person types to a bot that can be prepared: settings, bot.toml, files, hashes.

Nothing is run here: that is `referee.sandbox`. Begin with `find`.
"""
