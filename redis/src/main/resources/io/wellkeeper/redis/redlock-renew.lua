-- Votes for an owner once more. KEYS[1]: as redlock-acquire.lua. ARGV: owner, milliseconds.
-- Returns 1, or 0 and the owner that has the lock; 0 and nothing if no owner has it.
local there = redis.pcall('GET', KEYS[1])
if not there then
  return { 0 }
end
local holder = type(there) == 'string' and string.match(there, '^(.*):%d+$')
if holder ~= ARGV[1] then
  return { 0, holder or 'somebody else' }
end
prolong(KEYS[1], ARGV[2])
return { 1 }
