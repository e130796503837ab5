import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Scanner;
import java.util.regex.Pattern;

/** Reads lines of a pattern and a text in Base64; prints the CPU milliseconds of each search, the least of three. */
public class SlowestMatch {
    public static void main(String[] arguments) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
        while (input.hasNextLine()) {
            String[] parts = input.nextLine().split(" ", -1);
            Pattern pattern = Pattern.compile(decoded(parts[0]));
            String text = decoded(parts[1]);
            double least = Double.MAX_VALUE;
            for (int attempt = 0; attempt < 3 && least > 20; attempt++) {
                long before = threads.getCurrentThreadCpuTime();
                String outcome = "";
                try {
                    pattern.matcher(text).find();
                } catch (StackOverflowError error) {
                    outcome = "stack";
                }
                least = Math.min(least, (threads.getCurrentThreadCpuTime() - before) / 1e6);
            }
            System.out.println(least);
        }
    }

    private static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }
}
