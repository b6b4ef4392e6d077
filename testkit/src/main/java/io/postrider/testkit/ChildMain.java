package io.postrider.testkit;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Runs a main method and exits when standard input ends. The other end of the pipe is the JVM that runs the test, and a test that
 * was killed must not leave running workers behind.
 */
final class ChildMain {

    private ChildMain() {}

    public static void main(String[] args) throws Throwable {
        Thread watch = new Thread(ChildMain::endWithParent, "child-jvm-watch");
        watch.setDaemon(true);
        watch.start();
        Method main = Class.forName(args[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true); // the main classes of tests are rarely public
        try {
            main.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // nothing is ever sent
            }
        } catch (IOException e) {
            // the parent is gone as well
        }
        Runtime.getRuntime().halt(1);
    }
}
