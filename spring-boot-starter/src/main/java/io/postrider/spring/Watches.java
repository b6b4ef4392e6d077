package io.postrider.spring;

import io.postrider.admin.Watch;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Several watches as one. If one of them throws, the others are still called. */
final class Watches {
    private static final Logger log = LoggerFactory.getLogger(Watches.class);

    private Watches() {}

    static Watch of(List<Watch> all) {
        if (all.size() < 2) {
            return all.isEmpty() ? Watch.NOTHING : all.get(0);
        }
        List<Watch> watches = List.copyOf(all);
        return (Watch) Proxy.newProxyInstance(
                Watch.class.getClassLoader(), new Class<?>[] {Watch.class}, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return method.invoke(watches, arguments);
                    }
                    for (Watch one : watches) {
                        call(method, one, arguments);
                    }
                    return null;
                });
    }

    private static void call(Method method, Watch watch, Object[] arguments) throws Throwable {
        try {
            method.invoke(watch, arguments);
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof RuntimeException failure)) {
                throw e.getCause();
            }
            log.error("watch_failed", failure);
        }
    }
}
