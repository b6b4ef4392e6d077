/** The door between the command and the server, which brings far more with it and is not always there. */
@org.jspecify.annotations.NullMarked
package io.postrider.cli.serve;
