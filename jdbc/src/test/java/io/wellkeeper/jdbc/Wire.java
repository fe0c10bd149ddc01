package io.wellkeeper.jdbc;

/** What lies between one store and its database, and what may go wrong there. */
interface Wire {

    SqlTicketStore store();

    /** Breaks all connections that there are. */
    void cut();

    /** Whether further connections are refused. */
    void refuse(boolean refused);

    /** Whether what is asked is carried out, but not answered. */
    void swallow(boolean swallowed);

    void close();
}
