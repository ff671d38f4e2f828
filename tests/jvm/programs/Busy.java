package com.example.shop;

import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One thread works; others are parked, sleep, read from the network and write to it. Ends at the end of standard input. */
public class Busy {
    static final LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();

    static double work(double d) {
        for (int i = 0; i < 50_000; i++)
            d = Math.sqrt(d + i);
        return d;
    }

    static void takeWithinSomeTime(long milliseconds) throws Exception {
        queue.poll(milliseconds, TimeUnit.MILLISECONDS);
    }

    static void sleep() throws Exception {
        Thread.sleep(40);
    }

    static int read(InputStream in) throws Exception {
        return in.read();
    }

    /** Works, most of the time in a native method of the network, and waits for nobody. */
    static void write(DatagramChannel channel) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocateDirect(512);
        for (int i = 0; i < 300; i++) {
            bytes.clear();
            channel.send(bytes, channel.getLocalAddress());
        }
    }

    interface Step {
        void run() throws Exception;
    }

    static void repeat(Step step) {
        Thread thread = new Thread(() -> {
            try {
                while (true)
                    step.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        double[] d = {0};
        repeat(() -> d[0] = work(d[0]));
        for (int i = 0; i < 6; i++)
            repeat(() -> takeWithinSomeTime(400));
        repeat(() -> sleep());
        ServerSocket server = new ServerSocket(0);
        Socket client = new Socket("127.0.0.1", server.getLocalPort()), peer = server.accept();
        repeat(() -> read(client.getInputStream()));
        repeat(() -> {
            Thread.sleep(50);
            peer.getOutputStream().write(1);
        });
        DatagramChannel channel = DatagramChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
        repeat(() -> {
            Thread.sleep(20);
            write(channel);
        });
        System.out.println("ready");
        while (System.in.read() >= 0);
    }
}
