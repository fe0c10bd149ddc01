-- The beginning of the scripts that would do harm if they came late. This happens when the network loses packets for
-- some seconds and the connection is given up: a request that was on its way may arrive after the next connection has
-- sent it again, and other requests behind it.

-- Whether this request comes later than a take, or the beginning of a watch, that was sent after it. sequence: the
-- number of the last take or beginning of a watch that had been sent by the time this request was sent.
local function late(sequence)
  local last = redis.call('HGET', sequences, me)
  return last and tonumber(last) > tonumber(sequence)
end
