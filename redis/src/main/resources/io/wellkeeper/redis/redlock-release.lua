-- Takes a vote back. KEYS[1]: as redlock-acquire.lua.
-- ARGV: owner, the channel of the waiters, the sequence number if only this attempt is given up. Returns 1 if the vote
-- was the owner's.
local there = redis.pcall('GET', KEYS[1])
local holder, last
if type(there) == 'string' then
  holder, last = string.match(there, '^(.*):(%d+)$')
end
if holder ~= ARGV[1] or (ARGV[3] and ARGV[3] ~= last) then
  return { 0 }
end
redis.call('DEL', KEYS[1])
if not ARGV[3] then
  redis.call('PUBLISH', ARGV[2], KEYS[1])
end
return { 1 }
