public class Main { public static void main(String[] a) { com.acme.shop.Shop.main(a); } int unused(int x) { return x + 1; } }
