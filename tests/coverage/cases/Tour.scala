package tour

/** What scalac makes of its language: case classes, pattern matching, traits, closures, for-comprehensions, lazy values, non-local returns. */
case class Point(x: Int, y: Long = 7, name: Option[String] = None)

sealed trait Shape
case object Nothing extends Shape
case class Square(side: Int) extends Shape
class Circle(val radius: Double) extends Shape
object Circle { def unapply(c: Circle): Option[Double] = if (c.radius > 0) Some(c.radius) else None }

trait Named { def name: String = "named"; lazy val hello: String = "hello " + name }
trait Loud extends Named { abstract override def name: String = super.name.toUpperCase }
class Both extends Named with Loud

object Tour {
  def area(shape: Shape): Int = shape match {
    case Nothing => 0
    case Square(side) if side > 10 => -1
    case Square(side) => side * side
    case Circle(r) => (r * 3).toInt
    case _ => -2
  }

  def word(n: Int, text: String): String = (n, text) match {
    case (1 | 2 | 3, _) => "few"
    case (_, "many") => "many"
    case (_, t) if t != null && t.length == 2 => "two"
    case (Int.MaxValue, _) => throw new IllegalStateException("too many")
    case (_, null) => "none"
    case (_, "a" | "b") => "letter"
    case (_, other) => other
  }

  def digit(n: Int): String = n match { case 0 => "zero"; case 1 => "one"; case 2 => "two"; case 7 => "seven"; case _ => "?" }

  def early(list: List[Int]): Int = { list.foreach { i => if (i > 2) return i }; -1 }

  def sum(n: Int): Int = { @annotation.tailrec def go(i: Int, s: Int): Int = if (i == 0) s else go(i - 1, s + i); go(n, 0) }

  def attempt(n: Int): String =
    try { require(n > 0, "positive"); if (n == 5) sys.error("five"); "ok" }
    catch { case e: IllegalArgumentException => e.getMessage; case e: ArithmeticException => "never" }
    finally println("tried " + n)

  def byName(condition: => Boolean): Int = if (condition && condition) 1 else 0

  def main(args: Array[String]): Unit = {
    println(Point(1) == Point(1, 7)); println(Point(2, name = Some("p")).copy(y = 3))
    for (s <- List(Nothing, Square(3), Square(11), new Circle(1.5), new Circle(-1))) println(area(s))
    for (n <- Array(0, 2, 9); t <- Seq(null, "a", "many", "xy", "else") if n != 9 || t != "a") print(word(n, t) + " ")
    try word(Int.MaxValue, "x") catch { case e: IllegalStateException => println(e.getMessage) }
    println((0 to 8).map(digit).mkString(","))
    println(early(List(1, 2)) + " " + early(List(1, 3)) + " " + sum(10))
    val both = new Both; println(both.hello + both.hello)
    println(attempt(0) + attempt(1)); try attempt(5) catch { case e: RuntimeException => println(e.getMessage) }
    var calls = 0; println(byName { calls += 1; calls < 2 } + " " + byName(true))
    val pairs = for { a <- Stream.from(1).take(5); b <- 1 to a; if a * b % 2 == 0 } yield (a, b)
    println(pairs.toList.groupBy(_._1).mapValues(_.size).toSeq.sorted)
    val partial: PartialFunction[Any, String] = { case i: Int => "int"; case s: String => "string" }
    println(List(1, "s", 2.0).collect(partial)); var i = 0; do i += 1 while (i < 5); while (i > 0) i -= 2; println(i)
    val text = "key=value"; val Pattern = "(.*)=(.*)".r; text match { case Pattern(k, v) => println(v + k); case _ => println("no") }
    println(s"${Left(1)} ${Some(2).fold(0)(_ + 1)} ${Option.empty[Int].getOrElse(-1)}")
  }
}
