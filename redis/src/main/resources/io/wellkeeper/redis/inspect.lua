-- Shows the queue, each ticket followed by what is written on it, after one word that is empty. ARGV: me, channels, name.
-- Returns nothing if my session has ended.
if lease(me) == 0 then
  return {}
end
local answer = { '' }
for _, ticket in ipairs(living()) do
  local own = string.match(ticket, '^%d+:(%w+:%w+)')
  local written = own and redis.call('HGET', data, 'r' .. own) or ''
  answer[#answer + 1] = ticket
  answer[#answer + 1] = string.gsub(written, '^[%d.]*:', '', 1)
end
return answer
