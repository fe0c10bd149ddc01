-- Shows the queue. ARGV: me, channels, name. Returns the tickets in one text, with a space between them; nothing if my
-- session has ended.
if lease(me) == 0 then
  return {}
end
return { table.concat(living(), ' ') }
