"""The ODCS document: model, strict YAML, reader, writer, Treaty's own terms."""
