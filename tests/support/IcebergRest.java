// An Iceberg REST catalog in memory, on this machine only: Apache's own adapter behind a server of its own.
import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

public class IcebergRest {
    public static void main(String[] words) throws Exception {
        InMemoryCatalog catalog = new InMemoryCatalog();
        catalog.initialize("lake", Map.of(CatalogProperties.WAREHOUSE_LOCATION, words[0]));
        Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
        server.setHandler(context);
        server.start();
        System.out.println("PORT " + ((ServerConnector) server.getConnectors()[0]).getLocalPort());
        server.join();
    }
}
