"""What the paper claims, a file a claim, each with the rule that judges it."""
