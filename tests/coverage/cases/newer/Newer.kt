// What the compiler of Kotlin 2 makes: value classes, coroutines, enum entries, data objects, guards in when.
package newer

import kotlinx.coroutines.*
import kotlinx.coroutines.flow.*

@JvmInline
value class Meters(val value: Double) {
    init { require(value >= 0) { "negative" } }
    operator fun plus(other: Meters) = Meters(value + other.value)
    val isFar get() = value > 1000
}

@JvmInline
value class Name(val text: String?) : Comparable<Name> {
    override fun compareTo(other: Name) = (text ?: "").compareTo(other.text ?: "")
}

sealed interface Event {
    data class Move(val by: Meters, val tags: List<String> = listOf("none")) : Event
    data object Stop : Event
    class Say(val what: String) : Event
}

enum class Level(val weight: Int) { LOW(1), MIDDLE(5) { override fun next() = HIGH }, HIGH(9); open fun next(): Level = entries.getOrElse(ordinal + 1) { HIGH } }

interface Greets {
    val name: String
    fun greet(loud: Boolean = false) = if (loud) name.uppercase() else name
}

class Person(override val name: String) : Greets {
    lateinit var friend: Person
    val first by lazy { name.first() }
    companion object {
        @JvmStatic fun of(name: String, title: String? = null) = Person(title?.plus(" ")?.plus(name) ?: name)
        const val MOST = 3
    }
    @JvmOverloads fun call(times: Int = 1, by: String = "me") = "$by$times"
    fun hasFriend() = ::friend.isInitialized
}

class Closes(private val log: MutableList<String>, private val fails: Boolean) : AutoCloseable {
    override fun close() { log += "closed"; check(!fails) { "close" } }
}

fun describe(event: Event, level: Level?): String = when (event) {
    is Event.Move -> if (event.by.isFar) "far" else event.tags.joinToString()
    Event.Stop -> when (level) { null -> "none"; Level.LOW -> "low"; Level.MIDDLE, Level.HIGH -> level.name }
    is Event.Say -> when (event.what) { "a", "bb" -> "short"; "Aa", "BB" -> "same hash"; else -> event.what.takeIf { it.length < 9 } ?: "long" }
}

suspend fun fetch(n: Int): Int { delay(1); if (n > 2) throw IllegalStateException("n$n"); return n * 2 }

suspend fun all(list: List<Int>): Int {
    var sum = 0
    for (n in list) sum += try { fetch(n) } catch (e: IllegalStateException) { -1 } finally { sum++ }
    return coroutineScope { val a = async { fetch(1) }; val b = async { fetch(2) }; sum + a.await() + b.await() }
}

suspend fun tail(n: Int): Int = fetch(n)

fun numbers(): Flow<Int> = flow { for (i in 1..3) { emit(i); yield() } }

inline fun <reified T> countOf(list: List<Any?>, crossinline test: (T) -> Boolean): Int { var n = 0; list.forEach { if (it is T && test(it)) n++ }; return n }

tailrec fun power(n: Int, result: Long = 1): Long = if (n == 0) result else power(n - 1, result * 2)

fun nulls(person: Person?): Int = person?.friend?.name?.length ?: person?.name?.length ?: -1

fun <T : Any> must(value: T?): T = value!!

fun main(): Unit = runBlocking {
    val events = listOf(Event.Move(Meters(5.0)), Event.Move(Meters(2000.0) + Meters(1.0)), Event.Stop, Event.Say("bb"), Event.Say("BB"), Event.Say("something"))
    for ((i, e) in events.withIndex()) println(describe(e, Level.entries.getOrNull(i)))
    println("${all(listOf(1, 2, 3))} ${tail(1)} ${numbers().map { it * 2 }.filter { it > 2 }.toList()}")
    val person = Person.of("Ann", "Dr")
    println("${person.greet()} ${person.greet(true)} ${person.call()} ${person.call(2)} ${person.hasFriend()} ${person.first}")
    person.friend = Person("Bob")
    println("${nulls(person)} ${nulls(null)} ${must(person.friend).name} ${Name("b") > Name(null)} ${power(10)} ${countOf<String>(listOf(1, "a", "bb")) { it.length > 1 }}")
    val log = mutableListOf<String>()
    try { Closes(log, true).use { log += "used" } } catch (e: IllegalStateException) { log += e.message!! }
    println("$log ${Event.Stop} ${Event.Move(Meters(1.0)).copy(tags = emptyList())} ${Level.MIDDLE.next()}")
    try { Meters(-1.0) } catch (e: IllegalArgumentException) { println(e.message) }
}
