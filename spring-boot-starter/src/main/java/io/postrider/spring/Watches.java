package io.postrider.spring;

import io.postrider.watch.Guarded;
import io.postrider.watch.Watch;
import java.lang.reflect.Proxy;
import java.util.List;

/** Several watches as one. Each is guarded: what one of them throws does not keep the others from being told. */
final class Watches {
    private Watches() {}

    static Watch of(List<Watch> all) {
        if (all.size() < 2) {
            return all.isEmpty() ? Watch.NOTHING : all.get(0);
        }
        List<Watch> guarded = all.stream().map(Guarded::of).toList();
        return (Watch) Proxy.newProxyInstance(
                Watch.class.getClassLoader(), new Class<?>[] {Watch.class}, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return method.invoke(guarded, arguments);
                    }
                    for (Watch one : guarded) {
                        method.invoke(one, arguments);
                    }
                    return null;
                });
    }
}
