-- Which messages have come to stay by now; waits for nothing.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SELECT id FROM {inbox} WHERE id IN (:ids)
