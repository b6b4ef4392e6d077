package io.postrider.spring.shop;

import io.postrider.Event;
import io.postrider.spring.TransactionalPostrider;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A typical service of an application. */
@Service
public class Bookkeeping {
    private final Stores stores;
    private final TransactionalPostrider postrider;

    Bookkeeping(Stores stores, TransactionalPostrider postrider) {
        this.stores = stores;
        this.postrider = postrider;
    }

    @Transactional
    public void book(String store, String value) {
        stores.save(store, value);
    }

    @Transactional
    public void bookAndTell(String store, String value) {
        stores.save(store, value);
        postrider.emit(Event.of("booked", "booked", "\"" + value + "\""));
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void bookApart(String store, String value) {
        stores.save(store, value);
    }

    @Transactional
    public void bookAndFail(String store, String value) {
        stores.save(store, value);
        throw new IllegalStateException("the service failed");
    }
}
