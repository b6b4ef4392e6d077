package io.postrider.spring.shop;

import org.springframework.data.jpa.repository.JpaRepository;

/** Spring Data's way to the table. */
public interface BookingRepository extends JpaRepository<Booking, Long> {}
