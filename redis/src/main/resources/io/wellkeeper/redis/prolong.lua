-- The beginning of the scripts that keep a lock for longer.

-- Never for less time than before: this request may be carried out late, when a later one has made the lock last
-- longer.
local function prolong(lock, milliseconds)
  if redis.call('PTTL', lock) < tonumber(milliseconds) then
    redis.call('PEXPIRE', lock, milliseconds)
  end
end
