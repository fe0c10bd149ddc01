-- The beginning of the scripts that undo their changes when the server refuses a step in their midst.

-- Calls begin; if the server refuses a step of it, calls undo. Returns the answer, or the refusal in the server's
-- words; before Redis 7 these words stand behind a place in the script, which is taken off.
local function all_or_nothing(begin, undo)
  local done, answer = pcall(begin)
  if done then
    return answer
  end
  undo()
  local words = type(answer) == 'table' and answer.err or tostring(answer)
  return redis.error_reply((string.gsub(words, '^@user_script: ?%d+: %-?', '')))
end
