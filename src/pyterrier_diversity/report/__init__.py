"""What people read: the reference of the measures, and reports on systems."""
