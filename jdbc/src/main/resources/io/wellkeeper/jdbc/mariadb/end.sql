-- Ends a session; its tickets are no living ones from now on. The anchor would stay with the connection.
DELETE FROM {session} WHERE id = :me;
DELETE FROM {watch} WHERE session = :me;
DELETE FROM {inbox} WHERE session = :me;
DO RELEASE_LOCK(CONCAT('{channel}', :me))
