package io.postrider.server.openapi;

import static io.postrider.server.openapi.Schema.any;
import static io.postrider.server.openapi.Schema.flag;
import static io.postrider.server.openapi.Schema.object;
import static io.postrider.server.openapi.Schema.text;

/** Bodies that several resources share. */
public final class CommonSchemas {
    /** A payload. */
    public static final Schema JSON_VALUE = any().described("Any JSON value; numbers keep every digit.");

    public static final Schema NOTHING = object("Nothing").described("An empty object, or no body at all.");

    public static final Schema PAUSED =
            object("Paused").has("name", text()).has("paused", flag()).example("""
                    {"name": "mail", "paused": true}""");

    private CommonSchemas() {}
}
