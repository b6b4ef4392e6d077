/**
 * The live chat example: a visitor writes, agents see it immediately, a companion answers through a durable job. {@link
 * io.postrider.livechat.LiveChat} puts it together.
 */
@org.jspecify.annotations.NullMarked
package io.postrider.livechat;
