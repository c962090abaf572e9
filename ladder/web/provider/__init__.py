"""Signing in by a provider of OpenID Connect, where the organiser has registered the site with one.

Here belong what the site asks the provider and how it believes the answers, and who is on the way
there; not the pages (`provider_routes`), nor which account is whose (`ladder.store.bindings`). Only
`asking`, `id_token` and `openid` import authlib, so a site without a provider does not. Begin with
`openid`.
"""
