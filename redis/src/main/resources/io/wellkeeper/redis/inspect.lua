-- Shows the queue, each ticket followed by what is written on it. ARGV: me, channels, name.
local answer = {}
for _, ticket in ipairs(living()) do
  local session, request = string.match(ticket, '^%d+:(%w+):(%w+)')
  local written = redis.call('HGET', data, 'r' .. session .. ':' .. request) or ''
  answer[#answer + 1] = ticket
  answer[#answer + 1] = string.gsub(written, '^%d*:', '', 1)
end
return answer
