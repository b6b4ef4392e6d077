package io.postrider.internal.shadow;

/**
 * A message that another publisher has sent.
 *
 * @param lane messages of one lane are in order
 * @param id as the publisher has it; empty if the message has none
 * @param message a hash of the message as a whole, or without its id; {@link MessageHash#UNKNOWN} if it is not known
 * @param payload the same for its payload
 */
record Seen(String lane, String id, long message, long payload) {}
