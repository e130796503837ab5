"""Send messages out: email, webhooks, guarded HTTP."""
