-- Watches a ticket, and shows the queue, and the milliseconds until the first of all sessions ends.
UPDATE {lock} SET watches = CONCAT(watches, :number, ':', :generation, ':', :me, ' ')
WHERE name = :name AND LOCATE(CONCAT(' ', :word, ' '), queue) > 0
  AND LOCATE(CONCAT(' ', :number, ':', :generation, ':', :me, ' '), watches) = 0;
SELECT queue, {left} FROM {lock} WHERE name = :name
