import java.io.InputStream;
import java.net.URL;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/** Starts Jetty with a web application, asks for one page and ends. */
public final class Start {
    private Start() {}

    public static final class Page extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws java.io.IOException {
            response.setContentType("text/plain");
            response.getWriter().println("hello " + request.getSession(true).isNew());
        }
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server(0);
        ServletContextHandler context = new ServletContextHandler(ServletContextHandler.SESSIONS | ServletContextHandler.SECURITY);
        context.addServlet(new ServletHolder(new Page()), "/page");
        server.setHandler(context);
        server.start();
        int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
        try (InputStream in = new URL("http://127.0.0.1:" + port + "/page").openStream()) {
            if (in.read() != 'h') throw new IllegalStateException("wrong page");
        }
        server.stop();
    }
}
