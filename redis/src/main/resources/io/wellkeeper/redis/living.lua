-- The beginning of the scripts of one queue that look at the whole queue.

-- The tickets of living sessions, smallest number first. The tickets of ended sessions depart. Not to be called when
-- the asking session has itself ended: a server that has lost sessions must not let their tickets depart because of
-- that.
local function living()
  local found = {}
  local all = redis.call('ZRANGE', queue, 0, -1)
  for _, ticket in ipairs(all) do
    if lease(owner(ticket)) > 0 then
      found[#found + 1] = ticket
    else
      redis.call('ZREM', queue, ticket)
      departed(ticket)
    end
  end
  if #all > 0 and #found == 0 then
    redis.call('ZREM', names, ARGV[3])
  end
  return found
end
