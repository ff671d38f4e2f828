package tour

import groovy.transform.CompileStatic

/** What groovyc makes of its language: dynamic and static code, closures, properties, switch on anything, safe navigation, traits. */
class Point {
    int x
    long y = 7
    String name

    Point plus(Point o) { new Point(x: x + o.x, y: y + o.y) }

    String toString() { "$x/$y" }
}

trait Named {
    String getName() { 'named' }

    String hello() { "hello ${name}" }
}

class Greeter implements Named {
    String getName() { 'greeter' }
}

class Statics {
    @CompileStatic
    static int sum(List<Integer> list, boolean odd = false) {
        int total = 0
        for (int i : list) { if (odd && i % 2 == 0) continue; total += i }
        return total
    }

    @CompileStatic
    static String attempt(int n) {
        try {
            if (n == 5) throw new IllegalStateException('five')
            return n > 0 ? 'ok' : 'not positive'
        } catch (IllegalStateException e) {
            return e.message
        } finally {
            println "tried $n"
        }
    }
}

class Tour {
    static String word(n, text) {
        switch (n) {
            case 1..3: return 'few'
            case Integer.MAX_VALUE: throw new IllegalStateException('too many')
            case { it instanceof Number && it > 100 }: return 'large'
            case 'a': case ~/b+/: return 'letter'
            default: return text?.toUpperCase() ?: 'none'
        }
    }

    static void main(String[] args) {
        println new Point(x: 1) + new Point(x: 2, y: 3, name: 'p')
        for (n in [0, 2, 101, 'a', 'bb', 'c', null]) println word(n, n == 0 ? null : 'text')
        try { word(Integer.MAX_VALUE, 'x') } catch (IllegalStateException e) { println e.message }
        println new Greeter().hello()
        println Statics.sum([1, 2, 3]) + Statics.sum([1, 2, 3], true)
        println([0, 1, 5].collect { Statics.attempt(it) })
        def counter = { int n -> n <= 0 ? 0 : 1 + owner.call(n - 1) }
        int calls = 0
        def twice = { Closure c -> c(1) + c(2) }
        println twice { calls++; it * 10 } + calls
        def map = [a: 1, b: [c: 2]]
        println map.b.c + (map.x?.y ?: -1)
        println((1..10).findAll { it % 3 == 0 }*.toString().join(','))
        assert calls == 2 : 'twice'
        try { assert calls == 3 } catch (AssertionError e) { println 'assertion' }
        int i = 0
        while (true) { if (++i > 5) break; if (i == 2) continue }
        println(i <=> 6)
        println([3, 1, 2].sort { a, b -> b <=> a })
        def (p, q) = [1, 2]
        println "${p}${q}" as String
    }
}
