package io.postrider.spring.guide;

import org.springframework.data.jpa.repository.JpaRepository;

/** The ledger. */
public interface LedgerRepository extends JpaRepository<LedgerEntry, Long> {}
