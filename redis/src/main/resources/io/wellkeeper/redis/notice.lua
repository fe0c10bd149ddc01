-- Reads the notice and its version.
local there = redis.call('HMGET', data, 't', 'v')
return { there[1] or '', there[2] or '0' }
