"""Servers under load: the JDK's own, and Jetty."""

import os
import shutil

from cycles import under_load
from server_jvm import HERE, Jvm, Skip

JETTY = ["server", "util", "http", "io"]


def served(t, main, path, scope):
    if not shutil.which("wrk"):
        raise Skip("needs the Debian package wrk")

    def start(*args):
        return Jvm(t, *args, "-cp", path, main, agent=False)
    problems, text = under_load(t, main, scope, start)
    print(text, flush=True)
    return problems


def http_server_under_load(t):
    """The JDK's own server: no request fails, and memory and time of a cycle grow no more than in the control."""
    return served(t, "Server", t.file("classes"), "Server:Server$*:sun.net.httpserver.**")


def jetty_under_load(t):
    """The same with Jetty."""
    jars = [f"/usr/share/java/jetty9-{name}.jar" for name in JETTY] + ["/usr/share/java/servlet-api.jar"]
    missing = [j for j in jars if not os.path.exists(j)]
    if missing:
        raise Skip("needs the Debian package libjetty9-java")
    path = ":".join([t.file("classes"), *jars])
    t.compile([os.path.join(HERE, "programs", "Jetty.java")], "classes", path)
    return served(t, "Jetty", path, "Server:Jetty$*:org.eclipse.jetty.**")
