"""A durable record of every question and answer, from which a run can be resumed."""
