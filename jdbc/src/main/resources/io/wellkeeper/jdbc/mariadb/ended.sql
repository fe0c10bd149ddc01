-- Which of some sessions have ended because their time is up, and which live on.
SELECT id AS dead FROM {session} WHERE id IN (:sessions) AND expires <= UTC_TIMESTAMP(6) AND NOT ended;
SELECT id AS living FROM {session} WHERE id IN (:sessions) AND NOT ended
