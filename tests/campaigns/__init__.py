"""Long runs that print numbers: storms, crashes, load, benchmarks, the simulator."""
