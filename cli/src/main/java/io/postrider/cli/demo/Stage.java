package io.postrider.cli.demo;

/** What the demo shows in a browser; found by {@link java.util.ServiceLoader}, where the server is on the class path. */
public interface Stage {
    /**
     * Opens it on a database whose schema is there.
     *
     * @param port where to listen; 0: anywhere
     * @param quiet whether a screen is drawn that lines of a log would spoil
     */
    Play open(String jdbcUrl, int port, boolean quiet);

    /** What is being shown. */
    interface Play extends AutoCloseable {
        /** Where to look at it. */
        String url();

        @Override
        void close();
    }
}
