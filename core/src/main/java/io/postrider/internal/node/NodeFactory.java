package io.postrider.internal.node;

import io.postrider.Options;
import io.postrider.Postrider;
import javax.sql.DataSource;

/** Creates nodes. {@link Postrider#on} finds it as a service, so that the API does not depend on its implementation. */
public final class NodeFactory implements Postrider.Factory {
    @Override
    public Postrider on(DataSource dataSource, Options options) {
        return new Node(dataSource, options);
    }
}
