package io.postrider.cli.demo;

/** Shows the readings to a person. */
interface View extends AutoCloseable {
    void show(ReadingHistory history, String footer);

    @Override
    void close();
}
