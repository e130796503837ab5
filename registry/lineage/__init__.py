"""Receive OpenLineage events and derive aliases, the lineage graph and impact from them."""
