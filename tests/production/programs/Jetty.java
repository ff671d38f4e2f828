import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** As Server, with Jetty. */
public class Jetty {
    static class Handler extends AbstractHandler {
        public void handle(String path, Request base, HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.setStatus(200);
            response.getWriter().print(Server.answer(path));
            base.setHandled(true);
        }
    }

    public static void main(String[] args) throws Exception {
        org.eclipse.jetty.server.Server server = new org.eclipse.jetty.server.Server(0);
        ((ServerConnector) server.getConnectors()[0]).setHost("127.0.0.1");
        server.setHandler(new Handler());
        server.start();
        System.out.println(((ServerConnector) server.getConnectors()[0]).getLocalPort());
        System.in.read();
        System.exit(0);
    }
}
