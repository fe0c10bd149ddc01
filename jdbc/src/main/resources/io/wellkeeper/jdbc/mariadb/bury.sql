-- Deletes the rows of sessions that have ended and have no tickets any more.
DELETE FROM {session} WHERE id IN (:gone) AND ended
