-- Whether no other session stands behind a ticket; if so, its owner is told of the next newcomer.
-- ARGV: me, channels, name, ticket, its number, its word in 'a'. Returns nothing if the session has ended.
local ticket, number, word = ARGV[4], ARGV[5], ARGV[6]
if lease(me) == 0 then
  return {}
end
if not redis.call('ZSCORE', queue, ticket) then
  return { 0 }
end
for _, other in ipairs(redis.call('ZRANGEBYSCORE', queue, '(' .. number, '+inf')) do
  local session = owner(other)
  if session ~= me and lease(session) > 0 then
    return { 0 }
  end
end
enlist('a', word)
return { 1 }
