package io.postrider.spring.guide;

import org.springframework.data.jpa.repository.JpaRepository;

/** The orders. */
public interface OrderRepository extends JpaRepository<Order, Long> {}
