package io.postrider.spring.shop;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;

/** Accesses the table with MyBatis. */
@Mapper
public interface BookingMapper {
    @Insert("insert into booking (id, value) values (nextval('booking_seq'), #{value})")
    void insert(String value);
}
