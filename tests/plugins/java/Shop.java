import java.lang.reflect.*;
import java.sql.*;
public class Shop {
    static <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(Shop.class.getClassLoader(), new Class<?>[] {type}, new InvocationHandler() {
            public Object invoke(Object proxy, Method method, Object[] arguments) throws Exception {
                if (method.getName().equals("executeUpdate")) return 1;
                if (method.getName().equals("execute")) return true;
                return null;
            }
        }));
    }
    static int order(Statement s, String sql) throws SQLException { return s.executeUpdate(sql); }
    static void load(PreparedStatement p) throws SQLException {
        p.setInt(1, 7);
        p.executeQuery();
    }
    static boolean other(Runnable r, Statement s) throws SQLException { r.run(); return s.execute("x"); }
    public static void main(String[] args) throws Exception {
        int n = 0;
        Statement s = fake(Statement.class);
        PreparedStatement p = fake(PreparedStatement.class);
        for (int i = 0; i < 1000; i++) { n += order(s, "insert"); load(p); }
        if (other(() -> {}, p)) n++;
        System.out.println(n);
    }
}
