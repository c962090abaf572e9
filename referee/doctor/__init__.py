"""`referee doctor`: what each sandbox was proved to enforce on this machine."""
