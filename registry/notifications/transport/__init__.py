"""Transports for messages: email, webhooks, guarded HTTP."""
