-- Tells a session of something, and rings its bell.
INSERT INTO {inbox} (session, text, since) VALUES (:told, :text, UTC_TIMESTAMP(6));
SET @told = :told;
{ringing}
