package io.postrider.server.http;

import java.time.Duration;
import org.apache.coyote.http11.Http11NioProtocol;

/**
 * HTTP/1.1 as Tomcat speaks it, with two limits that Tomcat does not have: a deadline for a whole request head, and a share of the
 * connections for each client address.
 */
public final class LimitedProtocol extends Http11NioProtocol {
    private final LimitedEndpoint endpoint;

    /** Called by Tomcat, by the name of the class. */
    public LimitedProtocol() {
        this(new LimitedEndpoint());
    }

    private LimitedProtocol(LimitedEndpoint endpoint) {
        super(endpoint);
        this.endpoint = endpoint;
    }

    /**
     * Sets the limits.
     *
     * @param headTimeout time within which a whole request head must arrive
     * @param perAddress maximum number of connections of one address; 0 for none beside its share
     */
    public void limit(Duration headTimeout, int perAddress) {
        endpoint.limit(headTimeout, perAddress);
    }
}
