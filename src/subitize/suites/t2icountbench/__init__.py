"""T2ICountBench: seven objects in numbers from 1 to 15, in three scenes and three styles."""
