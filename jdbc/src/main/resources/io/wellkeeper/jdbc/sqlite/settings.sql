-- How this connection keeps what was committed.
SELECT 'synchronous', CAST(synchronous AS TEXT) FROM pragma_synchronous
