package io.postrider.internal.listen;

/** Rolls a transaction back whose settlement the ledger refused: the listener is not ours any more. */
final class NotOursException extends RuntimeException {
    private static final long serialVersionUID = 1;
}
