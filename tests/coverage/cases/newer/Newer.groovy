// What Groovy 4 makes: switch expressions, records, sealed types, traits, static compilation, closures.
package newer

import groovy.transform.CompileStatic

record Point(int x, int y) { int sum() { x + y } }

sealed interface Shape permits Circle, Square { }
final class Circle implements Shape { double radius }
final class Square implements Shape { int side }

trait Named {
    String name = 'none'
    String greet() { name ? "hello $name" : 'nobody' }
}

class Person implements Named { @Lazy String late = { name.reverse() }() }

@CompileStatic
class Static {
    static int area(Shape shape) {
        return switch (shape) {
            case Circle -> (int) (((Circle) shape).radius * 3)
            case Square -> ((Square) shape).side > 10 ? -1 : ((Square) shape).side ** 2 as int
            default -> 0
        }
    }
    static String word(String text) {
        switch (text) {
            case 'a': return 'A'
            case ['b', 'c']: return 'B'
            case null: return 'none'
            case ~/x+/: return 'xs'
            default: return text?.toUpperCase() ?: ''
        }
    }
}

def attempt(n) {
    try {
        assert n > 0: 'not positive'
        if (n == 5) throw new IllegalStateException('five')
        return n
    } catch (IllegalStateException e) {
        return e.message
    } catch (AssertionError e) {
        return 'assert'
    } finally {
        println "tried $n"
    }
}

println new Point(1, 2).sum() + " ${new Point(1, 2) == new Point(1, 2)}"
println([new Circle(radius: 2), new Square(side: 3), new Square(side: 11)].collect { Static.area(it) })
println(['a', 'b', null, 'xxx', 'else'].collect { Static.word(it) })
println "${new Person(name: 'ann').greet()} ${new Person().late} ${new Person(name: '').greet()}"
println([0, 1, 5].collect { attempt(it) })
println((1..10).findAll { it % 3 == 0 }.inject(0) { a, b -> a + b } + [1, 2, 3]*.multiply(2).sum())
def (a, b) = [1, 2]
println "${a <=> b} ${a ?: b} ${[x: 1]?.x} ${'abc' =~ /b/ ? 1 : 0}"
