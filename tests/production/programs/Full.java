/** Loads the class Filled from each named folder, each with a loader of its own, and calls all of them for each line read. */
public class Full {
    public static class Filled implements Runnable {
        int calls;

        @Override
        public void run() {
            try {
                calls = Integer.parseInt(calls % 3 == 0 ? "1" : "x") + calls;
            } catch (NumberFormatException e) {
                calls += 10;
            }
        }

        @Override
        public String toString() {
            return String.valueOf(calls);
        }
    }

    public static void main(String[] folders) throws Exception {
        Runnable[] all = new Runnable[folders.length];
        for (int i = 0; i < all.length; i++) {
            java.net.URL[] path = {new java.io.File(folders[i]).toURI().toURL()};
            ClassLoader loader = new java.net.URLClassLoader(path, null);
            all[i] = (Runnable) loader.loadClass("Full$Filled").getConstructor().newInstance();
        }
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        while (in.readLine() != null) {
            for (Runnable r : all) r.run();
            System.out.println(java.util.Arrays.asList(all));
        }
    }
}
