-- What every script begins with.
-- KEYS[1]: a sorted set, session -> deadline in milliseconds of the server's clock.
-- The last of KEYS: a hash, session -> the sequence number of its last take, or of the last watch that it began, in this
-- partition; and 'last' -> the last number that was drawn.
-- ARGV[1]: the session that asks. ARGV[2]: what the names of the sessions' channels begin with: with a hash tag, they
-- are a Cluster's, of the same slot.
local sessions, sequences = KEYS[1], KEYS[#KEYS]
local me, channels = ARGV[1], ARGV[2]
local publish = string.find(channels, '{', 1, true) and 'SPUBLISH' or 'PUBLISH'

local function tell(session, what)
  redis.call(publish, channels .. session, what)
end

-- A ticket is 'number:session:request:generation:mode:permits', and the id of a session has 13 characters. Whatever else
-- somebody has put into a queue is nobody's.
local function owner(ticket)
  local colon = string.find(ticket, ':', 1, true)
  return colon and string.sub(ticket, colon + 1, colon + 13) or ''
end

local function text(number)
  return string.format('%.0f', number)
end
