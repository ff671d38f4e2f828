// What the compiler of Scala 3 makes: enums, extension methods, givens, opaque types, inline, unions, exports.
package newer

import scala.util.{Try, Using}

enum Shape derives CanEqual:
  case Circle(radius: Double)
  case Square(side: Int)
  case Nothing
  def area: Double = this match
    case Circle(r) => Math.PI * r * r
    case Square(s) if s > 10 => -1
    case Square(s) => s * s
    case Nothing => 0

enum Color(val rgb: Int):
  case Red extends Color(0xff0000)
  case Green extends Color(0x00ff00)

opaque type Id = Long
object Id:
  def apply(value: Long): Id = value
  extension (id: Id) def next: Id = id + 1

trait Show[A]:
  extension (a: A) def show: String

given Show[Int] with
  extension (a: Int) def show: String = if a < 0 then s"minus ${-a}" else a.toString

given [A](using Show[A]): Show[List[A]] with
  extension (list: List[A]) def show: String = list.map(_.show).mkString("[", ",", "]")

case class Point(x: Int, y: Int = 2)
final class Writer(to: collection.mutable.ListBuffer[String]):
  def add(line: String): Unit = to += line
final class Log extends AutoCloseable:
  private val lines = collection.mutable.ListBuffer[String]()
  private val inner = Writer(lines)
  export inner.add
  def toList: List[String] = lines.toList
  def close(): Unit = lines += "closed"

inline def twice(inline body: => Int): Int = body + body

def kind(value: Int | String | Null): String = value match
  case null => "null"
  case n: Int if n > 5 => "large"
  case _: Int => "small"
  case "a" | "b" => "letter"
  case s: String => s

@main def run(): Unit =
  lazy val late = { println("late"); 7 }
  for shape <- List(Shape.Circle(1), Shape.Square(3), Shape.Square(11), Shape.Nothing) do println(shape.area.toInt)
  println(Color.values.map(c => s"$c ${c.rgb}").mkString(" ") + Color.valueOf("Red").ordinal)
  println(s"${Id(4).next} ${List(1, -2).show} ${twice(late)} ${Point(1).copy(x = 3)} ${Point(1) == Point(1, 2)}")
  println(List(1, 9, "a", "zz", null).map(v => kind(v.asInstanceOf[Int | String | Null])).mkString(" "))
  val log = Log()
  println(Using(log) { l => l.add("used"); l.toList.size }.get.toString + log.toList + Try(sys.error("x")).isFailure)
  val (small, large) = (1 to 6).partition(_ < 4)
  println(s"$small $large ${(for a <- small; b <- large if a + b == 7 yield a * b).sum}")
