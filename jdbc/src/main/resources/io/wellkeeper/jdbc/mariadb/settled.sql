-- Which messages are committed by now; waits for nothing.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SELECT id FROM {inbox} WHERE id IN (:ids)
