-- Ends a session; its tickets count as gone from now on.
DELETE FROM {session} WHERE id = :me;
DELETE FROM {watch} WHERE session = :me;
DELETE FROM {inbox} WHERE session = :me
