"""Models looked into: the affine function around an instance, read off and exact."""
