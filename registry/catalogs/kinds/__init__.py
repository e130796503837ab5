"""Kinds of catalogs, each as generators of requests, and the protocol that they implement."""
