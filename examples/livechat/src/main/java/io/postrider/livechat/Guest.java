package io.postrider.livechat;

/**
 * Who is at the door, as a token says it.
 *
 * @param user a visitor's or an agent's id
 * @param agent whether the token reaches the whole project; a visitor's reaches that visitor's own events
 */
public record Guest(String user, String project, boolean agent) {}
