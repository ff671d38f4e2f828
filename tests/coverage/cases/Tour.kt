package tour

import java.io.Closeable

/** What kotlinc makes of its language: data and sealed classes, when, default arguments, inlining, delegates, coroutine-like sequences. */
data class Point(val x: Int, val y: Long = 7, val name: String? = null)

sealed class Shape {
    object Nothing : Shape()
    data class Square(val side: Int) : Shape()
    class Circle(val radius: Double) : Shape()
}

enum class Level { LOW, HIGH { override fun next() = LOW }; open fun next() = HIGH }

interface Named { val name: String get() = "named"; fun hello() = "hello $name" }

class Delegating(inner: Named) : Named by inner {
    val late by lazy { "late " + name }
    lateinit var unset: String
}

class Resource(private val log: MutableList<String>) : Closeable {
    override fun close() { log.add("closed") }
}

fun area(shape: Shape): Int = when (shape) {
    is Shape.Nothing -> 0
    is Shape.Square -> if (shape.side > 10) -1 else shape.side * shape.side
    is Shape.Circle -> (shape.radius * 3).toInt()
}

fun word(n: Int, text: String?): String = when {
    n in 1..3 -> "few"
    text == "many" || text?.length == 2 -> "many"
    n == Int.MAX_VALUE -> throw IllegalStateException("too many")
    else -> when (text) { "a" -> "A"; "b", "c" -> "B"; null -> "none"; else -> text }
}

// The last comparison falls into a branch that the one before it jumps to.
fun packed(kind: String): Boolean = when (kind) { "zip", "jar" -> true; else -> false }

inline fun twice(block: (Int) -> Int): Int { return block(1) + block(2) }

fun early(list: List<Int>): Int { list.forEach { if (it > 2) return it }; return -1 }

fun tailSum(n: Int): Int {
    tailrec fun go(i: Int, sum: Int): Int = if (i == 0) sum else go(i - 1, sum + i)
    return go(n, 0)
}

fun numbers() = sequence { yield(1); for (i in 2..4) { if (i == 3) continue; yield(i) } }

fun attempt(n: Int): String = try {
    require(n > 0) { "not positive" }
    if (n == 5) throw RuntimeException("five")
    "ok"
} catch (e: IllegalArgumentException) {
    e.message!!
} finally {
    println("tried $n")
}

fun main() {
    println(Point(1) == Point(1, 7)); println(Point(2, name = "p").copy(y = 3))
    for (s in listOf(Shape.Nothing, Shape.Square(3), Shape.Square(11), Shape.Circle(1.5))) println(area(s))
    for (n in intArrayOf(0, 2, 9)) for (t in arrayOf(null, "a", "c", "many", "xy", "else")) print(word(n, t) + " ")
    println(listOf("zip", "jar", "xar").filter { packed(it) })
    try { word(Int.MAX_VALUE, "x") } catch (e: IllegalStateException) { println(e.message) }
    println(Level.LOW.next().next()); println(twice { it * 10 } + twice { if (it > 1) 5 else 6 })
    println("${early(listOf(1, 2))} ${early(listOf(1, 3))} ${tailSum(10)} ${numbers().toList()}")
    val d = Delegating(object : Named { override val name = "inner" })
    println(d.hello() + d.late + d.late)
    try { println(d.unset) } catch (e: UninitializedPropertyAccessException) { println("unset") }
    val log = mutableListOf<String>()
    Resource(log).use { log.add("used") }
    try { Resource(log).use { error("failed") } } catch (e: IllegalStateException) { log.add(e.message!!) }
    println(log); println(attempt(0) + attempt(1))
    try { attempt(5) } catch (e: RuntimeException) { println(e.message) }
    val (x, y) = Point(8); println(x + y)
    loop@ for (i in 1..5) for (j in 1..5) { if (i * j == 6) break@loop; if (j > i) continue@loop }
    println((1..20).filter { it % 3 == 0 }.map { "$it" }.groupBy { it.length })
    var any: Any? = null; println(any?.hashCode() ?: -1); any = "text"; println((any as? Int)?.plus(1) ?: any)
}
