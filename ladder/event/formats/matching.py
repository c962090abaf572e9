"""Pairs for everybody, of those that may be paired. Pure."""

from collections.abc import Sequence

from rustworkx import PyGraph, max_weight_matching


class Matching:
    """Perfect matchings of a graph: first any, then step by step the one that is wanted.

    Attributes:
        perfect: whether everybody has a partner.
    """

    def __init__(self, friends: Sequence[Sequence[int]]) -> None:
        """Look for partners for all.

        Args:
            friends: by number, who may be paired with it; if a with b, then b with a.
        """
        self._graph: PyGraph[None, None] = PyGraph(multigraph=False)
        self._graph.add_nodes_from([None] * len(friends))
        self._graph.add_edges_from_no_data(
            [(one, other) for one, others in enumerate(friends) for other in others if one < other]
        )
        found = _partners(self._graph)
        self.perfect = found is not None
        self._partners = found or {}

    def settle(self, one: int, other: int) -> bool:
        """Pair two for good, if all the others can still be paired; return whether it did."""
        if not self._graph.has_edge(one, other):
            return False
        left = self._graph.copy()
        left.remove_nodes_from([one, other])
        if self._partners.get(one) != other:
            found = _partners(left)
            if found is None:
                return False
            self._partners = found
        self._graph = left
        return True


def _partners(graph: PyGraph[None, None]) -> dict[int, int] | None:
    """Whom everybody is paired with, in one of the ways to do that; None if there is none."""
    pairs = max_weight_matching(graph, max_cardinality=True)
    if 2 * len(pairs) < graph.num_nodes():
        return None
    return dict(pairs) | {other: one for one, other in pairs}
