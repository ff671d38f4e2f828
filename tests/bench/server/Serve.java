import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/** A shop on Jetty: each request searches a catalogue, sorts what it finds and writes a page. Prints its port; ends with its input. */
public final class Serve {
    private Serve() {}

    static final class Product {
        private final int number, price;
        private final String name;

        Product(int number, String name, int price) {
            this.number = number;
            this.name = name;
            this.price = price;
        }

        int number() {
            return number;
        }

        String name() {
            return name;
        }

        int price() {
            return price;
        }

        boolean matches(String word) {
            return name().contains(word);
        }

        boolean costs(int least, int most) {
            return price() >= least && price() <= most;
        }
    }

    static final class Catalogue {
        private static final String[] WORDS = {"red", "blue", "small", "large", "chair", "table", "lamp", "door", "iron", "wood"};
        private final List<Product> products = new ArrayList<>();
        private final Map<Integer, Product> byNumber = new HashMap<>();

        Catalogue(int count) {
            for (int i = 0; i < count; i++) add(new Product(i, word(i) + " " + word(i / 7) + " " + word(i / 31) + " " + i, i * 37 % 1000));
        }

        private static String word(int i) {
            return WORDS[i % WORDS.length];
        }

        private void add(Product product) {
            products.add(product);
            byNumber.put(product.number(), product);
        }

        Product find(int number) {
            return byNumber.get(number);
        }

        List<Product> search(String word, int least, int most) {
            List<Product> found = new ArrayList<>();
            for (Product product : products)
                if (product.costs(least, most) && product.matches(word)) found.add(product);
            Collections.sort(found, new ByPrice());
            return found;
        }
    }

    static final class ByPrice implements Comparator<Product> {
        @Override
        public int compare(Product a, Product b) {
            int order = Integer.compare(a.price(), b.price());
            return order != 0 ? order : Integer.compare(a.number(), b.number());
        }
    }

    static final class Page {
        private final StringBuilder text = new StringBuilder();

        Page open(String tag) {
            text.append('<').append(tag).append('>');
            return this;
        }

        Page close(String tag) {
            text.append("</").append(tag).append('>');
            return this;
        }

        private static String escaped(char c) {
            return c == '<' ? "&lt;" : c == '&' ? "&amp;" : null;
        }

        Page say(String words) {
            for (int i = 0; i < words.length(); i++) put(words.charAt(i));
            return this;
        }

        private void put(char c) {
            String escaped = escaped(c);
            if (escaped == null) text.append(c);
            else text.append(escaped);
        }

        Page cell(String words) {
            return open("td").say(words).close("td");
        }

        Page row(Product product) {
            return open("tr").cell(product.name()).cell(euros(product.price())).close("tr");
        }

        private static String euros(int cents) {
            return cents / 100 + "." + cents / 10 % 10 + cents % 10;
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }

    public static final class Search extends HttpServlet {
        private final transient Catalogue catalogue = new Catalogue(1000);

        private static int number(HttpServletRequest request, String key) {
            try {
                return Integer.parseInt(request.getParameter(key));
            } catch (NumberFormatException none) {
                return 0;
            }
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            int n = number(request, "n");
            Page page = new Page().open("table");
            List<Product> found = catalogue.search(Catalogue.word(n), n % 300, n % 300 + 400);
            for (Product product : found.subList(0, Math.min(20, found.size()))) page.row(product);
            Product one = catalogue.find(n % 1000);
            page.close("table").open("p").say(one.name()).close("p");
            byte[] bytes = page.toString().getBytes("UTF-8");
            response.setContentType("text/html");
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        }
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server(0);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new Search()), "/search");
        server.setHandler(context);
        server.start();
        System.out.println("port " + ((ServerConnector) server.getConnectors()[0]).getLocalPort());
        while (System.in.read() >= 0);
        server.stop();
    }
}
