package io.postrider.spring.shop;

import org.springframework.data.jpa.repository.JpaRepository;

/** Accesses the table with Spring Data. */
public interface BookingRepository extends JpaRepository<Booking, Long> {}
