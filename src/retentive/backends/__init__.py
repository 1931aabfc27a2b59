"""Where memories are kept. Each backend fills the contracts of `retentive.contracts`; none knows another."""
