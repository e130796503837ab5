"""Read DataHub."""
