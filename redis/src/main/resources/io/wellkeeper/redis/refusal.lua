-- What those scripts begin with that undo what they have begun when the server refuses a step in their midst.

-- Tries something; if the server refuses a step, what has been begun is undone. Returns the answer, or the refusal in the
-- server's words; before Redis 7 these stand behind a place in the script.
local function all_or_nothing(begin, undo)
  local done, answer = pcall(begin)
  if done then
    return answer
  end
  undo()
  local words = type(answer) == 'table' and answer.err or tostring(answer)
  return redis.error_reply((string.gsub(words, '^@user_script: ?%d+: %-?', '')))
end
