"""Where a ladder keeps its facts and what follows from them: SQLite, or PostgreSQL by URL.

The modules here are the only ones that know of SQLAlchemy; what they take and return are the frozen
values of `ladder.core.facts` and their like. Begin with `store`.
"""
