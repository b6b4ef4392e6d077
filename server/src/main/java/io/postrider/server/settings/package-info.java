/** The configuration of the server: its settings, its database, its keys. */
@org.jspecify.annotations.NullMarked
package io.postrider.server.settings;
