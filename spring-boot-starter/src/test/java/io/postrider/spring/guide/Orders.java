package io.postrider.spring.guide;

import io.postrider.Event;
import io.postrider.Job;
import io.postrider.spring.TransactionalPostrider;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

// region emit
@Service
public class Orders {
    private final OrderRepository orders;
    private final TransactionalPostrider postrider;

    Orders(OrderRepository orders, TransactionalPostrider postrider) {
        this.orders = orders;
        this.postrider = postrider;
    }

    @Transactional
    public void place(String customer) {
        Order order = orders.save(new Order(customer));
        String payload = "{\"order\": " + order.getId() + "}";
        postrider.emit(Event.of("orders", "order.placed", payload));
        postrider.enqueue(Job.of("mail", "receipt", payload));
    }
}
// endregion
