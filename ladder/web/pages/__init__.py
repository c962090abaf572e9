"""What stands on the site's pages: each reads the store and returns its content, as one value."""
