-- What those scripts begin with that would do harm if they came late: as when the network loses packets for some seconds, the
-- connection is given up, and what was on its way arrives after the next one has sent it again, and more behind it.

-- Whether this comes later than a take or the beginning of a watch that was sent after it. sequence: of the last of those
-- that had been sent by then.
local function late(sequence)
  local last = redis.call('HGET', sequences, me)
  return last and tonumber(last) > tonumber(sequence)
end
