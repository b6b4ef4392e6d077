package io.postrider.doctor;

import io.postrider.db.Database;
import io.postrider.db.Session;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * What the checks look at.
 *
 * @param direct where a node gets its lasting connection
 * @param keep how long events are kept: a listener holds retention up only after that
 */
record Examination(Database database, Session session, DataSource direct, Duration keep) {}
