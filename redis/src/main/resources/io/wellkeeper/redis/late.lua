-- What those scripts begin with that would do harm if they came late: as when a connection is given up, because the network has lost
-- packets for some seconds, and what was on its way is repeated after the next connection has sent it, and more, again.

-- Whether this comes later than a take or the beginning of a watch that was sent after it. sequence: of the last of those
-- that had been sent by then.
local function late(sequence)
  local last = redis.call('HGET', sequences, me)
  return last and tonumber(last) > tonumber(sequence)
end
