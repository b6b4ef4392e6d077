package io.postrider.cli.demo;

/** How the readings reach a person. */
interface View extends AutoCloseable {
    void show(History history, String footer);

    @Override
    void close();
}
