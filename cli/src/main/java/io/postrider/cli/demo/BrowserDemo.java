package io.postrider.cli.demo;

/** The demo's page for a browser; found by {@link java.util.ServiceLoader} if the server is on the class path. */
public interface BrowserDemo {
    /**
     * Opens it on a database that has the schema.
     *
     * @param port the port to listen on; 0: any free one
     * @param quiet whether a screen is drawn that log lines would spoil
     */
    Play open(String jdbcUrl, int port, boolean quiet);

    /** The running page. */
    interface Play extends AutoCloseable {
        /** The address of the page. */
        String url();

        @Override
        void close();
    }
}
