import java.io.File
import kotlin.system.exitProcess
import org.gradle.api.DomainObjectCollection
import org.gradle.api.NamedDomainObjectProvider
import org.gradle.api.Project
import org.gradle.api.plugins.ExtensionContainer
import org.gradle.api.tasks.TaskContainer
import org.gradle.api.tasks.TaskProvider
import org.gradle.api.tasks.testing.Test
import org.gradle.testfixtures.ProjectBuilder
import org.gradle.testing.jacoco.plugins.JacocoTaskExtension

// What Gradle's Kotlin DSL adds to its API for the lines below.
val TaskContainer.test: TaskProvider<Test> get() = named("test", Test::class.java)
operator fun <T> NamedDomainObjectProvider<T>.invoke(action: T.() -> Unit) = configure { action() }
inline fun <reified T : Any> ExtensionContainer.configure(noinline action: T.() -> Unit) = configure(T::class.java) { action() }
inline fun <reified S : Any> DomainObjectCollection<in S>.withType() = withType(S::class.java)

fun Project.oneTask() {
    tasks.test {
// LINES
    }
}

fun Project.allTasks() {
    tasks.register("slow", Test::class.java)
    tasks.withType<Test>().configureEach {
// LINES
    }
}

/** Prints of each task of tests: is JaCoCo's agent on, what does it leave, and the JVM's arguments; runs what it does first. */
fun main(arguments: Array<String>) {
    val folder = File(arguments[1])
    val project = ProjectBuilder.builder().withProjectDir(folder).withGradleUserHomeDir(File(folder, "home")).build()
    project.pluginManager.apply("java")
    project.pluginManager.apply("jacoco")
    if (arguments[0] == "one") project.oneTask() else project.allTasks()
    for (name in listOf("test", "slow")) {
        val task = project.tasks.findByName(name) as Test? ?: continue
        task.actions.first().execute(task)
        println(listOf(name, "${task.extensions.getByType(JacocoTaskExtension::class.java).isEnabled}",
            task.outputs.files.files.filter { it.name.endsWith(".exec") }.joinToString(":"), task.jvmArgs!!.joinToString(" ")).joinToString("|"))
    }
    exitProcess(0)
}
