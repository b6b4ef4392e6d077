package io.postrider.livechat;

/**
 * The caller, as identified by a token.
 *
 * @param user the id of a visitor or an agent
 * @param agent whether the token reaches the whole project; a visitor's token reaches that visitor's own events
 */
public record Guest(String user, String project, boolean agent) {}
