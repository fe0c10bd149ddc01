-- The beginning of the scripts that draw numbers.
local most = 9007199254740991 -- 2^53 - 1: beyond, not all are to be told apart
