package io.postrider.spring.guide;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application of the README. */
@SpringBootApplication
public class GuideApplication {}
